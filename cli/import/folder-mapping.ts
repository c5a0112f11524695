import { folderNamed } from '../sources/folder-names.ts';
import type { SourceFolder } from '../sources/mail-source.ts';
import { usageError } from '../terminal/cli-error.ts';

/** Maps a folder to the folder into which it is imported. Undefined: the folder is left out. */
export type FolderMapping = (folder: SourceFolder) => SourceFolder | undefined;

const namesOf = (text: string): string[] => text.split('/').filter((name) => name !== '');

/**
 * Reads `--folder FROM=TO`. Folders below FROM are mapped with it. With an empty TO, the folders are left out. The
 * longest matching FROM applies.
 * @throws CliError for another form.
 */
export const readFolderMapping = (options: readonly string[]): FolderMapping => {
  const rules = options
    .map((option) => {
      const [, from = '', to = ''] = /^([^=]+)=(.*)$/.exec(option) ?? [];
      if (from === '') throw usageError('--folder takes FROM=TO, for example --folder "Posteingang=Inbox", or FROM= to leave a folder out');
      return { from: namesOf(from), to: namesOf(to) };
    })
    .sort((one, other) => other.from.length - one.from.length);
  return (folder) => {
    const rule = rules.find(({ from }) => from.every((name, depth) => folder.path[depth] === name));
    if (!rule) return folder;
    return rule.to.length === 0 ? undefined : folderNamed([...rule.to, ...folder.path.slice(rule.from.length)]);
  };
};

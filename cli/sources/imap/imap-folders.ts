import type { ImapFlow, ListResponse } from 'imapflow';
import { folderNamed } from '../folder-names.ts';
import type { FolderRole, SourceFolder } from '../mail-source.ts';

export type ImapFolder = {
  /** The path in the server's spelling. */
  readonly path: string;
  readonly folder: SourceFolder;
  /** Whether its messages have Gmail's labels instead of being in one folder. */
  readonly hasLabels: boolean;
};

/** Roles of special-use attributes (RFC 6154 §2). `\All` is Gmail's archive. */
const rolesOfUses = new Map(Object.entries<FolderRole>({
  '\\inbox': 'inbox', '\\archive': 'archive', '\\all': 'archive', '\\drafts': 'drafts', '\\sent': 'sent', '\\junk': 'junk',
  '\\trash': 'trash',
}));

const useOf = ({ specialUse, path }: ListResponse): string =>
  (path.toUpperCase() === 'INBOX' ? '\\inbox' : specialUse ?? '').toLowerCase();

/** The names of a folder. The inbox of the server's namespace is removed (`INBOX.Sent` of Courier and Cyrus). */
const namesOf = ({ parent, name }: ListResponse, prefix: string): string[] => {
  const names = [...parent, name];
  return prefix !== '' && names.length > 1 && names[0]!.toUpperCase() === prefix ? names.slice(1) : names;
};

const sourceFolder = (listed: ListResponse, prefix: string): SourceFolder => {
  const role = rolesOfUses.get(useOf(listed));
  const named = folderNamed(namesOf(listed, prefix));
  return role ? { path: named.path, role } : named;
};

const cannotBeSelected = ({ flags }: ListResponse): boolean =>
  [...flags].some((flag) => ['\\noselect', '\\nonexistent'].includes(flag.toLowerCase()));

/**
 * The folders of a server that contain mail. For Gmail these are the trash, the spam, and the folder with all mail and
 * its labels, because the other folders contain the same messages again.
 * @param only the path of the only folder to read; empty for all folders.
 */
export const imapFolders = async (client: ImapFlow, only: string): Promise<ImapFolder[]> => {
  const listed = (await client.list()).filter((each) => !cannotBeSelected(each));
  const prefix = listed.every(
    ({ path, delimiter }) => path.toUpperCase().startsWith('INBOX') && (path.length === 5 || path[5] === delimiter),
  )
    ? 'INBOX' : '';
  const isGmail = client.capabilities.has('X-GM-EXT-1') && listed.some((each) => useOf(each) === '\\all');
  return listed.filter(({ path }) => only === '' || path === only)
    .filter((each) => !isGmail || only !== '' || ['\\all', '\\trash', '\\junk'].includes(useOf(each)))
    .map((each) => ({ path: each.path, folder: sourceFolder(each, prefix), hasLabels: isGmail && only === '' && useOf(each) === '\\all' }));
};

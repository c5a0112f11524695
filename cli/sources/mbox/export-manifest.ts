import * as z from 'zod';
import { parseJson } from '../../../contract/values/parse-json.ts';
import { foldedPath } from '../folder-names.ts';
import { folderRoles, type FolderRole, type SourceFolder } from '../mail-source.ts';
import { textInSource } from '../source-file.ts';

/** The file in an exported folder that names the mailbox of each mbox or maildir. */
export const manifestFile = 'postrider-export.json';

export const exportFormats = ['mbox', 'maildir'] as const;

export const ExportManifest = z.object({
  format: z.enum(exportFormats),
  /** The mailboxes by the path of their mbox or maildir within the folder. The path of the folder itself is `.`. */
  mailboxes: z.record(z.string(), z.object({ path: z.array(z.string()).min(1), role: z.string().nullable() })),
});
export type ExportManifest = z.output<typeof ExportManifest>;

const isRole = (role: string | null | undefined): role is FolderRole => folderRoles.some((each) => each === role);

/** The folder of an exported mailbox. `topRole` is the role of the first mailbox of its path, if it is known. */
export const exportedFolder = (path: readonly string[], role: string | null, topRole: string | null | undefined): SourceFolder => ({
  path,
  ...(isRole(role) && { role }),
  exported: { topRole: isRole(topRole) || topRole === undefined ? topRole : null },
});

type ExportedMailboxes = {
  /** The mailbox of the mbox or maildir at a path within the folder. */
  readonly folderOf: (place: string) => SourceFolder | undefined;
  /** Whether this subfolder, or a folder below it, contains mboxes of the export. */
  readonly hasMboxesIn: (place: string) => boolean;
};

/** Reads the manifest of an exported folder. A folder that no export wrote has no mailboxes. */
export const exportedMailboxes = async (root: Buffer): Promise<ExportedMailboxes> => {
  const text = await textInSource(Buffer.concat([root, Buffer.from(`/${manifestFile}`)]), root);
  const manifest = ExportManifest.safeParse(parseJson(text)).data;
  const entries = Object.entries(manifest?.mailboxes ?? {});
  const topRoles = new Map(entries.map(([, { path, role }]) => [path.length === 1 ? path[0] : undefined, role]));
  const folders = entries.map(([place, { path, role }]) => [place, exportedFolder(path, role, topRoles.get(path[0]))] as const);
  // A file system, or a copy to another one, may have changed letter case and Unicode form of names.
  const exact = new Map(folders);
  const folded = new Map(folders.map(([place, folder]) => [foldedPath(place), folder]));
  const above = new Set(
    manifest?.format === 'mbox' ? entries.flatMap(([place]) => place.split('/').map((_, depth, names) => foldedPath(names.slice(0, depth).join('/')))) : [],
  );
  return { folderOf: (place) => exact.get(place) ?? folded.get(foldedPath(place)), hasMboxesIn: (place) => above.has(foldedPath(place)) };
};

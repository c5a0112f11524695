import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { folderRoles, type FolderRole, type SourceFolder } from './mail-source.ts';

/** The file in an exported folder that names the mailbox of each mbox or maildir. */
export const manifestFile = 'postrider-export.json';

/** The parts of an export. */
export const exportFormats = ['mbox', 'maildir'] as const;

export const ExportManifest = z.object({
  format: z.enum(exportFormats),
  /** By the path of the mbox or maildir within the folder, `.` for the folder itself. */
  mailboxes: z.record(z.string(), z.object({ path: z.array(z.string()).min(1), role: z.string().nullable() })),
});
export type ExportManifest = z.output<typeof ExportManifest>;

const isRole = (role: string | null): role is FolderRole => folderRoles.some((each) => each === role);

/** The mailboxes of an exported folder by their paths; nothing for a folder of another origin. */
export const exportedFolders = async (directory: string): Promise<ReadonlyMap<string, SourceFolder>> => {
  const text = await readFile(`${directory}/${manifestFile}`, 'utf8').catch(() => 'null');
  const read = (): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      return null;
    }
  };
  const manifest = ExportManifest.safeParse(read()).data;
  return new Map(
    Object.entries(manifest?.mailboxes ?? {}).map(([place, { path, role }]) => [place, { path, ...(isRole(role) && { role }) }]),
  );
};

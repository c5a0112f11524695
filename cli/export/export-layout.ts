import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CliError } from '../cli-error.ts';
import type { AccountMailbox, AccountMailboxes } from '../jmap/account-mailboxes.ts';
import { ExportManifest, manifestFile } from '../sources/export-manifest.ts';
import { encodeModifiedUtf7 } from '../sources/folder-names.ts';

type ExportFormat = ExportManifest['format'];

/** A mailbox, and the path of its mbox or maildir within the folder of the export. */
export type ExportPlace = { readonly mailbox: AccountMailbox; readonly place: string };

/** A name that every file system takes. */
const fileNameOf = (name: string): string =>
  name.replaceAll(/[\p{Cc}/\\:*?"<>|]/gu, '_').replace(/^\.+/, '_').replace(/[. ]+$/, '_').slice(0, 100) || '_';

const wantedPlace = (names: readonly string[], mailbox: AccountMailbox, format: ExportFormat): string => {
  if (format === 'mbox') return `${names.map(fileNameOf).join('/')}.mbox`;
  // Dovecot knows no way to have its separators in a name. The manifest has the name.
  return mailbox.role === 'inbox' ? '.' : `.${names.map((name) => encodeModifiedUtf7(name.replaceAll(/[./]/g, '_'))).join('.')}`;
};

/** A place that no other mailbox has, also where letters in lower and upper case are the same. */
const freePlace = (wanted: string, taken: ReadonlySet<string>): string => {
  for (let number = 1; ; number += 1) {
    const place = number === 1 ? wanted : wanted.replace(/(\.mbox)?$/, ` (${number})$1`);
    if (!taken.has(place.toLowerCase())) return place;
  }
};

const readManifest = async (path: string): Promise<ExportManifest | undefined> => {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return ExportManifest.parse(JSON.parse(text));
  } catch {
    throw new CliError(`${path} is damaged: export to another folder`);
  }
};

/**
 * The places of all mailboxes in the folder of the export, which the manifest there records. An export that continues
 * has the places of the one before.
 * @throws CliError when the folder has an export in the other format.
 */
export const planLayout = async (directory: string, format: ExportFormat, mailboxes: AccountMailboxes): Promise<ExportPlace[]> => {
  const path = join(directory, manifestFile);
  const before = await readManifest(path);
  if (before && before.format !== format) throw new CliError(`${directory} has an export as ${before.format}: export to another folder`);
  const known = new Map(Object.entries(before?.mailboxes ?? {}).map(([place, { path: names }]) => [JSON.stringify(names), place]));
  const taken = new Set([...known.values()].map((place) => place.toLowerCase()));
  const places: ExportPlace[] = [];
  const listed = mailboxes.all().map((mailbox) => ({ mailbox, names: mailboxes.pathOf(mailbox.id) }))
    .sort((one, other) => (one.names.join('\0') < other.names.join('\0') ? -1 : 1));
  for (const { mailbox, names } of listed) {
    const place = known.get(JSON.stringify(names)) ?? freePlace(wantedPlace(names, mailbox, format), taken);
    taken.add(place.toLowerCase());
    places.push({ mailbox, place });
  }
  const manifest: ExportManifest = {
    format,
    mailboxes: {
      ...before?.mailboxes,
      ...Object.fromEntries(places.map(({ mailbox, place }) => [place, { path: mailboxes.pathOf(mailbox.id), role: mailbox.role }])),
    },
  };
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(`${path}.new`, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
  for (const { place } of places) await mkdir(dirname(join(directory, place)), { recursive: true, mode: 0o700 });
  return places;
};

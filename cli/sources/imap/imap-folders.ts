import type { ListResponse } from 'imapflow';
import { decodeModifiedUtf7, folderNamed } from '../folder-names.ts';
import type { FolderRole, SourceFolder } from '../mail-source.ts';
import type { ImapConnection } from './imap-connection.ts';
import { isKnownResponse, parseDamagedList, unquotedListName, type ListLine } from './recorded-lines.ts';

export type ImapFolder = {
  /** The path in the server's spelling. */
  readonly path: string;
  readonly folder: SourceFolder;
  /** Whether its messages have Gmail's labels instead of being in one folder. */
  readonly hasLabels: boolean;
};

/** The folders that a server lists, and the lines from which no folder can be read. */
export type ListedFolders = { readonly folders: readonly ImapFolder[]; readonly unread: readonly string[] };

/** A folder as the server lists it, with the names of its path. */
type Listed = { readonly path: string; readonly names: readonly string[]; readonly delimiter: string; readonly use: string; readonly isMailbox: boolean };

/** Roles of special-use attributes (RFC 6154 §2). `\All` is Gmail's archive. */
const rolesOfUses = new Map(
  Object.entries<FolderRole>({
    '\\inbox': 'inbox',
    '\\archive': 'archive',
    '\\all': 'archive',
    '\\drafts': 'drafts',
    '\\sent': 'sent',
    '\\junk': 'junk',
    '\\trash': 'trash',
  }),
);

const useOf = (path: string, use: string | undefined): string => (path.toUpperCase() === 'INBOX' ? '\\inbox' : (use ?? '')).toLowerCase();

const isMailbox = (attributes: Iterable<string>): boolean =>
  ![...attributes].some((attribute) => ['\\noselect', '\\nonexistent'].includes(attribute.toLowerCase()));

/** The names of a folder. The inbox of the server's namespace is removed (`INBOX.Sent` of Courier and Cyrus). */
const namesIn = ({ names }: Listed, prefix: string): readonly string[] =>
  prefix !== '' && names.length > 1 && names[0]!.toUpperCase() === prefix ? names.slice(1) : names;

const sourceFolder = (listed: Listed, prefix: string): SourceFolder => {
  const role = rolesOfUses.get(listed.use);
  const named = folderNamed(namesIn(listed, prefix));
  return role ? { path: named.path, role } : named;
};

const listedFolder = ({ path, parent, name, delimiter, specialUse, flags }: ListResponse): Listed => ({
  path,
  names: [...parent, name],
  delimiter,
  use: useOf(path, specialUse),
  isMailbox: isMailbox(flags),
});

/** The folder of a line that the client did not read, or not whole. */
const recoveredFolder = ({ attributes, delimiter = '', name }: ListLine): Listed => {
  const path = decodeModifiedUtf7(name);
  const use = attributes.find((attribute) => rolesOfUses.has(attribute.toLowerCase()));
  return { path, names: delimiter === '' ? [path] : path.split(delimiter), delimiter, use: useOf(path, use), isMailbox: isMailbox(attributes) };
};

/** Whether the client took the name for the delimiter, as it does without the delimiter or the attributes. */
const hasNameAsDelimiter = ({ delimiter }: { readonly delimiter: string | null | undefined }): boolean => (delimiter?.length ?? 0) > 1;

/**
 * Lists all folders. The client is asked twice, because it adds attributes of LSUB to those of LIST, and so may take a
 * folder for one without mail. Folders of lines outside the grammar are read from the lines.
 */
const listAll = async ({ client, lines }: ImapConnection): Promise<{ readonly all: Listed[]; readonly unread: string[] }> => {
  lines.take();
  const described = await client.list();
  const plain = await client.list({ listOnly: true });
  const { damaged, understood } = lines.take();
  const attributes = new Map(plain.map(({ path, flags }) => [path, flags]));
  const all = new Map<string, Listed>();
  const add = (folder: Listed): void => {
    if (!all.has(folder.path)) all.set(folder.path, folder);
  };
  const delimiter = described.find((each) => each.delimiter && !hasNameAsDelimiter(each))?.delimiter ?? '';
  for (const each of [...described, ...plain]) {
    if (each.path !== '') add({ ...listedFolder(each), isMailbox: isMailbox(attributes.get(each.path) ?? each.flags) });
    else if (hasNameAsDelimiter(each)) add(recoveredFolder({ attributes: [...each.flags], delimiter, name: each.delimiter }));
  }
  for (const { first, whole } of understood.flatMap((line) => unquotedListName(line) ?? [])) {
    const [named, another] = plain.filter(({ pathAsListed }) => pathAsListed === first);
    if (named && !another) all.delete(named.path);
    add(recoveredFolder({ attributes: [], delimiter, name: whole }));
  }
  const unread = new Set(understood.filter((line) => !isKnownResponse(line)));
  if (described.some((each) => each.path === '' && !hasNameAsDelimiter(each) && isMailbox(each.flags))) unread.add('* LIST, without a name');
  for (const line of damaged.filter((each) => !/^\* (?:LSUB|STATUS) /i.test(each))) {
    const folder = parseDamagedList(line);
    if (folder) add(recoveredFolder({ ...folder, delimiter: folder.delimiter ?? delimiter }));
    else unread.add(line);
  }
  return { all: [...all.values()], unread: [...unread] };
};

const isBelowInbox = ({ path, delimiter }: Listed): boolean => path.toUpperCase().startsWith('INBOX') && (path.length === 5 || path[5] === delimiter);

/**
 * The folders of a server that contain mail. For Gmail these are the trash, the spam, and the folder with all mail and
 * its labels, because the other folders contain the same messages again.
 * @param only the path of the only folder to read; empty for all folders.
 */
export const imapFolders = async (connection: ImapConnection, only: string): Promise<ListedFolders> => {
  const { all, unread } = await listAll(connection);
  const listed = all.filter((each) => each.isMailbox);
  const prefix = listed.every(isBelowInbox) ? 'INBOX' : '';
  const isGmail = connection.client.capabilities.has('X-GM-EXT-1') && listed.some(({ use }) => use === '\\all');
  const folders = listed
    .filter(({ path }) => only === '' || path === only)
    .filter(({ use }) => !isGmail || only !== '' || ['\\all', '\\trash', '\\junk'].includes(use))
    .map((each) => ({ path: each.path, folder: sourceFolder(each, prefix), hasLabels: isGmail && only === '' && each.use === '\\all' }));
  return { folders, unread: only === '' ? unread : [] };
};

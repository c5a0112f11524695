import type { FolderRole, SourceFolder } from './mail-source.ts';

/** Names that mail programs and services give to folders with a role, in lower case. */
const namesOfRoles: { readonly [role in FolderRole]: readonly string[] } = {
  inbox: ['inbox'],
  archive: ['archive', 'archives', 'archived', 'all mail'],
  drafts: ['drafts', 'draft'],
  sent: ['sent', 'sent items', 'sent mail', 'sent messages'],
  junk: ['junk', 'junk e-mail', 'junk email', 'junk mail', 'spam', 'bulk mail'],
  trash: ['trash', 'deleted items', 'deleted messages', 'bin', 'wastebasket'],
};

const roles = new Map(
  (Object.keys(namesOfRoles) as FolderRole[]).flatMap((role) => namesOfRoles[role].map((name) => [name, role] as const)),
);

/** Folders in which a server groups its other folders. They contain no mail. */
const namespaces = ['[gmail]', '[google mail]'];

/**
 * The folder with this path. A name at the root, below the inbox or below Gmail's namespace may give the folder a role.
 * For other folders in a namespace, the namespace is removed.
 */
export const folderNamed = (path: readonly string[]): SourceFolder => {
  const names = path.filter((name) => name.trim() !== '');
  const [first = '', second] = names;
  const inner = second !== undefined && namespaces.includes(first.toLowerCase()) ? names.slice(1) : names;
  if (inner.length === 0) return { path: ['Inbox'], role: 'inbox' };
  const isTop = inner.length === 1 || (inner.length === 2 && first.toLowerCase() === 'inbox');
  const role = isTop ? roles.get(inner.at(-1)!.trim().toLowerCase()) : undefined;
  return { path: inner, ...(role && { role }) };
};

const encodeBase64 = (text: string): string =>
  `&${Buffer.from(text, 'utf16le').swap16().toString('base64').replaceAll('/', ',').replace(/(?<!=)=+$/, '')}-`;

export const encodeModifiedUtf7 = (name: string): string =>
  name.replaceAll(/[^\x20-\x7e]+|&/g, (part) => (part === '&' ? '&-' : encodeBase64(part)));

/** The text of octets in base64; empty when they are no UTF-16. */
const decodeBase64 = (text: string): string => {
  const octets = Buffer.from(text.replaceAll(',', '/'), 'base64');
  return octets.length % 2 === 0 ? octets.swap16().toString('utf16le') : '';
};

/**
 * Decodes a folder name in IMAP's modified UTF-7 (RFC 3501 §5.1.3). A name that no program encodes so, such as `P&L-2026`,
 * is returned unchanged.
 */
export const decodeModifiedUtf7 = (name: string): string => {
  const decoded = name.replaceAll(/&([A-Za-z0-9+,]*)-/g, (_, text: string) => (text === '' ? '&' : decodeBase64(text)));
  return decoded.isWellFormed() && encodeModifiedUtf7(decoded) === name ? decoded : name;
};

/** Decodes octets of a file name: UTF-8, or Latin-1 when they are not valid UTF-8. */
export const decodeFileName = (octets: Buffer): string => {
  const text = octets.toString('utf8');
  return Buffer.from(text, 'utf8').equals(octets) ? text : octets.toString('latin1');
};

/**
 * A normal form of a path, equal for all paths that some file system treats as the same file. File systems may ignore
 * letter case, normalize Unicode, or drop zero-width characters.
 */
export const foldedPath = (path: string): string =>
  path.normalize('NFKD').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '').toLowerCase().toUpperCase().normalize('NFKD');

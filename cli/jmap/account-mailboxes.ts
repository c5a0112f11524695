import { mailLimits } from '../../contract/jmap/core.ts';
import { folderNamed } from '../sources/folder-names.ts';
import type { SourceFolder } from '../sources/mail-source.ts';
import { MethodError, type JmapClient } from './jmap-client.ts';

export type AccountMailbox = { readonly id: string; readonly name: string; readonly parentId: string | null; readonly role: string | null };
type SetResponse = {
  readonly created: Record<string, { readonly id: string }> | null;
  readonly notCreated: Record<string, { readonly type: string; readonly description?: string }> | null;
};

export type AccountMailboxes = {
  readonly all: () => readonly AccountMailbox[];
  /** The names of a mailbox's path, from the top. */
  readonly pathOf: (id: string) => string[];
  /** Finds the mailbox of a folder. Undefined when it does not exist. */
  readonly find: (folder: SourceFolder) => string | undefined;
  /**
   * Finds the mailbox of a folder, or creates it with its parents.
   * @throws MailboxRefused when the server refuses to create it, and in later calls for the same folder.
   */
  readonly findOrCreate: (folder: SourceFolder) => Promise<string>;
};

/** Thrown when the server refuses to create a mailbox. */
export class MailboxRefused extends Error {
  override readonly name = 'MailboxRefused';
}

const shorten = (name: string, octets: number): string => {
  // A character that was cut becomes U+FFFD.
  if (Buffer.byteLength(name) <= octets) return name;
  return Buffer.from(name)
    .subarray(0, octets)
    .toString()
    .replace(/(?<!\uFFFD)\uFFFD+$/, '');
};

/** A name that a mailbox may have (RFC 8621 §2): normalized, without control characters, and not too long. */
const mailboxName = (name: string): string =>
  shorten(
    name
      .toWellFormed()
      .normalize('NFC')
      .replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ')
      .trim(),
    mailLimits.maxSizeMailboxName,
  ) || '_';

/** The name for an exported mailbox: unchanged, unless this server would refuse it. */
const exportedName = (name: string): string => {
  const isAllowed = name !== '' && name.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(name) && Buffer.byteLength(name) <= mailLimits.maxSizeMailboxName;
  return isAllowed ? name : mailboxName(name);
};

/** The names of a folder's path in the account. Folders below the maximum depth become one name with slashes. */
const mailboxPath = ({ path, exported }: SourceFolder): string[] => {
  const deepest = mailLimits.maxMailboxDepth - 1;
  return [...path.slice(0, deepest), ...(path.length > deepest ? [path.slice(deepest).join('/')] : [])].map(exported ? exportedName : mailboxName);
};

export const readMailboxes = async (client: JmapClient): Promise<AccountMailboxes> => {
  let mailboxes: AccountMailbox[] = [];
  const load = async (): Promise<void> => {
    const [response] = await client.call<[{ list: AccountMailbox[] }]>([['Mailbox/get', { ids: null, properties: ['id', 'name', 'parentId', 'role'] }, 'm']]);
    mailboxes = response.list;
  };

  const childOf = (parentId: string | null, name: string): AccountMailbox | undefined =>
    mailboxes.find((mailbox) => mailbox.parentId === parentId && mailbox.name === name);

  const withRole = (role: string): AccountMailbox | undefined => mailboxes.find((mailbox) => mailbox.role === role);

  /**
   * The mailbox for the first name of a folder's path: one of that name, or the one whose role the name stands for.
   * `Inbox/Work` is below the inbox whatever the inbox is called. For an export, the manifest says which role the name had.
   */
  const rootOf = (name: string, { exported }: SourceFolder): AccountMailbox | undefined => {
    if (exported?.topRole) return withRole(exported.topRole) ?? childOf(null, name);
    const isInbox = exported?.topRole === undefined && folderNamed([name]).role === 'inbox';
    return childOf(null, name) ?? (isInbox ? withRole('inbox') : undefined);
  };

  const find = (folder: SourceFolder): string | undefined => {
    const sameRole = folder.role && withRole(folder.role);
    if (sameRole) return sameRole.id;
    const [first, ...rest] = mailboxPath(folder);
    return rest.reduce<AccountMailbox | undefined>((parent, name) => parent && childOf(parent.id, name), rootOf(first!, folder))?.id;
  };

  const create = async (name: string, parentId: string | null, role: string | undefined): Promise<string> => {
    const properties = { name, parentId, ...(role !== undefined && { role }) };
    const [response] = await client.call<[SetResponse]>([['Mailbox/set', { create: { new: properties } }, 's']]);
    const id = response.created?.['new']?.id;
    if (id !== undefined) {
      mailboxes.push({ id, name, parentId, role: role ?? null });
      return id;
    }
    // Another client may have created the mailbox.
    await load();
    const existing = childOf(parentId, name);
    if (existing) return existing.id;
    const { type = 'unknown error', description = '' } = response.notCreated?.['new'] ?? {};
    throw new MailboxRefused(`the mailbox ${name} cannot be created: ${[type, description].filter(Boolean).join(': ')}`);
  };

  const createWithParents = async (folder: SourceFolder): Promise<string> => {
    const names = mailboxPath(folder);
    let parent: AccountMailbox | undefined;
    let id = '';
    for (const [depth, name] of names.entries()) {
      const existing: AccountMailbox | undefined = depth === 0 ? rootOf(name, folder) : childOf(parent!.id, name);
      id = existing?.id ?? (await create(name, parent?.id ?? null, depth === names.length - 1 ? folder.role : undefined));
      parent = existing ?? mailboxes.find((mailbox) => mailbox.id === id);
    }
    return id;
  };

  const refused = new Map<string, MailboxRefused>();
  const findOrCreate = async (folder: SourceFolder): Promise<string> => {
    const known = find(folder);
    if (known !== undefined) return known;
    const key = JSON.stringify([folder.path, folder.exported]);
    const error = refused.get(key);
    if (error) throw error;
    return createWithParents(folder).catch((failure: unknown) => {
      if (failure instanceof MailboxRefused) refused.set(key, failure);
      throw failure;
    });
  };

  const pathOf = (id: string): string[] => {
    const mailbox = mailboxes.find((each) => each.id === id);
    if (!mailbox) throw new MethodError('Mailbox/get', { type: 'notFound' });
    return [...(mailbox.parentId === null ? [] : pathOf(mailbox.parentId)), mailbox.name];
  };
  await load();
  return { all: () => mailboxes, pathOf, find, findOrCreate };
};

import { mailLimits } from '../../../contract/jmap/core.ts';
import { mailboxRoles, maxSortOrder } from '../../../contract/jmap/mailbox.ts';
import { RecordRefused } from '../../account-log/records/record-refused.ts';
import type { MailboxRecord } from './mailbox-record.ts';
import type { MailboxTree } from './mailbox-tree.ts';

/** Checks a name: Net-Unicode of at least one character (RFC 8621 §2). @returns the problem, if any. */
const nameProblem = (name: string): string | undefined => {
  if (name === '' || /[\p{Cc}\u2028\u2029]/u.test(name)) return 'A name must have at least one character and no control characters.';
  if (Buffer.byteLength(name) > mailLimits.maxSizeMailboxName) return `A name may have at most ${mailLimits.maxSizeMailboxName} octets.`;
  return undefined;
};

/** @returns the problem of a parent, if any: it does not exist, it is a descendant, or there are too many levels. */
const parentProblem = (tree: MailboxTree, record: MailboxRecord): string | undefined => {
  const above = new Set<string>();
  for (let { parentId } = record; parentId !== null;) {
    const parent = tree.get(parentId);
    if (!parent) return 'The parent does not exist.';
    if (parent.id === record.id || above.has(parent.id)) return 'A mailbox cannot be its own descendant.';
    above.add(parent.id);
    ({ parentId } = parent);
  }
  const { maxMailboxDepth } = mailLimits;
  return above.size + tree.heightOf(record.id) > maxMailboxDepth ? `Mailboxes may be nested at most ${maxMailboxDepth} levels deep.` : undefined;
};

/** @returns the problem of a new role: it is unknown or taken, or the inbox would lose its role. */
const roleProblem = (tree: MailboxTree, record: MailboxRecord, before: MailboxRecord | undefined): string | undefined => {
  if (record.role === (before?.role ?? null)) return undefined;
  if (before?.role === 'inbox') return 'The role of the inbox cannot be changed, because mail is delivered to it.';
  if (record.role === null) return undefined;
  if (!(mailboxRoles as readonly string[]).includes(record.role)) return 'The role does not exist.';
  return tree.withRole(record.role).some((id) => id !== record.id) ? 'Another mailbox has this role.' : undefined;
};

const sortOrderProblem = ({ sortOrder }: MailboxRecord, before: MailboxRecord | undefined): string | undefined =>
  sortOrder > maxSortOrder && sortOrder !== before?.sortOrder ? `sortOrder may be at most ${maxSortOrder}.` : undefined;

/**
 * The rules of a created or updated Mailbox. The tree may contain the Mailbox already.
 * @throws RecordRefused invalidProperties with the names of all invalid properties; alreadyExists when a Mailbox with
 * the same parent has the name (RFC 8621 §2.5).
 */
export const checkMailbox = (tree: MailboxTree, record: MailboxRecord, before: MailboxRecord | undefined): void => {
  const problems = Object.entries({
    name: nameProblem(record.name),
    parentId: parentProblem(tree, record),
    role: roleProblem(tree, record, before),
    sortOrder: sortOrderProblem(record, before),
  }).filter(([, problem]) => problem !== undefined);
  if (problems.length > 0) {
    throw new RecordRefused(
      'invalidProperties',
      problems.map(([, problem]) => problem).join(' '),
      problems.map(([property]) => property),
    );
  }
  const existingId = tree.withName(record.parentId, record.name).find((id) => id !== record.id);
  if (existingId !== undefined) {
    throw new RecordRefused('alreadyExists', 'Another mailbox under the same parent has this name.', undefined, { existingId });
  }
};

/**
 * The rules of a destroyed Mailbox (RFC 8621 §2.5).
 * @param hasEmail whether Emails would remain in the Mailbox.
 * @throws RecordRefused forbidden, mailboxHasChild, mailboxHasEmail.
 */
export const checkDestroyedMailbox = (tree: MailboxTree, { id, role }: MailboxRecord, hasEmail: boolean): void => {
  if (role === 'inbox') throw new RecordRefused('forbidden', 'The inbox cannot be destroyed, because mail is delivered to it.');
  if (tree.hasChildren(id)) throw new RecordRefused('mailboxHasChild', 'The mailbox has child mailboxes.');
  if (hasEmail) throw new RecordRefused('mailboxHasEmail', 'The mailbox contains Emails.');
};

import { mailLimits } from '../../../contract/jmap/core.ts';
import { mailboxRoles } from '../../../contract/jmap/mailbox.ts';
import { RecordRefused } from '../record-refused.ts';
import type { MailboxRecord } from './mailbox-record.ts';
import type { MailboxTree } from './mailbox-tree.ts';

const invalidProperty = (property: string, description: string) => new RecordRefused('invalidProperties', description, [property]);

/** A name is Net-Unicode of at least one character (RFC 8621 §2). @throws RecordRefused invalidProperties */
const checkName = (name: string): void => {
  if (name === '' || /[\p{Cc}\u2028\u2029]/u.test(name)) {
    throw invalidProperty('name', 'A name must have at least one character and no control characters.');
  }
  if (Buffer.byteLength(name) > mailLimits.maxSizeMailboxName) {
    throw invalidProperty('name', `A name may have at most ${mailLimits.maxSizeMailboxName} octets.`);
  }
};

/** The number of Mailboxes above the record. @throws RecordRefused invalidProperties for an unknown parent and a cycle. */
const depthOf = (tree: MailboxTree, record: MailboxRecord): number => {
  const above = new Set<string>();
  for (let { parentId } = record; parentId !== null;) {
    const parent = tree.get(parentId);
    if (!parent) throw invalidProperty('parentId', 'The parent does not exist.');
    if (parent.id === record.id || above.has(parent.id)) throw invalidProperty('parentId', 'A mailbox cannot be its own descendant.');
    above.add(parent.id);
    ({ parentId } = parent);
  }
  return above.size;
};

/** @throws RecordRefused invalidProperties for a parent that does not exist or is a descendant, or too many levels. */
const checkParent = (tree: MailboxTree, record: MailboxRecord): void => {
  if (depthOf(tree, record) + tree.heightOf(record.id) > mailLimits.maxMailboxDepth) {
    throw invalidProperty('parentId', `Mailboxes may be nested at most ${mailLimits.maxMailboxDepth} levels deep.`);
  }
};

/** @throws RecordRefused invalidProperties for an unknown role, one of another Mailbox, or a change of the inbox's role. */
const checkRole = (tree: MailboxTree, record: MailboxRecord, before: MailboxRecord | undefined): void => {
  if (record.role === (before?.role ?? null)) return;
  if (before?.role === 'inbox') throw invalidProperty('role', 'The role of the inbox cannot be changed, because mail is delivered to it.');
  if (record.role === null) return;
  if (!(mailboxRoles as readonly string[]).includes(record.role)) throw invalidProperty('role', 'The role does not exist.');
  if (tree.withRole(record.role).some((id) => id !== record.id)) throw invalidProperty('role', 'Another mailbox has this role.');
};

/**
 * The rules of a created or updated Mailbox. The tree may have it already.
 * @throws RecordRefused invalidProperties; alreadyExists when a Mailbox with the same parent has the name (RFC 8621
 * §2.5).
 */
export const checkMailbox = (tree: MailboxTree, record: MailboxRecord, before: MailboxRecord | undefined): void => {
  checkName(record.name);
  checkParent(tree, record);
  checkRole(tree, record, before);
  if (tree.withName(record.parentId, record.name).some((id) => id !== record.id)) {
    throw new RecordRefused('alreadyExists', 'Another mailbox under the same parent has this name.');
  }
};

/**
 * The rules of a destroyed Mailbox (RFC 8621 §2.5).
 * @param hasEmail whether Emails would be left in it.
 * @throws RecordRefused forbidden, mailboxHasChild, mailboxHasEmail.
 */
export const checkDestroyedMailbox = (tree: MailboxTree, { id, role }: MailboxRecord, hasEmail: boolean): void => {
  if (role === 'inbox') throw new RecordRefused('forbidden', 'The inbox cannot be destroyed, because mail is delivered to it.');
  if (tree.hasChildren(id)) throw new RecordRefused('mailboxHasChild', 'The mailbox has child mailboxes.');
  if (hasEmail) throw new RecordRefused('mailboxHasEmail', 'The mailbox contains Emails.');
};

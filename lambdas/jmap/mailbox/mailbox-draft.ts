import { mailboxesOf } from '../../../core/mail/mailbox/mailbox-record.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { mailLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { mailboxRoles } from '../../../contract/jmap/mailbox.ts';
import type { AccountView } from '../../../core/mail/mail-store.ts';
import type { EmailRow } from '../../../core/mail/email/email-record.ts';
import type { MailboxRecord } from '../../../core/mail/mailbox/mailbox-record.ts';
import { SetError } from '../protocol/errors.ts';
import type { AccountDraft } from '../verbs/behaviour.ts';

const invalidProperty = (property: string, description: string) => new SetError('invalidProperties', description, [property]);

/** A name is Net-Unicode of at least one character (RFC 8621 §2). @throws SetError invalidProperties */
const checkName = (name: string): void => {
  if (name === '' || /[\p{Cc}\u2028\u2029]/u.test(name)) {
    throw invalidProperty('name', 'A name must have at least one character and no control characters.');
  }
  if (Buffer.byteLength(name) > mailLimits.maxSizeMailboxName) {
    throw invalidProperty('name', `A name may have at most ${mailLimits.maxSizeMailboxName} octets.`);
  }
};

/** The mailboxes with the draft's changes. */
type Tree = { get(id: string): MailboxRecord | undefined; all(): readonly MailboxRecord[] };

const childrenOf = (tree: Tree, id: string) => tree.all().filter(({ parentId }) => parentId === id);

/** Levels from the mailbox to its deepest descendant; 1 for a mailbox without children. */
const heightOf = (tree: Tree, id: string): number => 1 + Math.max(0, ...childrenOf(tree, id).map((child) => heightOf(tree, child.id)));

/** @throws SetError invalidProperties for a parent that does not exist or is a descendant, or too many levels. */
const checkParent = (tree: Tree, record: MailboxRecord): void => {
  let depth = heightOf(tree, record.id);
  for (let above = record.parentId; above !== null; depth += 1) {
    const parent = tree.get(above);
    if (!parent) throw invalidProperty('parentId', 'The parent does not exist.');
    if (parent.id === record.id) throw invalidProperty('parentId', 'A mailbox cannot be its own descendant.');
    above = parent.parentId;
  }
  if (depth > mailLimits.maxMailboxDepth) {
    throw invalidProperty('parentId', `Mailboxes may be nested at most ${mailLimits.maxMailboxDepth} levels deep.`);
  }
};

/** @throws SetError invalidProperties for an unknown role, one of another mailbox, or a change of the inbox's role. */
const checkRole = (tree: Tree, record: MailboxRecord, before: MailboxRecord | undefined): void => {
  if (record.role === (before?.role ?? null)) return;
  if (before?.role === 'inbox') throw invalidProperty('role', 'The role of the inbox cannot be changed, because mail is delivered to it.');
  if (record.role === null) return;
  if (!(mailboxRoles as readonly string[]).includes(record.role)) throw invalidProperty('role', 'The role does not exist.');
  if (tree.all().some((other) => other.id !== record.id && other.role === record.role)) {
    throw invalidProperty('role', 'Another mailbox has this role.');
  }
};

/**
 * @throws SetError invalidProperties; alreadyExists when a mailbox with the same parent has the name (RFC 8621 §2.5).
 */
const checkMailbox = (tree: Tree, record: MailboxRecord, before: MailboxRecord | undefined): void => {
  checkName(record.name);
  checkParent(tree, record);
  checkRole(tree, record, before);
  const siblings = tree.all().filter((other) => other.id !== record.id && other.parentId === record.parentId);
  if (siblings.some(({ name }) => name === record.name)) {
    throw new SetError('alreadyExists', 'Another mailbox under the same parent has this name.');
  }
};

const isSameMailbox = (one: MailboxRecord, other: MailboxRecord) =>
  one.name === other.name && one.parentId === other.parentId && one.role === other.role
  && one.sortOrder === other.sortOrder && one.isSubscribed === other.isSubscribed;

/**
 * The changes of a Mailbox/set (RFC 8621 §2.5).
 * @param onDestroyRemoveEmails removes the Emails of a destroyed mailbox from it, and destroys those in no other
 * mailbox.
 * @param toMailbox adds the computed properties of a Mailbox.
 */
export const mailboxDraft = (
  view: AccountView,
  onDestroyRemoveEmails: boolean,
  toMailbox: (record: MailboxRecord) => JsonObject,
): AccountDraft => {
  const mailboxes = new Map(mailboxesOf(view).all().map((record) => [record.id, record]));
  const rows = new Map<string, EmailRow>();
  const destroyedEmails = new Set<string>();
  const tree: Tree = { get: (id) => mailboxes.get(id), all: () => [...mailboxes.values()] };
  const put = (record: MailboxRecord, before: MailboxRecord | undefined) => {
    checkMailbox(tree, record, before);
    mailboxes.set(record.id, record);
  };
  const emailsIn = (mailboxId: string) => [...emailsOf(view).query({ inMailbox: mailboxId }, [])]
    .map((emailId) => rows.get(emailId) ?? emailsOf(view).get(emailId)!)
    .filter((row) => !destroyedEmails.has(row.id));
  const removeFromMailbox = (emails: readonly EmailRow[], mailboxId: string) => {
    for (const row of emails) {
      const mailboxIds = row.mailboxIds.filter((id) => id !== mailboxId);
      if (mailboxIds.length > 0) rows.set(row.id, { ...row, mailboxIds });
      else destroyedEmails.add(row.id);
    }
  };

  return {
    current: (id) => {
      const record = mailboxes.get(id);
      return record && toMailbox(record);
    },
    create: (id, properties) =>
      put({ ...(properties as Omit<MailboxRecord, 'id'>), name: (properties['name'] as string).normalize('NFC'), id }, undefined),
    update: (id, changed) => {
      const before = mailboxes.get(id)!;
      const after = { ...before, ...changed };
      put({ ...after, name: after.name.normalize('NFC') }, before);
    },
    destroy: (id) => {
      if (mailboxes.get(id)!.role === 'inbox') {
        throw new SetError('forbidden', 'The inbox cannot be destroyed, because mail is delivered to it.');
      }
      if (childrenOf(tree, id).length > 0) throw new SetError('mailboxHasChild', 'The mailbox has child mailboxes.');
      const emails = emailsIn(id);
      if (emails.length > 0 && !onDestroyRemoveEmails) throw new SetError('mailboxHasEmail', 'The mailbox contains Emails.');
      removeFromMailbox(emails, id);
      mailboxes.delete(id);
    },
    commit: () => {
      const putMailboxes = [...mailboxes.values()].filter((record) => {
        const before = mailboxesOf(view).get(record.id);
        return !before || !isSameMailbox(before, record);
      });
      const destroyMailboxes = mailboxesOf(view).all().filter(({ id }) => !mailboxes.has(id)).map(({ id }) => id);
      if (putMailboxes.length + destroyMailboxes.length === 0) return undefined;
      return {
        records: {
          Mailbox: { put: putMailboxes, destroy: destroyMailboxes },
          Email: { put: [...rows.values()].filter(({ id }) => !destroyedEmails.has(id)), destroy: [...destroyedEmails] },
        },
      };
    },
  };
};

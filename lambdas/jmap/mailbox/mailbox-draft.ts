import { mailboxesOf } from '../../../core/mail/mailbox/mailbox-record.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { AccountView } from '../../../core/mail/mail-store.ts';
import type { EmailRow } from '../../../core/mail/email/email-record.ts';
import type { MailboxRecord } from '../../../core/mail/mailbox/mailbox-record.ts';
import { checkDestroyedMailbox, checkMailbox, type MailboxTree } from '../../../core/mail/mailbox/mailbox-rules.ts';
import type { AccountDraft } from '../verbs/behaviour.ts';

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
  const destroyedMailboxes: string[] = [];
  const tree: MailboxTree = { get: (id) => mailboxes.get(id), all: () => [...mailboxes.values()] };
  const put = (record: MailboxRecord, before: MailboxRecord | undefined) => {
    checkMailbox(tree, record, before);
    // A commit writes Mailboxes in this order, so that each of its transactions leaves a valid tree.
    if (mailboxesOf(view).has(record.id)) mailboxes.delete(record.id);
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
      const emails = emailsIn(id);
      checkDestroyedMailbox(tree, mailboxes.get(id)!, emails.length > 0 && !onDestroyRemoveEmails);
      removeFromMailbox(emails, id);
      mailboxes.delete(id);
      if (mailboxesOf(view).has(id)) destroyedMailboxes.push(id);
    },
    commit: () => {
      const putMailboxes = [...mailboxes.values()].filter((record) => {
        const before = mailboxesOf(view).get(record.id);
        return !before || !isSameMailbox(before, record);
      });
      if (putMailboxes.length + destroyedMailboxes.length === 0) return undefined;
      return {
        records: {
          Mailbox: { put: putMailboxes, destroy: destroyedMailboxes },
          Email: { put: [...rows.values()].filter(({ id }) => !destroyedEmails.has(id)), destroy: [...destroyedEmails] },
        },
      };
    },
  };
};

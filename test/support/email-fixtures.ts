import type { Commit } from '../../core/account-index/account-view.ts';
import type { EmailRow } from '../../core/mail/email/email-content.ts';
import type { DeliveredEmail } from '../../core/mail/email/email-store.ts';
import type { MailboxRecord } from '../../core/mail/mailbox/mailbox-record.ts';

/** An Email id like those of delivered mail: `M` and 22 characters that end with `name`. */
export const emailId = (name: string | number): string => `M${String(name).padStart(22, '0')}`;

type NewEmailOptions = Partial<Omit<DeliveredEmail, 'record'>> & { subject?: string; preview?: string };

/** A message to deliver; `id` is in its Email id and its Message-ID. */
export const newEmail = (id: string | number, more: NewEmailOptions = {}): DeliveredEmail => {
  const { subject = `Subject ${id}`, preview = `Preview of ${id}`, ...rest } = more;
  return {
    content: {
      id: emailId(id),
      blobId: `B${String(id).padStart(22, '0')}`,
      messageId: [`${id}@example.net`],
      from: [{ name: 'Ünal', email: 'sender@example.net' }],
      to: [{ name: null, email: 'alice@example.test' }],
      subject,
      sentAt: '2026-11-21T08:38:00+01:00',
      preview,
      hasAttachment: false,
      bodyStructure: {
        partId: '1',
        type: 'text/plain',
        charset: 'utf-8',
        encoding: 'quoted-printable',
        size: 990,
        headers: { start: 0, end: 200 },
        range: { start: 204, end: 1204 },
      },
    },
    keywords: [],
    mailboxRole: 'inbox',
    receivedAt: Date.UTC(2026, 10, 21, 8, 0) + (typeof id === 'number' ? id * 1000 : 0),
    sentAt: Date.UTC(2026, 10, 21, 7, 38),
    size: 1204,
    threadMessageIds: [`${id}@example.net`],
    baseSubject: subject,
    ...rest,
  };
};

export const withKeywords = (row: EmailRow, ...keywords: string[]): EmailRow => ({ ...row, keywords });

export const inMailboxes = (row: EmailRow, ...mailboxIds: string[]): EmailRow => ({ ...row, mailboxIds });

type MailChanges = {
  readonly updateEmails?: readonly EmailRow[];
  readonly destroyEmails?: readonly string[];
  readonly putMailboxes?: readonly MailboxRecord[];
  readonly destroyMailboxes?: readonly string[];
};

/** A commit of Emails and Mailboxes. */
export const mailCommit = ({ updateEmails, destroyEmails, putMailboxes, destroyMailboxes }: MailChanges): Commit => ({
  records: { Mailbox: { put: putMailboxes, destroy: destroyMailboxes }, Email: { put: updateEmails, destroy: destroyEmails } },
});

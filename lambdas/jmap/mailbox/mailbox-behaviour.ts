import { mailboxesOf } from '../../../core/mail/mailbox/mailbox-record.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { mailbox, mailboxCounters } from '../../../contract/jmap/mailbox.ts';
import type { AccountView } from '../../../core/mail/mail-store.ts';
import type { MailboxRecord } from '../../../core/mail/mailbox/mailbox-record.ts';
import type { BehaviourOf } from '../verbs/behaviour.ts';
import { selectedProperties } from '../verbs/plain-records.ts';
import { mailboxDraft } from './mailbox-draft.ts';
import { mailboxesInDefaultOrder, mailboxQuery } from './mailbox-query.ts';
import { mayChange, rightsOn } from './mailbox-rights.ts';

const noMail = { totalEmails: 0, unreadEmails: 0, totalThreads: 0, unreadThreads: 0 };

/** A Mailbox as clients see it: what is stored, what is counted, and what the caller may do (RFC 8621 §2). */
const mailboxProperties = (view: AccountView, record: MailboxRecord, mayWrite: boolean): JsonObject =>
  ({ ...record, ...(mailboxesOf(view).get(record.id) ? emailsOf(view).counters(record.id) : noMail), myRights: rightsOn(record, mayWrite) });

export const mailboxBehaviour: BehaviourOf<typeof mailbox> = {
  get: {
    records(_args, account, context) {
      const { view } = account;
      const mayWrite = mayChange(account, context);
      return {
        size: mailboxesOf(view).size,
        ids: () => mailboxesInDefaultOrder(view),
        has: (id) => mailboxesOf(view).has(id),
        read: (ids, properties) => ids.map((id) => selectedProperties(mailbox, mailboxProperties(view, mailboxesOf(view).get(id)!, mayWrite), properties)),
      };
    },
  },
  changes: {
    /** RFC 8621 §2.2 */
    further: ({ onlyComputed }) => ({ updatedProperties: onlyComputed ? mailboxCounters : null }),
  },
  query: mailboxQuery,
  set: {
    prepare: (_mentioned, { onDestroyRemoveEmails }, account, context) => Promise.resolve((view) =>
      mailboxDraft(view, onDestroyRemoveEmails, (record) => mailboxProperties(view, record, mayChange(account, context)))),
  },
};

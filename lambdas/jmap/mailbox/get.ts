import { mailboxesOf } from '../../../core/mail-types/mailbox/mailbox-record.ts';
import { emailsOf } from '../../../core/mail-types/email/email-type.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { mailbox, mailboxCounters } from '../../../contract/jmap/mailbox.ts';
import type { AccountView } from '../../../core/account-index/account-view.ts';
import { isSubscribedBy } from '../../../core/account-log/records/member-subscriptions.ts';
import type { MemberKey } from '../../../core/account-log/records/stored-type.ts';
import type { MailboxRecord } from '../../../core/mail-types/mailbox/mailbox-record.ts';
import type { BehaviourOf } from '../request/behaviour.ts';
import { selectedProperties } from '../request/plain-records.ts';
import { mailboxChangeSet } from './set.ts';
import { mailboxesInDefaultOrder, mailboxQuery } from './query.ts';
import { mayChangeMail, mailboxRightsFor } from './mailbox-rights.ts';

const zeroCounters = { totalEmails: 0, unreadEmails: 0, totalThreads: 0, unreadThreads: 0 };

/** All properties of a Mailbox, as the caller sees them: the stored ones, the counters and `myRights` (RFC 8621 §2). */
const toMailbox = (view: AccountView, record: MailboxRecord, member: MemberKey, mayWrite: boolean): JsonObject => {
  const { subscribers: _others, ...stored } = record;
  return {
    ...stored, isSubscribed: isSubscribedBy(record, member),
    ...(mailboxesOf(view).get(record.id) ? emailsOf(view).counters(record.id) : zeroCounters),
    myRights: mailboxRightsFor(record, mayWrite),
  };
};

export const mailboxBehaviour: BehaviourOf<typeof mailbox> = {
  get: {
    records(_args, account, context) {
      const { view, member } = account;
      const mayWrite = mayChangeMail(account, context);
      return {
        size: mailboxesOf(view).size,
        ids: () => mailboxesInDefaultOrder(view),
        has: (id) => mailboxesOf(view).has(id),
        read: (ids, properties) => ids.map((id) =>
          selectedProperties(mailbox, toMailbox(view, mailboxesOf(view).get(id)!, member, mayWrite), properties)),
      };
    },
  },
  changes: {
    /** The property `updatedProperties` (RFC 8621 §2.2). */
    additionalProperties: ({ onlyComputed }) => ({ updatedProperties: onlyComputed ? mailboxCounters : null }),
  },
  query: mailboxQuery,
  set: {
    prepareChangeSet: (_updatedProperties, { onDestroyRemoveEmails }, account, context) => Promise.resolve({
      beginChangeSet: (view) => mailboxChangeSet(
        view, onDestroyRemoveEmails, account.member, (record) => toMailbox(view, record, account.member, mayChangeMail(account, context)),
      ),
    }),
  },
};

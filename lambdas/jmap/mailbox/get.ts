import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { mailbox } from '../../../contract/jmap/mailbox.ts';
import type { AccountView } from '../../../core/account-index/account-view.ts';
import { isSubscribedBy } from '../../../core/account-log/records/member-subscriptions.ts';
import type { MemberKey } from '../../../core/account-log/records/stored-type.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { mailboxesOf, type MailboxRecord } from '../../../core/mail/mailbox/mailbox-record.ts';
import type { BehaviourOf } from '../request/behaviour.ts';
import { selectedProperties } from '../request/plain-records.ts';
import { mailboxRightsFor, mayChangeMail } from './mailbox-rights.ts';
import { mailboxesInDefaultOrder } from './query.ts';

const zeroCounters = { totalEmails: 0, unreadEmails: 0, totalThreads: 0, unreadThreads: 0 };

/** All properties of a Mailbox, as the caller sees them: the stored ones, the counters and `myRights` (RFC 8621 §2). */
export const toMailbox = (view: AccountView, record: MailboxRecord, member: MemberKey, mayWrite: boolean): JsonObject => {
  const { subscribers: _others, ...stored } = record;
  return {
    ...stored,
    isSubscribed: isSubscribedBy(record, member),
    ...(mailboxesOf(view).get(record.id) ? emailsOf(view).counters(record.id) : zeroCounters),
    myRights: mailboxRightsFor(record, mayWrite),
  };
};

/** Mailbox/get (RFC 8621 §2.1). */
export const mailboxGet: BehaviourOf<typeof mailbox>['get'] = {
  records(_args, account, context) {
    const { view, member } = account;
    const mayWrite = mayChangeMail(account, context);
    return {
      size: mailboxesOf(view).size,
      ids: () => mailboxesInDefaultOrder(view),
      has: (id) => mailboxesOf(view).has(id),
      read: (ids, properties) => ids.map((id) => selectedProperties(mailbox, toMailbox(view, mailboxesOf(view).get(id)!, member, mayWrite), properties)),
    };
  },
};

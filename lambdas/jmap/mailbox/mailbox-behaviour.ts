import { mailboxesOf } from '../../../core/mail/mailbox/mailbox-record.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { mailbox, mailboxCounters } from '../../../contract/jmap/mailbox.ts';
import type { AccountView } from '../../../core/mail/mail-store.ts';
import type { MailboxRecord } from '../../../core/mail/mailbox/mailbox-record.ts';
import type { OpenAccount, RequestContext } from '../request-context.ts';
import type { BehaviourOf } from '../verbs/behaviour.ts';
import { mailboxDraft } from './mailbox-draft.ts';
import { mailboxesInUsualOrder, mailboxQuery } from './mailbox-query.ts';
import { mayChange, rightsOn } from './mailbox-rights.ts';

const noMail = { totalEmails: 0, unreadEmails: 0, totalThreads: 0, unreadThreads: 0 };

/** A Mailbox as clients see it: what is stored, what is counted, and what the caller may do (RFC 8621 §2). */
const shown = (view: AccountView, record: MailboxRecord, mayWrite: boolean): JsonObject =>
  ({ ...record, ...(mailboxesOf(view).get(record.id) ? emailsOf(view).counters(record.id) : noMail), myRights: rightsOn(record, mayWrite) });

const read = (ids: readonly string[], properties: ReadonlySet<string>, account: OpenAccount, context: RequestContext) => ids.map((id) => {
  const record = shown(account.view, mailboxesOf(account.view).get(id)!, mayChange(account, context));
  return Object.fromEntries(Object.keys(mailbox.properties).filter((name) => properties.has(name)).map((name) => [name, record[name]]));
});

export const mailboxBehaviour: BehaviourOf<typeof mailbox> = {
  get: {
    count: (view) => mailboxesOf(view).all().length,
    ids: mailboxesInUsualOrder,
    has: (view, id) => mailboxesOf(view).get(id) !== undefined,
    read: (ids, properties, _args, account, context) => Promise.resolve(read(ids, properties, account, context)),
  },
  changes: {
    /** RFC 8621 §2.2 */
    further: ({ onlyComputed }) => ({ updatedProperties: onlyComputed ? mailboxCounters : null }),
  },
  query: mailboxQuery,
  set: {
    prepare: (_mentioned, { onDestroyRemoveEmails }, account, context) => Promise.resolve((view) =>
      mailboxDraft(view, onDestroyRemoveEmails, (record) => shown(view, record, mayChange(account, context)))),
  },
};

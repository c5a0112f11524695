import { restoredMailboxName } from '../../contract/deployment/deleted-mail.ts';
import type { QuotaAmounts } from '../../contract/jmap/quota.ts';
import type { AccountView, Commit } from '../account-index/account-view.ts';
import { PartlyCommitted, RecordRefused } from '../account-log/records/record-refused.ts';
import type { Indexes } from '../account-log/records/stored-type.ts';
import { baseSubject } from '../mime/base-subject.ts';
import { threadMessageIds } from '../mime/message-ids.ts';
import { FailedPrecondition, NotFound } from '../runtime/domain-errors.ts';
import { listDestroyedEmails, type DestroyedEmailReader, type DestructionPeriod } from './destroyed-email-list.ts';
import type { NewEmail } from './email/email-store.ts';
import { emailsOf } from './email/email-type.ts';
import { readRecoverableEmails, type RecoverableEmail } from './email/recoverable-email.ts';
import type { MailStore } from './mail-store/mail-store.ts';
import { mailboxesOf, type MailboxRecord } from './mailbox/mailbox-record.ts';
import { QuotaRoom } from './quota/account-quota.ts';

export type RestoreDependencies = DestroyedEmailReader & {
  readonly store: Pick<MailStore, 'open' | 'commit'>;
  readonly quotaDefaults: QuotaAmounts;
  /** Returns the Id of a new Mailbox. */
  readonly newId: () => string;
};

/** The Emails to restore: by id, or all Emails that were destroyed in a period. */
export type EmailsToRestore = { readonly emailIds: readonly string[] } | DestructionPeriod;

/** The outcome of a call. `isComplete` is false when the time ended before all Emails were restored. */
export type Restoration = { readonly restored: number; readonly isComplete: boolean };

/** Maximum Emails of one commit. Each takes at most three writes, unless its references were removed meanwhile. */
const restoredAtOnce = 30;
/** Maximum attempts for one group of Emails, when other requests also restore or purge them. */
const maxTries = 5;

/**
 * Restores destroyed Emails with their ids, keywords and dates, into their former Mailboxes, or into the Mailbox
 * "Restored" when none of these exists. Each group of Emails is one commit. Emails that another call has restored or
 * purged are omitted. After an interrupted call, the next call restores the rest.
 * @throws NotFound when the account does not exist; FailedPrecondition when its quota has no room.
 */
export const restoreEmails = async (dependencies: RestoreDependencies, accountId: string, wanted: EmailsToRestore, deadline: Date): Promise<Restoration> => {
  const { table, store, clock } = dependencies;
  let view = await store.open(accountId);
  if (!view) throw new NotFound('account');
  let restored = 0;
  for await (const emailIds of 'emailIds' in wanted ? groupsOf(wanted.emailIds) : groupsInPeriod(dependencies, accountId, wanted)) {
    if (clock() > deadline) return { restored, isComplete: false };
    const before = restored;
    for (let tries = 1; ; tries++) {
      let emails = await readRecoverableEmails(table, accountId, emailIds, clock());
      let planned = 0;
      const readAgain = async () => {
        emails = await readRecoverableEmails(table, accountId, emailIds, clock());
      };
      const plan = (newest: AccountView): Commit | undefined => {
        const commit = planRestoration(dependencies, newest, emails, before);
        planned = commit?.records['Email']?.create?.length ?? 0;
        return commit && { ...commit, readAgain };
      };
      try {
        view = await store.commit(view, plan);
        restored += planned;
        break;
      } catch (error) {
        // Some Emails of the group were restored. The next try reads the remaining ones.
        if (!(error instanceof PartlyCommitted) || tries === maxTries) throw error;
        view = (await store.open(accountId)) ?? view;
        restored += emails.filter(({ id }) => emailsOf(view!).has(id)).length;
      }
    }
  }
  return { restored, isComplete: true };
};

function* groupsOf(emailIds: readonly string[]): Generator<readonly string[]> {
  const distinct = [...new Set(emailIds)];
  for (let from = 0; from < distinct.length; from += restoredAtOnce) yield distinct.slice(from, from + restoredAtOnce);
}

async function* groupsInPeriod(dependencies: DestroyedEmailReader, accountId: string, period: DestructionPeriod): AsyncGenerator<readonly string[]> {
  let position: string | undefined;
  do {
    const { items, next } = await listDestroyedEmails(dependencies, accountId, period, position, restoredAtOnce);
    if (items.length > 0) yield items.map(({ id }) => id);
    position = next;
  } while (position !== undefined);
}

/**
 * Plans a restoration.
 * @param restored the number of Emails that the call has restored so far, for the error message.
 */
const planRestoration = (
  { quotaDefaults, newId }: RestoreDependencies,
  account: AccountView,
  emails: readonly RecoverableEmail[],
  restored: number,
): Commit | undefined => {
  const missing = emails.filter(({ id }) => !emailsOf(account).has(id));
  if (missing.length === 0) return undefined;
  checkQuota(account, quotaDefaults, missing, restored);
  const exists = (mailboxId: string): boolean => mailboxesOf(account).has(mailboxId);
  const homeless = missing.some(({ row }) => !row.mailboxIds.some(exists));
  const fallback = homeless ? restoredMailbox(account, newId) : undefined;
  const create = missing.map((email): NewEmail => {
    const mailboxIds = email.row.mailboxIds.filter(exists);
    return emailToRestore(email, mailboxIds.length > 0 ? mailboxIds : [fallback!.id]);
  });
  return { records: { Email: { create }, ...(fallback && !exists(fallback.id) && { Mailbox: { put: [fallback] } }) } };
};

const checkQuota = (account: Indexes, defaults: QuotaAmounts, emails: readonly RecoverableEmail[], restored: number): void => {
  const room = new QuotaRoom(account, defaults);
  try {
    for (const { row } of emails) room.take(row.size);
  } catch (error) {
    if (!(error instanceof RecordRefused)) throw error;
    throw new FailedPrecondition(
      `the account has no room for the Emails; ${restored} were restored. Raise its quota by UpdateAccount, or restore fewer Emails`,
    );
  }
};

/** The Mailbox for Emails whose former Mailboxes no longer exist. */
const restoredMailbox = (account: Indexes, newId: () => string): MailboxRecord => {
  const found = mailboxesOf(account)
    .all()
    .find(({ name, parentId }) => name === restoredMailboxName && parentId === null);
  return found ?? { id: `F${newId()}`, name: restoredMailboxName, parentId: null, role: null, sortOrder: 0, isSubscribed: true };
};

const emailToRestore = ({ row, content, destruction, recoverableUntil }: RecoverableEmail, mailboxIds: readonly string[]): NewEmail => ({
  content,
  keywords: row.keywords,
  receivedAt: row.receivedAt,
  ...(row.sentAt !== undefined && { sentAt: row.sentAt }),
  size: row.size,
  threadMessageIds: threadMessageIds(content),
  baseSubject: baseSubject(content.subject ?? ''),
  mailboxIds,
  restored: { threadId: row.threadId, destruction, recoverableUntil },
});

import { checkHead } from '../account-log/head-writes.ts';
import { decodeHead } from '../account-log/head.ts';
import { headKey } from '../account-log/keys.ts';
import { emailKey } from '../mail/email/email-content.ts';
import type { DeliveredEmail, DeliveryOutcome, DeliveryResult } from '../mail/email/email-store.ts';
import { KnownThreads, newEmailRow } from '../mail/email/email-threads.ts';
import { destroyedFromBeginning } from '../mail/email/recoverable-email.ts';
import type { Clock } from '../runtime/clock.ts';
import { retryOnConflict } from '../storage/retry-on-conflict.ts';
import { findItemIn, type Table } from '../storage/table.ts';
import { dueRetention } from './ended-retention.ts';

export type KeepDependencies = {
  readonly mailTable: Table;
  readonly clock: Clock;
  /** Seconds for which destroyed Emails can be restored; 0: they can't. */
  readonly recoverableSeconds: number;
};

type KeptResult = { readonly outcome: DeliveryOutcome } & Pick<DeliveryResult, 'vacation'>;

/** Minimum seconds for which a forwarded message is kept: an address outside may still bounce it. */
const minSeconds = 86_400;

/** The names of lists of destroyed Emails end with the number of a commit. These Emails have no commit, so that a random one keeps the names apart. */
const randomNumber = (): number => Math.floor(Math.random() * 1e12);

/**
 * Keeps a message that an account has forwarded without a copy: as a destroyed Email, which can be restored, is in no Mailbox
 * and does not count for the quota. The outcome is `duplicate` when the account has or had the Email.
 */
export const keepForwarded = (accountId: string, email: DeliveredEmail, { mailTable, clock, recoverableSeconds }: KeepDependencies): Promise<KeptResult> =>
  retryOnConflict(async () => {
    const find = findItemIn(await mailTable.batchGet([headKey(accountId), emailKey(accountId, email.content.id)]));
    const item = find(headKey(accountId));
    if (!item) return { outcome: 'unknown-account' };
    const { vacation, roles } = decodeHead(item);
    if (find(emailKey(accountId, email.content.id))) return { outcome: 'duplicate', vacation: vacation ?? undefined };
    const { threadId } = new KnownThreads([]).add([], email.content.id);
    const row = newEmailRow(email, threadId, [roles['inbox'] ?? '']);
    const context = { now: clock(), sequence: randomNumber(), recoverableSeconds: Math.max(recoverableSeconds, minSeconds) };
    await mailTable.write([
      checkHead(accountId),
      ...destroyedFromBeginning(accountId, row, email.content, context),
      dueRetention(accountId, Math.floor(context.now.getTime() / 1000) + context.recoverableSeconds),
    ]);
    return { outcome: 'delivered', vacation: vacation ?? undefined };
  });

import { mailKeys, mailPartitions } from '../../contract/deployment/keys.ts';
import { decodeDestruction, deletedDestruction, destructionsOf, type Destruction } from '../mail/email/recoverable-email.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Queue } from '../runtime/lambda/queue.ts';
import type { Item, Table, Write } from '../storage/table.ts';
import { removalDelay, type DestroyedEmails } from './destroyed-emails.ts';

/**
 * The partition that lists accounts with destroyed Emails, by the hour in which the first of these Emails can no longer
 * be restored.
 */
const duePartition = mailPartitions.destroyedMailDue;

const hour = 3600;

/**
 * The write that makes the sweep read an account. There is one item for each account and hour, for any number of Emails
 * whose retention ends in that hour.
 * @param recoverableUntil seconds since 1970 until which the Emails can be restored.
 */
export const dueRetention = (accountId: string, recoverableUntil: number): Write => {
  const due = Math.ceil((recoverableUntil + removalDelay) / hour) * hour;
  return { put: mailKeys.destroyedMailDue(new Date(due * 1000).toISOString(), accountId) };
};

export type EndedRetentionDependencies = {
  readonly table: Table;
  /** The queue of the mail-cleanup Lambda. */
  readonly removals: Queue;
  readonly clock: Clock;
};

/** Maximum items of one query. */
const itemsAtOnce = 200;
/** Maximum Emails in one message of the queue: one BatchGet of their records. */
const emailsInMessage = 100;

/**
 * Enqueues the removal of Emails that can no longer be restored, in all accounts. The run may be interrupted and
 * repeated: a list of Emails is deleted after the Emails are in the queue, and an account's due item after its lists.
 * @returns the number of enqueued Emails.
 */
export const enqueueEndedRetention = async (dependencies: EndedRetentionDependencies): Promise<number> => {
  const { table, clock } = dependencies;
  let enqueued = 0;
  for (;;) {
    const due = await table.query({ pk: duePartition, before: clock().toISOString(), limit: itemsAtOnce });
    for (const item of due) {
      enqueued += await enqueueEnded(dependencies, accountOfDue(item));
      await table.write([{ delete: { pk: item.pk, sk: item.sk } }]);
    }
    if (due.length < itemsAtOnce) return enqueued;
  }
};

const accountOfDue = ({ sk }: Item): string => sk.slice(sk.indexOf('#') + 1);

const enqueueEnded = async ({ table, removals, clock }: EndedRetentionDependencies, accountId: string): Promise<number> => {
  let enqueued = 0;
  const enqueue = async (ended: readonly Destruction[]): Promise<void> => {
    const emailIds = ended.flatMap((destruction) => destruction.emailIds);
    await removals.send({ accountId, emailIds } satisfies DestroyedEmails);
    for (const destruction of ended) await table.write([deletedDestruction(accountId, destruction)]);
    enqueued += emailIds.length;
  };
  for (let after: string | undefined; ;) {
    const items = await table.query({ pk: destructionsOf(accountId), after, limit: itemsAtOnce });
    const ended = items.map(decodeDestruction).filter((each) => each.recoverableUntil + removalDelay <= clock().getTime() / 1000);
    for (const group of groupedByEmails(ended)) await enqueue(group);
    if (items.length < itemsAtOnce) return enqueued;
    after = items.at(-1)!.sk;
  }
};

/** Groups destructions so that each group fits into one queue message. */
const groupedByEmails = (destructions: readonly Destruction[]): readonly (readonly Destruction[])[] => {
  const groups: Destruction[][] = [];
  let emails = Infinity;
  for (const destruction of destructions) {
    emails += destruction.emailIds.length;
    if (emails > emailsInMessage) {
      groups.push([]);
      emails = destruction.emailIds.length;
    }
    groups.at(-1)!.push(destruction);
  }
  return groups;
};

import { decodeDestruction, deletedDestruction, destructionsOf, purgedTombstone, readRecoverableEmails } from '../mail/email/recoverable-email.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Queue } from '../runtime/lambda/queue.ts';
import { mapConcurrently } from '../runtime/map-concurrently.ts';
import { tryWrite } from '../storage/retry-on-conflict.ts';
import type { Table } from '../storage/table.ts';
import { removalDelay, type DestroyedEmails } from './destroyed-emails.ts';

export type PurgeDependencies = {
  readonly table: Table;
  /** The queue of the mail-cleanup Lambda. */
  readonly removals: Queue;
  readonly clock: Clock;
};

/** The outcome of a call. `isComplete` is false when the time ended before all Emails were purged. */
export type Purge = { readonly purged: number; readonly isComplete: boolean };

/** Maximum Emails that are purged together: one message of the queue. */
const purgedAtOnce = 100;
/** Maximum concurrent writes. */
const writesAtOnce = 10;
/** Maximum items of destroyed Emails that one query reads. Each item lists the Emails of one commit. */
const destructionsAtOnce = 25;

/**
 * Ends the time in which destroyed Emails can be restored, and enqueues their removal, which runs a quarter of an hour
 * later. Of a concurrent purge and restoration, the first written one wins. After an interrupted call, the next call
 * purges the rest.
 * @param emailIds empty: all destroyed Emails of the account.
 */
export const purgeDestroyedEmails = async (dependencies: PurgeDependencies, accountId: string, emailIds: readonly string[], deadline: Date): Promise<Purge> => {
  const { table, clock } = dependencies;
  let purged = 0;
  for (let from = 0; from < emailIds.length; from += purgedAtOnce) {
    if (clock() > deadline) return { purged, isComplete: false };
    purged += await purgeSome(dependencies, accountId, emailIds.slice(from, from + purgedAtOnce));
  }
  if (emailIds.length > 0) return { purged, isComplete: true };
  for (let after: string | undefined; ;) {
    const items = await table.query({ pk: destructionsOf(accountId), after, limit: destructionsAtOnce });
    for (const destruction of items.map(decodeDestruction)) {
      if (clock() > deadline) return { purged, isComplete: false };
      purged += await purgeSome(dependencies, accountId, destruction.emailIds);
      // The destruction is deleted last: until then the next call, or the sweep, finds Emails that were purged but are
      // not in the queue.
      await table.write([deletedDestruction(accountId, destruction)]);
    }
    if (items.length < destructionsAtOnce) return { purged, isComplete: true };
    after = items.at(-1)!.sk;
  }
};

const purgeSome = async ({ table, removals, clock }: PurgeDependencies, accountId: string, emailIds: readonly string[]): Promise<number> => {
  const emails = await readRecoverableEmails(table, accountId, emailIds, clock());
  const purged = await mapConcurrently(emails, (email) => tryWrite(table, [purgedTombstone(accountId, email, clock())]), { atOnce: writesAtOnce });
  // These include Emails that an interrupted call purged. Emails that exist are ignored.
  await removals.send({ accountId, emailIds } satisfies DestroyedEmails, removalDelay);
  return purged.filter(Boolean).length;
};

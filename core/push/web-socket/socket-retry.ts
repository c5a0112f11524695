import { secondsNow, type Clock } from '../../runtime/clock.ts';
import type { Queue } from '../../runtime/lambda/queue.ts';
import { WriteRefused, type Table } from '../../storage/table.ts';
import type { AccountChange } from '../listeners/account-states.ts';
import { setNotifiedUpTo } from '../listeners/listener-record.ts';
import { socketListenerKey, type SocketListener, type SocketListenerReference } from '../listeners/socket-listener.ts';
import type { NotificationOutcome } from './socket-notification.ts';

/**
 * A message of the push-delivery queue: notify a socket of all states that are new when the message is handled. So the
 * stream does not wait for slow sockets.
 */
export type SocketRetry = SocketListenerReference & {
  /** The number of the retry, from 1. */
  readonly attempt: number;
  /** The outcome of the previous attempt. A socket that is silent twice in a row is closed. */
  readonly after: UnsentOutcome;
};

/** The outcomes that lead to a retry. */
type UnsentOutcome = Extract<NotificationOutcome, 'silent' | 'refused'>;

/**
 * Seconds before the first retry, and maximum seconds before a later one, without the random addition. Each wait is
 * twice as long as the previous one. Retries end with the connection, which lasts at most two hours.
 */
export const socketRetryWaits = { first: 2, longest: 60 } as const;

type SocketRetryDependencies = {
  readonly mail: Table;
  readonly queue: Queue;
  readonly clock: Clock;
  /** A random number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
};

/** Whether a retry is queued for a later time. The retry sends all new states, so nothing is sent before it. */
export const waitsForRetry = ({ retryAt }: SocketListener, clock: Clock): boolean => retryAt !== undefined && retryAt > secondsNow(clock);

/**
 * For a listener that receives only `subscribe` frames, stores positions for the accounts of which it was never
 * notified. Such a listener is notified only of changes during its subscription, and a retry does not know where the
 * batch began.
 */
export const storeBatchStarts = async (table: Table, listener: SocketListener, changes: readonly AccountChange[]): Promise<void> => {
  if (listener.dataTypes !== undefined) return;
  const starts = changes.filter(
    ({ account: { accountId } }) =>
      !listener.notifiedUpTo.has(accountId) && listener.subscriptions.some((subscription) => subscription.accountId === accountId),
  );
  if (starts.length === 0) return;
  await setNotifiedUpTo(table, socketListenerKey(listener), new Map(starts.map(({ account, after }) => [account.accountId, after])));
};

/**
 * Queues a retry and stores its time. The message is sent first: a crash in between causes one more notification, and
 * loses none. The random addition to the wait spreads the retries of sockets that were throttled together.
 */
export const scheduleSocketRetry = async (
  { mail, queue, clock, random }: SocketRetryDependencies,
  { principalId, connectionId }: SocketListenerReference,
  { attempt, after }: Pick<SocketRetry, 'attempt' | 'after'>,
): Promise<void> => {
  const wait = Math.min(socketRetryWaits.longest, socketRetryWaits.first * 2 ** (attempt - 1));
  const delay = wait + Math.floor(random() * (wait + 1));
  // The message waits one second more, because clocks differ.
  await queue.send({ principalId, connectionId, attempt, after } satisfies SocketRetry, delay + 1);
  try {
    const retryAt = secondsNow(clock) + delay;
    await mail.write([{ update: socketListenerKey({ principalId, connectionId }), set: { retryAt }, if: { present: true } }]);
  } catch (error) {
    if (!(error instanceof WriteRefused)) throw error;
  }
};

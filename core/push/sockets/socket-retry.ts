import { secondsNow, type Clock } from '../../runtime/clock.ts';
import type { Queue } from '../../runtime/lambda/queue.ts';
import { WriteRefused, type Table } from '../../storage/table.ts';
import type { AccountChange } from '../listeners/account-changes.ts';
import { setNotifiedUpTo } from '../listeners/listener-record.ts';
import { socketListenerKey, type SocketListener, type SocketListenerReference } from '../listeners/socket-listener.ts';
import type { NotificationOutcome } from './socket-notification.ts';

/**
 * A message in the queue of the push-delivery Lambda: to notify a socket again of everything that is new then. The
 * stream waits for no socket.
 */
export type SocketRetry = SocketListenerReference & {
  /** 1 for the first retry. */
  readonly attempt: number;
  /** The outcome before. A socket that is silent twice in a row is closed. */
  readonly after: UnsentOutcome;
};

/** The outcomes that lead to a retry. */
type UnsentOutcome = Extract<NotificationOutcome, 'silent' | 'refused'>;

/**
 * Seconds before the first retry, and maximum seconds before a later one, without the random part. Each wait is twice
 * as long as the previous one. Retries end with the connection, after two hours at most.
 */
export const socketRetryWaits = { first: 2, longest: 60 } as const;

export type SocketRetryDependencies = {
  readonly mail: Table;
  readonly queue: Queue;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
};

/** Whether a retry is in the queue for a later time. It sends everything that is new, so nothing else is sent before. */
export const waitsForRetry = ({ retryAt }: SocketListener, clock: Clock): boolean => retryAt !== undefined && retryAt > secondsNow(clock);

/**
 * Stores the positions of a listener that receives `subscribe` frames only, for the accounts of which it was never
 * notified. It is notified of changes during its subscription only, and a retry does not know the batch.
 */
export const storeBatchStarts = async (table: Table, listener: SocketListener, changes: readonly AccountChange[]): Promise<void> => {
  if (listener.dataTypes !== undefined) return;
  const starts = changes.filter(({ account: { accountId } }) =>
    !listener.notifiedUpTo.has(accountId) && listener.subscriptions.some((subscription) => subscription.accountId === accountId));
  if (starts.length === 0) return;
  await setNotifiedUpTo(table, socketListenerKey(listener), new Map(starts.map(({ account, after }) => [account.accountId, after])));
};

/**
 * Queues a retry and stores its time. The message is sent first: a crash in between causes one more notification, and
 * loses none. A random wait keeps sockets that were throttled together from coming back together.
 */
export const scheduleSocketRetry = async (
  { mail, queue, clock, random }: SocketRetryDependencies, { principalId, connectionId }: SocketListenerReference,
  { attempt, after }: Pick<SocketRetry, 'attempt' | 'after'>,
): Promise<void> => {
  const wait = Math.min(socketRetryWaits.longest, socketRetryWaits.first * 2 ** (attempt - 1));
  const delay = wait + Math.floor(random() * (wait + 1));
  // One second more, for clocks that differ.
  await queue.send({ principalId, connectionId, attempt, after } satisfies SocketRetry, delay + 1);
  try {
    const retryAt = secondsNow(clock) + delay;
    await mail.write([{ update: socketListenerKey({ principalId, connectionId }), set: { retryAt }, if: { present: true } }]);
  } catch (error) {
    if (!(error instanceof WriteRefused)) throw error;
  }
};

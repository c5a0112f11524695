import { webSocketSubscriptionLimits } from '../../../contract/jmap/core.ts';
import { conflict, retryOnConflict } from '../../storage/retry-on-conflict.ts';
import { WriteRefused, type Table, type Write } from '../../storage/table.ts';
import { encodeNotifiedUpTo, type NotifiedUpTo } from '../listeners/listener-record.ts';
import { decodeSocketListener, socketListenerKey, type SocketListenerReference, type SocketSubscription } from '../listeners/socket-listener.ts';
import { webSocketConnectionKey } from './web-socket-connections.ts';

/**
 * The outcome of a write. `conditionFailed`: the item is not in the required state. {@link conflict}: another
 * transaction held the item.
 */
type WriteOutcome = 'done' | 'conditionFailed' | 'closed' | typeof conflict;

/** @param connectionCheck index, in the transaction, of the check that the connection is open. */
const outcomeOf = async (writing: Promise<void>, connectionCheck?: number): Promise<WriteOutcome> => {
  try {
    await writing;
    return 'done';
  } catch (error) {
    if (!(error instanceof WriteRefused)) throw error;
    if (connectionCheck !== undefined && error.failed.includes(connectionCheck)) return 'closed';
    return error.contended ? conflict : 'conditionFailed';
  }
};

/** Writes only while the connection is open, so that no listener remains after it. */
const writeWhileOpen = (table: Table, { connectionId }: SocketListenerReference, write: Write): Promise<WriteOutcome> =>
  outcomeOf(table.write([{ check: webSocketConnectionKey(connectionId), if: { present: true } }, write]), 0);

/**
 * Enables push by StateChange frames (RFC 8887 §4.3.5.2).
 * @param dataTypes null for all.
 * @param notifiedUpTo the client's position.
 * @returns false when the connection is closed.
 */
export const enableSocketPush = async (
  table: Table,
  listener: SocketListenerReference,
  dataTypes: readonly string[] | null,
  notifiedUpTo: NotifiedUpTo,
): Promise<boolean> =>
  (await retryOnConflict(() =>
    writeWhileOpen(table, listener, { update: socketListenerKey(listener), set: { dataTypes, ...encodeNotifiedUpTo(notifiedUpTo) }, if: { present: true } }),
  )) === 'done';

/** Disables push by StateChange frames (RFC 8887 §4.3.5.3). Subscriptions by `subscribe` frames are kept. */
export const disableSocketPush = async (table: Table, listener: SocketListenerReference): Promise<void> => {
  await retryOnConflict(() => outcomeOf(table.write([{ update: socketListenerKey(listener), remove: ['dataTypes'], if: { present: true } }])));
};

/** Reads the subscriptions and writes the changed ones. It starts again when a concurrent change was written first. */
const changeSubscriptions = <Refusal extends string>(
  table: Table,
  listener: SocketListenerReference,
  change: (current: readonly SocketSubscription[]) => readonly SocketSubscription[] | Refusal,
): Promise<'done' | 'closed' | Refusal> =>
  retryOnConflict(async () => {
    const item = await table.get(socketListenerKey(listener));
    if (!item) return 'closed';
    const { subscriptions, revision } = decodeSocketListener(listener.principalId, item);
    const changed = change(subscriptions);
    if (typeof changed === 'string') return changed;
    const outcome = await writeWhileOpen(table, listener, {
      update: socketListenerKey(listener),
      set: { subscriptions: changed },
      add: { revision: 1 },
      if: revision === undefined ? { lacks: 'revision' } : { equals: { revision } },
    });
    return outcome === 'conditionFailed' ? conflict : outcome;
  });

/** Adds a subscription, or replaces the one with the same id. */
export const addSocketSubscription = (
  table: Table,
  listener: SocketListenerReference,
  subscription: SocketSubscription,
): Promise<'done' | 'closed' | 'tooMany'> =>
  changeSubscriptions<'tooMany'>(table, listener, (current) => {
    const others = current.filter(({ id }) => id !== subscription.id);
    return others.length < webSocketSubscriptionLimits.maxSubscriptions ? [...others, subscription] : 'tooMany';
  });

/** Removes a subscription. The outcome is `done` also when there is no such subscription. */
export const removeSocketSubscription = (table: Table, listener: SocketListenerReference, id: string): Promise<'done' | 'closed'> =>
  changeSubscriptions<never>(table, listener, (current) => current.filter((subscription) => subscription.id !== id));

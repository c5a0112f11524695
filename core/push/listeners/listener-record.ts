import { mailKeys } from '../../../contract/deployment/keys.ts';
import { rowOf, WriteRefused, type Item, type Key, type Table } from '../../storage/table.ts';

/** Sequence number of the last commit of which a client was notified, by account id. */
export type NotifiedUpTo = ReadonlyMap<string, number>;

export const socketListenerPrefix = 'socket#';
export const pushSubscriptionPrefix = 'subscription#';
export const eventSourcePrefix = 'event-source#';

/** @param name the listener's name within the partition of its principal, with the prefix of its kind. */
export const listenerKey = mailKeys.listener;

type NotifiedRow = { readonly told: Readonly<Record<string, number>> };

export const decodeNotifiedUpTo = (listener: Item): NotifiedUpTo => new Map(Object.entries(rowOf<NotifiedRow>(listener).told));

/** Encodes the positions as the attribute that {@link decodeNotifiedUpTo} reads. */
export const encodeNotifiedUpTo = (notifiedUpTo: NotifiedUpTo): NotifiedRow => ({ told: Object.fromEntries(notifiedUpTo) });

/**
 * Stores the commits up to which a listener was notified. Call it after sending: a crash in between repeats a
 * notification and never loses one. Entries of other accounts are kept. Nothing is written when the listener was
 * removed. When another transaction holds the listener, the entry does not change, and the client is notified again.
 */
export const setNotifiedUpTo = async (table: Table, listener: Key, notifiedUpTo: NotifiedUpTo): Promise<void> => {
  try {
    await table.write([{ update: listener, merge: encodeNotifiedUpTo(notifiedUpTo), if: { present: true } }]);
  } catch (error) {
    if (!(error instanceof WriteRefused)) throw error;
  }
};

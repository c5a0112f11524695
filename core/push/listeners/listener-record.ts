import { WriteRefused, type Item, type Key, type Table } from '../../storage/table.ts';

/**
 * Last commit that a client was notified of, by account id: the account's sequence number. Accounts that the client was
 * never notified of have no entry.
 */
export type NotifiedUpTo = ReadonlyMap<string, number>;

/**
 * All listeners of a principal (open WebSockets, PushSubscriptions and clients of the event source) are in one partition of the mail table, so that
 * one query finds them.
 */
export const listenerPartition = (principalId: string): string => `push#${principalId}`;

export const socketListenerPrefix = 'socket#';
export const pushSubscriptionPrefix = 'subscription#';
export const eventSourcePrefix = 'event-source#';

/** @param name of the listener within its principal's partition, with the prefix of its kind. */
export const listenerKey = (principalId: string, name: string): Key => ({ pk: listenerPartition(principalId), sk: name });

export const decodeNotifiedUpTo = (listener: Item): NotifiedUpTo => new Map(Object.entries(listener['told'] as Record<string, number>));

/** The stored attribute of {@link decodeNotifiedUpTo}. */
export const encodeNotifiedUpTo = (notifiedUpTo: NotifiedUpTo): { readonly told: Readonly<Record<string, number>> } =>
  ({ told: Object.fromEntries(notifiedUpTo) });

/**
 * Stores how far a listener was notified. Call it after sending: a crash in between repeats a notification and never
 * loses one. Entries of other accounts stay. Does nothing when the listener was removed. When another transaction holds
 * the listener, the entry stays as it was and the client is notified again.
 */
export const setNotifiedUpTo = async (table: Table, listener: Key, notifiedUpTo: NotifiedUpTo): Promise<void> => {
  try {
    await table.write([{ update: listener, merge: encodeNotifiedUpTo(notifiedUpTo), if: { present: true } }]);
  } catch (error) {
    if (!(error instanceof WriteRefused)) throw error;
  }
};

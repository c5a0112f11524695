import type { Key, Table, Write } from '../storage/table.ts';
import { retryOnConflict, tryWrite } from '../storage/retry-on-conflict.ts';

/**
 * A name (an address, a domain) is taken before or while the thing that bears it is made at the provider, and is `ready` with the
 * transaction that completes it. Whoever finds it `creating` goes on with the same id, so the next call repairs what a crash left half made,
 * and of two calls at once the transaction of one wins. A name whose bearer is being removed is as taken as one that is ready.
 */
export type Reservation = { readonly id: string; readonly isReady: boolean };

/** Takes the name for `id`, or finds who has taken it. */
export const reserve = (table: Table, key: Key, idAttribute: string, id: string): Promise<Reservation> => retryOnConflict(async () => {
  if (await tryWrite(table, [{ put: { ...key, [idAttribute]: id, state: 'creating' }, if: { absent: true } }])) return { id, isReady: false };
  const taken = await table.get(key);
  return taken ? { id: taken[idAttribute] as string, isReady: taken['state'] !== 'creating' } : reserve(table, key, idAttribute, id);
});

/** A reservation, made while its bearer is. @returns the outcome of the latter as a question: its failure is told after that of the reservation. */
export const reserveWhileCreating = async <T>(reserving: Promise<Reservation>, making: Promise<T>): Promise<readonly [Reservation, () => Promise<T>]> => {
  const [reservation, made] = await Promise.allSettled([reserving, making]);
  if (reservation.status === 'rejected') throw reservation.reason;
  return [reservation.value, async () => {
    if (made.status === 'rejected') throw made.reason;
    return made.value;
  }];
};

/** The write that makes a reserved name ready; it holds only while the name is reserved for `id`. */
export const readyWrite = (key: Key, idAttribute: string, id: string, more: { readonly [attribute: string]: string | boolean } = {}): Write =>
  ({ update: key, set: { ...more, state: 'ready' }, if: { equals: { [idAttribute]: id, state: 'creating' } } });

/** Gives back a name that can't be made into anything; nothing once it is ready. */
export const release = async (table: Table, key: Key, idAttribute: string, id: string): Promise<void> => {
  await tryWrite(table, [{ delete: key, if: { equals: { [idAttribute]: id, state: 'creating' } } }]);
};

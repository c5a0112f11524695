import { conflict, retryOnConflict, tryWrite } from '../storage/retry-on-conflict.ts';
import { rowOf, type Key, type Table, type Write } from '../storage/table.ts';

/**
 * The reservation of a unique name (an address, a domain). The name is reserved with the state `creating`, before or
 * while its entity is created at a provider. The transaction that completes the entity sets the state to `ready`. A
 * call that finds the state `creating` continues with the same id. So the next call repairs an interrupted one, and one
 * of two concurrent calls completes the entity. The name stays reserved while its entity is being removed.
 */
export type Reservation = { readonly id: string; readonly isReady: boolean };

/** The attribute of a reserved item with the id. */
type IdAttribute = 'domain_id' | 'identity_id' | 'user_id';

/** Reserves the name for `id`, or finds the existing reservation. */
export const reserve = (table: Table, key: Key, idAttribute: IdAttribute, id: string): Promise<Reservation> =>
  retryOnConflict(async () => {
    const isReserved = await tryWrite(table, [{ put: { ...key, [idAttribute]: id, state: 'creating' }, if: { absent: true } }]);
    if (isReserved) return { id, isReady: false };
    const existing = await table.get(key);
    if (!existing) return conflict;
    const row = rowOf<{ readonly [Name in IdAttribute | 'state']: string }>(existing);
    return { id: row[idAttribute], isReady: row.state !== 'creating' };
  });

/**
 * Waits for a reservation and for the creation of its entity, which run concurrently.
 * @returns the reservation, and a function that returns the created entity or throws the creation's failure.
 * @throws the failure of the reservation.
 */
export const reserveWhileCreating = async <T>(reserving: Promise<Reservation>, creating: Promise<T>): Promise<readonly [Reservation, () => Promise<T>]> => {
  const [reservation, created] = await Promise.allSettled([reserving, creating]);
  if (reservation.status === 'rejected') throw reservation.reason;
  return [
    reservation.value,
    async () => {
      if (created.status === 'rejected') throw created.reason;
      return created.value;
    },
  ];
};

/** The write that makes a reserved name ready. It fails unless the name is reserved for `id`. */
export const readyWrite = (key: Key, idAttribute: IdAttribute, id: string, attributes: { readonly [attribute: string]: string | boolean } = {}): Write => ({
  update: key,
  set: { ...attributes, state: 'ready' },
  if: { equals: { [idAttribute]: id, state: 'creating' } },
});

/** Releases a reserved name whose entity can't be created. It does nothing if the entity is complete. */
export const release = async (table: Table, key: Key, idAttribute: IdAttribute, id: string): Promise<void> => {
  await tryWrite(table, [{ delete: key, if: { equals: { [idAttribute]: id, state: 'creating' } } }]);
};

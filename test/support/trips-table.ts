import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Table } from '../../lambdas/store/table.ts';

/** A table that counts trips: calls that are under way at the same time are one, since they wait for each other's answers no longer than for their own. */
export const tripsTable = (table: Table): Table & { readonly trips: { count: number } } => {
  const trips = { count: 0 };
  let underWay = 0;
  const travel = async <T>(call: () => Promise<T>): Promise<T> => {
    if (underWay++ === 0) trips.count++;
    await nextTurn();
    try {
      return await call();
    } finally {
      underWay--;
    }
  };
  return {
    trips,
    get: (key) => travel(() => table.get(key)),
    batchGet: (keys) => travel(() => table.batchGet(keys)),
    query: (query) => travel(() => table.query(query)),
    write: (writes) => travel(() => table.write(writes)),
  };
};

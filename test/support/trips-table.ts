import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Table } from '../../lambdas/store/table.ts';

type Port = { readonly [method: string]: unknown };

/**
 * Counts trips to AWS: calls that are under way at the same time are one, since they wait for each other's answers no longer than for their own.
 * What is watched by one meter shares its count.
 */
export const tripsMeter = () => {
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
    table: (table: Table): Table => ({
      place: table.place,
      get: (key) => travel(() => table.get(key)),
      batchGet: (keys) => travel(() => table.batchGet(keys)),
      query: (query) => travel(() => table.query(query)),
      write: (writes) => travel(() => table.write(writes)),
    }),
    /** Has the methods of a provider's port counted from now on. @param inSeries calls that the adapter makes one after the other, where that is not one. */
    watch(port: object, inSeries: { readonly [method: string]: number } = {}): void {
      const methods = port as { [method: string]: unknown };
      for (const [name, method] of Object.entries(port as Port)) {
        if (typeof method !== 'function') continue;
        methods[name] = async (...given: unknown[]) => {
          for (let more = 1; more < (inSeries[name] ?? 1); more++) await travel(async () => undefined);
          return travel(async () => method.apply(port, given) as unknown);
        };
      }
    },
  };
};

/** A table that counts the trips to it alone. */
export const tripsTable = (table: Table): Table & { readonly trips: { count: number } } => {
  const meter = tripsMeter();
  return { ...meter.table(table), trips: meter.trips };
};

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Table } from '../../core/storage/table.ts';
import { tableBy } from './table-by.ts';

/**
 * Counts trips to AWS: the longest chain of calls of which each began after one before had ended. Those side by side wait for each other no longer than for
 * their own answers. What is watched by one meter shares its count.
 */
export const tripsMeter = () => {
  const trips = { count: 0 };
  let ended = 0;
  const travel = async <T>(call: () => Promise<T>): Promise<T> => {
    const place = ended + 1;
    trips.count = Math.max(trips.count, place);
    await nextTurn();
    try {
      return await call();
    } finally {
      ended = Math.max(ended, place);
    }
  };
  return {
    trips,
    table: (table: Table): Table => tableBy(table, travel),
    /** Has the methods of a provider's port counted from now on. @param inSeries calls that the adapter makes one after the other, where that is not one. */
    watch(port: object, inSeries: { readonly [method: string]: number } = {}): void {
      const methods = port as { [method: string]: unknown };
      for (const [name, method] of Object.entries(methods)) {
        if (typeof method !== 'function') continue;
        methods[name] = async (...given: unknown[]) => {
          for (let more = 1; more < (inSeries[name] ?? 1); more++) await travel(async () => undefined);
          return travel(async () => method.apply(port, given) as unknown);
        };
      }
    },
  };
};

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Table } from '../../core/storage/table.ts';
import { wrappedTable } from './wrapped-table.ts';

/**
 * Counts sequential round trips to AWS: the longest chain of calls in which each call starts after the previous one
 * ended. Concurrent calls count as one. The tables and ports of one meter share its count.
 */
export const roundTripMeter = () => {
  const roundTrips = { count: 0 };
  let ended = 0;
  const measure = async <T>(call: () => Promise<T>): Promise<T> => {
    const position = ended + 1;
    roundTrips.count = Math.max(roundTrips.count, position);
    await nextTurn();
    try {
      return await call();
    } finally {
      ended = Math.max(ended, position);
    }
  };
  return {
    roundTrips,
    table: (table: Table): Table => wrappedTable(table, measure),
    /**
     * Measures the methods of a provider's port from this call on.
     * @param inSeries the number of sequential calls that the adapter makes for a method, if more than one.
     */
    watch(port: object, inSeries: { readonly [method: string]: number } = {}): void {
      const methods = port as { [method: string]: unknown };
      for (const [name, method] of Object.entries(methods)) {
        if (typeof method !== 'function') continue;
        methods[name] = async (...given: unknown[]) => {
          for (let calls = 1; calls < (inSeries[name] ?? 1); calls++) await measure(async () => undefined);
          return measure(async () => method.apply(port, given) as unknown);
        };
      }
    },
  };
};

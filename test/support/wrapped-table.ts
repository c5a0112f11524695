import type { Table } from '../../core/storage/table.ts';

/** A table that makes all calls through `wrap`, which decides when, and whether, it makes a call. */
export const wrappedTable = (table: Table, wrap: <T>(call: () => Promise<T>) => Promise<T>): Table => ({
  reference: table.reference,
  get: (key) => wrap(() => table.get(key)),
  batchGet: (keys) => wrap(() => table.batchGet(keys)),
  query: (query) => wrap(() => table.query(query)),
  write: (writes) => wrap(() => table.write(writes)),
});

import type { Table } from '../../core/storage/table.ts';

/** A table each of whose calls is made by way of `by`. */
export const tableBy = (table: Table, by: <T>(call: () => Promise<T>) => Promise<T>): Table => ({
  place: table.place,
  get: (key) => by(() => table.get(key)),
  batchGet: (keys) => by(() => table.batchGet(keys)),
  query: (query) => by(() => table.query(query)),
  write: (writes) => by(() => table.write(writes)),
});

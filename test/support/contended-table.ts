import { setTimeout as delay } from 'node:timers/promises';
import { WriteRefused, type Key, type Table, type Write } from '../../core/storage/table.ts';
import { wrappedTable } from './wrapped-table.ts';

const keyOf = (write: Write): Key => ('put' in write ? write.put : 'update' in write ? write.update : 'delete' in write ? write.delete : write.check);

/**
 * A table with the latencies of DynamoDB, in milliseconds. A transaction locks its items while it runs. Another write
 * to one of them is refused as contended.
 */
export const contendedTable = (table: Table, latency = { read: 3, write: 8 }): Table => {
  const held = new Set<string>();
  const read = async <T>(call: () => Promise<T>): Promise<T> => {
    await delay(latency.read);
    return call();
  };
  return {
    ...wrappedTable(table, read),
    async write(writes) {
      const items = writes.map((write) => JSON.stringify([keyOf(write).pk, keyOf(write).sk]));
      await delay(latency.write / 2);
      if (items.some((item) => held.has(item))) throw new WriteRefused([], true);
      for (const item of items) held.add(item);
      try {
        await delay(latency.write / 2);
        await table.write(writes);
      } finally {
        for (const item of items) held.delete(item);
      }
    },
  };
};

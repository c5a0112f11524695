import type { Key, Table } from '../storage/table.ts';
import { headKey, logPartition, partitionOf } from './keys.ts';
import type { StoredTypes } from './stored-type.ts';
import { storedTypes } from './stored-types.ts';

/** Deletes an account's mail from the table, a limited number of items at a time. */
export type MailRemoval = {
  /**
   * Removes up to `most` items of the account, its head first: from then on the account does not exist, for readers and writers alike.
   * @returns how many were removed; 0 when nothing remains.
   */
  removeSome(accountId: string, most: number): Promise<number>;
};

/** Items that are removed side by side. */
const concurrentDeletes = 50;

export const mailRemovalIn = (table: Table, types: StoredTypes = storedTypes): MailRemoval => {
  const partitions = [logPartition, ...[...types.values()].flatMap(({ records }) => (records ? [records.partition, ...records.otherPartitions ?? []] : []))];
  const remove = async (keys: readonly Key[]): Promise<void> => {
    for (let first = 0; first < keys.length; first += concurrentDeletes) {
      await Promise.all(keys.slice(first, first + concurrentDeletes).map(({ pk, sk }) => table.write([{ delete: { pk, sk } }])));
    }
  };
  return {
    async removeSome(accountId, most) {
      const head = await table.get(headKey(accountId));
      if (head) await remove([head]);
      let removed = Number(head !== undefined);
      for (const partition of partitions) {
        while (removed < most) {
          const items = await table.query({ pk: partitionOf(accountId, partition), limit: Math.min(concurrentDeletes, most - removed) });
          await remove(items);
          removed += items.length;
          if (items.length === 0) break;
        }
      }
      return removed;
    },
  };
};

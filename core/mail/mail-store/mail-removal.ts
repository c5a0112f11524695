import { accountPartitions, partitionOf } from '../../../contract/deployment/keys.ts';
import { headKey } from '../../account-log/keys.ts';
import { partitionsOfTypes, type StoredTypes } from '../../account-log/records/stored-type.ts';
import { mapConcurrently } from '../../runtime/map-concurrently.ts';
import type { Key, Table } from '../../storage/table.ts';
import { storedTypes } from './stored-types.ts';

/** Deletes an account's mail from the table, a limited number of items at a time. */
export type MailRemoval = {
  /**
   * Deletes up to `maxItems` items of the account, its head first. For readers and writers an account without a head
   * does not exist.
   * @returns the number of deleted items; 0 when none remains.
   */
  removeSome(accountId: string, maxItems: number): Promise<number>;
};

/** Maximum concurrent deletes. */
const concurrentDeletes = 50;

export const mailRemovalIn = (table: Table, types: StoredTypes = storedTypes): MailRemoval => {
  const partitions = new Set([...partitionsOfTypes(types.values()), ...Object.values(accountPartitions)]);
  const remove = (keys: readonly Key[]): Promise<unknown> =>
    mapConcurrently(keys, ({ pk, sk }) => table.write([{ delete: { pk, sk } }]), { atOnce: concurrentDeletes });
  return {
    async removeSome(accountId, maxItems) {
      const head = await table.get(headKey(accountId));
      if (head) await remove([head]);
      let removed = Number(head !== undefined);
      for (const partition of partitions) {
        while (removed < maxItems) {
          const items = await table.query({ pk: partitionOf(accountId, partition), limit: Math.min(concurrentDeletes, maxItems - removed) });
          await remove(items);
          removed += items.length;
          if (items.length === 0) break;
        }
      }
      return removed;
    },
  };
};

import type { Key, Table } from '../storage/table.ts';
import { headKey, kinds, partitionOf } from './keys.ts';

/** Takes an account's mail away, as much at a time as one asks for. */
export type MailRemoval = {
  /**
   * Removes up to `most` items of the account, its head first: from then on there is no such account, for readers and writers alike.
   * @returns how many were removed; 0 when nothing is left.
   */
  removeSome(accountId: string, most: number): Promise<number>;
};

/** Items removed side by side. */
const atOnce = 50;

export const mailRemovalIn = (table: Table): MailRemoval => {
  const remove = async (keys: readonly Key[]): Promise<void> => {
    for (let first = 0; first < keys.length; first += atOnce) {
      await Promise.all(keys.slice(first, first + atOnce).map(({ pk, sk }) => table.write([{ delete: { pk, sk } }])));
    }
  };
  return {
    async removeSome(accountId, most) {
      const head = await table.get(headKey(accountId));
      if (head) await remove([head]);
      let removed = Number(head !== undefined);
      for (const kind of kinds) {
        while (removed < most) {
          const items = await table.query({ pk: partitionOf(accountId, kind), limit: Math.min(atOnce, most - removed) });
          await remove(items);
          removed += items.length;
          if (items.length === 0) break;
        }
      }
      return removed;
    },
  };
};

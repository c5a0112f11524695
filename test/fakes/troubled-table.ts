import { WriteRefused, type Item, type Query, type Table, type Write } from '../../core/storage/table.ts';

/**
 * What befalls one write: nothing; another transaction holds an item; the answer is lost and the write has happened, or has not, or
 * happens later; the Lambda dies just before or just after.
 */
export type Trouble = 'none' | 'contended' | 'lost after' | 'lost before' | 'late' | 'dies before' | 'dies after';

/** The Lambda that made the call is no more. */
export class Died extends Error {
  override readonly name = 'Died';
}

/** No answer came; the write may have happened. */
export class LostConnection extends Error {
  override readonly name = 'LostConnection';
}

/** Items that a query reads at a time. */
const bitLength = 6;

/** Lets others go first. */
export type Yield = () => Promise<void>;

/**
 * One Lambda's way to a table that others use too: it waits its turn at every step, queries and batches are read bit by bit (no snapshot: what comes later may be newer),
 * and writes meet trouble.
 * @param trouble is asked once a write.
 */
export const troubledTable = (table: Table, yieldTurn: Yield, trouble: () => Trouble): Table & { readonly isDead: () => boolean } => {
  let dead = false;
  const step = async () => {
    await yieldTurn();
    if (dead) throw new Died();
  };
  const die = () => {
    dead = true;
    return new Died();
  };
  const bitByBit = async (query: Query): Promise<Item[]> => {
    const items: Item[] = [];
    for (let after = query.after; items.length < (query.limit ?? Infinity);) {
      await step();
      const bit = await table.query({ ...query, ...(after !== undefined && { after }), limit: Math.min(bitLength, (query.limit ?? Infinity) - items.length) });
      if (bit.length === 0) break;
      await step();
      for (const item of bit) items.push(await table.get(item) ?? item);
      after = bit.at(-1)!.sk;
    }
    return items;
  };
  const happens = (writes: readonly Write[]) => table.write(writes).catch((error: unknown) => {
    if (!(error instanceof WriteRefused)) throw error;
  });

  return {
    place: table.place,
    isDead: () => dead,
    async get(key) {
      await step();
      return table.get(key);
    },
    async batchGet(keys) {
      const items: Item[] = [];
      for (const key of keys.toReversed()) {
        await step();
        const item = await table.get(key);
        if (item) items.push(item);
      }
      return items;
    },
    query: bitByBit,
    async write(writes) {
      await step();
      switch (trouble()) {
        case 'contended': throw new WriteRefused([], true);
        case 'lost before': throw new LostConnection();
        case 'dies before': throw die();
        case 'lost after':
          await happens(writes);
          throw new LostConnection();
        case 'dies after':
          await happens(writes);
          throw die();
        case 'late':
          void (async () => {
            for (let turns = 0; turns < 5; turns++) await yieldTurn();
            await happens(writes);
          })();
          throw new LostConnection();
        case 'none': return table.write(writes);
      }
    },
  };
};

import { WriteRefused, type Item, type Query, type Table, type Write } from '../../core/storage/table.ts';

/**
 * The fault of one write:
 * - `contended`: another transaction holds an item;
 * - `refused`: the condition of an item other than the head is refused, although no other commit was made;
 * - `lost before`, `lost after`, `late`: the response is lost, and the write is not made, is made, or is made later;
 * - `crash before`, `crash after`: the Lambda crashes before or after the write.
 */
export type Fault = 'none' | 'contended' | 'refused' | 'lost after' | 'lost before' | 'late' | 'crash before' | 'crash after';

/** Thrown for every call of a Lambda that has crashed. */
export class LambdaCrashed extends Error {
  override readonly name = 'LambdaCrashed';
}

/** Thrown for a call whose response is lost. The write may have been made. */
export class LostConnection extends Error {
  override readonly name = 'LostConnection';
  /** The error code of Node.js. */
  readonly code = 'ECONNRESET';
}

/** Number of items that a query reads together. */
const pageLength = 6;

/** Number of turns for which a `late` write waits. */
const lateTurns = 5;

/** Lets the other simulated Lambdas run. */
export type YieldTurn = () => Promise<void>;

/** A simulated Lambda. After a crash, every call to its table, its objects and its queues fails. */
export type LambdaProcess = { hasCrashed: boolean };

/** Waits for the Lambda's turn. @throws LambdaCrashed when it has crashed. */
export const takeTurn = async (lambda: LambdaProcess, yieldTurn: YieldTurn): Promise<void> => {
  await yieldTurn();
  if (lambda.hasCrashed) throw new LambdaCrashed();
};

type FaultyWrite = {
  readonly lambda: LambdaProcess;
  readonly yieldTurn: YieldTurn;
  readonly fault: Fault;
  /** The index of the write whose condition a `refused` transaction reports as failed. */
  readonly refused?: number | undefined;
  /** Makes the write. Its refusal is thrown when the response arrives. */
  readonly write: () => Promise<void>;
  /** Makes the write after the caller has stopped waiting for its response. */
  readonly writeUnheard?: () => Promise<void>;
};

/** Makes a write with its fault. @throws LambdaCrashed, LostConnection */
export const writeWithFault = async ({ lambda, yieldTurn, fault, refused = 0, write, writeUnheard = write }: FaultyWrite): Promise<void> => {
  const crash = () => {
    lambda.hasCrashed = true;
    return new LambdaCrashed();
  };
  switch (fault) {
    case 'contended':
      throw new WriteRefused([], true);
    case 'refused':
      throw new WriteRefused([refused], false);
    case 'lost before':
      throw new LostConnection();
    case 'crash before':
      throw crash();
    case 'lost after':
      await writeUnheard();
      throw new LostConnection();
    case 'crash after':
      await writeUnheard();
      throw crash();
    case 'late':
      void (async () => {
        for (let turns = 0; turns < lateTurns; turns++) await yieldTurn();
        await writeUnheard();
      })();
      throw new LostConnection();
    case 'none':
      return write();
  }
};

/** The index of the transaction's first condition on an item of its own table, except for the head (the first item). */
export const ownConditionOf = (writes: readonly Write[]): number | undefined => {
  const index = writes.findIndex(({ if: condition, inTable }, position) => position > 0 && condition !== undefined && inTable === undefined);
  return index < 0 ? undefined : index;
};

/**
 * One Lambda's access to a table that others write at the same time. Every step waits for its turn. A query reads a few
 * items at a time, and does not read one state: later items may be newer than earlier ones. Each write has a fault.
 * @param nextFault is called once for each write. `refused` is only for writes with a condition of their own.
 */
export const faultyTable = (
  table: Table,
  yieldTurn: YieldTurn,
  nextFault: (writes: readonly Write[]) => Fault | Promise<Fault>,
  lambda: LambdaProcess = { hasCrashed: false },
): Table & { readonly hasCrashed: () => boolean } => {
  const step = () => takeTurn(lambda, yieldTurn);
  const queryInPages = async (query: Query): Promise<Item[]> => {
    const items: Item[] = [];
    const limit = query.limit ?? Infinity;
    const further = query.descending ? 'before' : 'after';
    for (let last = query[further]; items.length < limit;) {
      await step();
      const page = await table.query({ ...query, ...(last !== undefined && { [further]: last }), limit: Math.min(pageLength, limit - items.length) });
      if (page.length === 0) break;
      await step();
      for (const item of page) items.push((await table.get(item)) ?? item);
      last = page.at(-1)!.sk;
    }
    return items;
  };
  const writeIfConditionsHold = (writes: readonly Write[]) =>
    table.write(writes).catch((error: unknown) => {
      if (!(error instanceof WriteRefused)) throw error;
    });

  return {
    reference: table.reference,
    hasCrashed: () => lambda.hasCrashed,
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
    query: queryInPages,
    async write(writes) {
      await step();
      await writeWithFault({
        lambda,
        yieldTurn,
        fault: await nextFault(writes),
        refused: ownConditionOf(writes),
        write: () => table.write(writes),
        writeUnheard: () => writeIfConditionsHold(writes),
      });
    },
  };
};

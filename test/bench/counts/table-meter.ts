import { keyOf } from '../../../core/storage/dynamodb/dynamodb-expressions.ts';
import type { Objects } from '../../../core/storage/objects.ts';
import type { Item, Table, TableReference } from '../../../core/storage/table.ts';
import { itemSize, pageSize, readUnits, writeUnits } from './dynamodb-units.ts';

/** One call to a table: start and end in steps of the meter's clock, and its round trips. */
type Call = { readonly began: number; readonly ended: number; readonly trips: number };

/** The DynamoDB usage of an operation. */
export type TableUsage = {
  /**
   * Serial round trips: the longest chain of calls in which each starts after the one before has ended. Reads of watched
   * objects are among them.
   */
  readonly trips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
};

const longestChain = (calls: readonly Call[]): number => {
  const chains: number[] = [];
  for (const [i, call] of calls.entries()) {
    const before = calls.slice(0, i).map((earlier, j) => (earlier.ended < call.began ? chains[j]! : 0));
    chains.push(call.trips + Math.max(0, ...before));
  }
  return Math.max(0, ...chains);
};

/**
 * Measures the calls to the watched tables. Units are computed from the items' sizes by DynamoDB's rules, because an
 * emulator does not report them. Trips are counted, not timed.
 */
export class TableMeter {
  #clock = 0;
  #calls: Call[] = [];
  #readUnits = 0;
  #writeUnits = 0;
  /** The watched tables, so that writes to another table can be counted. */
  readonly #tables = new Map<TableReference, Table>();

  /** The usage of `act`. */
  async measure(act: () => Promise<unknown>): Promise<TableUsage> {
    this.#calls = [];
    this.#readUnits = 0;
    this.#writeUnits = 0;
    await act();
    return { trips: longestChain(this.#calls.toSorted((a, b) => a.began - b.began)), readUnits: this.#readUnits, writeUnits: this.#writeUnits };
  }

  watch(table: Table): Table {
    this.#tables.set(table.reference, table);
    return {
      reference: table.reference,
      get: (key) =>
        this.#counted(async () => {
          const item = await table.get(key);
          this.#readUnits += readUnits(item ? itemSize(item) : 0);
          return { answer: item };
        }),
      batchGet: (keys) =>
        this.#counted(async () => {
          const items = await table.batchGet(keys);
          const distinct = new Set(keys.map(({ pk, sk }) => `${pk} ${sk}`)).size;
          this.#readUnits += items.reduce((sum, item) => sum + readUnits(itemSize(item)), distinct - items.length);
          return { answer: items };
        }),
      query: (query) =>
        this.#counted(async () => {
          const items = await table.query(query);
          const octets = items.reduce((sum, item) => sum + itemSize(item), 0);
          this.#readUnits += readUnits(octets);
          return { answer: items, trips: Math.max(1, Math.ceil(octets / pageSize)) };
        }),
      write: (writes) =>
        this.#counted(async () => {
          const stored = () => Promise.all(writes.map(async (write) => this.#tables.get(write.inTable ?? table.reference)?.get(keyOf(write))));
          const before = await stored();
          await table.write(writes);
          const after = await stored();
          for (const i of writes.keys()) {
            this.#writeUnits += writeUnits(
              Math.max(sizeOf(before[i]), sizeOf(after[i]), sizeOf('put' in writes[i]! ? writes[i].put : undefined)),
              writes.length > 1,
            );
          }
          return { answer: undefined };
        }),
    };
  }

  /** Counts the reads of a bucket as trips. */
  watchReads(objects: Pick<Objects, 'get'>): Pick<Objects, 'get'> {
    return { get: (key, range) => this.#counted(async () => ({ answer: await objects.get(key, range) })) };
  }

  async #counted<T>(call: () => Promise<{ answer: T; trips?: number }>): Promise<T> {
    const began = ++this.#clock;
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    const { answer, trips = 1 } = await call();
    this.#calls.push({ began, ended: ++this.#clock, trips });
    return answer;
  }
}

const sizeOf = (item: Item | undefined): number => (item ? itemSize(item) : 0);

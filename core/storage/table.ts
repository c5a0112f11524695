/**
 * The port to a DynamoDB table with the keys `pk` and `sk`. Every read is strongly consistent. One adapter talks to DynamoDB
 * (`dynamodb-table.ts`); the one in `test/fakes/` passes the same contract suite (`test/port-suites/table-suite.ts`).
 */
export type Key = { readonly pk: string; readonly sk: string };
export type Value = string | number | boolean | null | Uint8Array | readonly Value[] | { readonly [name: string]: Value | undefined };
/** An item; an attribute that is undefined is not stored. */
export type Item = Key & { readonly [name: string]: Value | undefined };

/** What an item says besides its keys. What it was put there as, its reader knows: nothing is checked. */
export const contentOf = ({ pk: _pk, sk: _sk, ...content }: Item): unknown => content;

/** Which table it is: a write names one when it is for another table than the one it is given to. Wrappers of a table hand on the very object. */
export type Place = { readonly name: string };

/** What must hold for a write to happen. `equals` implies that the item is there; `{ lacks }` holds when the item is absent too. */
export type Condition =
  | { readonly absent: true }
  | { readonly present: true }
  | { readonly equals: { readonly [attribute: string]: string | number | boolean } }
  | { readonly lacks: string };

/**
 * One write. `merge` sets entries of attributes that are maps and leaves their other entries alone; the maps must be there. `if` as a list holds when any of its conditions
 * does; `in` is the table of the item, without one the table that is asked to write.
 */
export type Write = (
  | { readonly put: Item }
  | Update
  | { readonly delete: Key }
  | { readonly check: Key }
) & { readonly if?: Condition | readonly Condition[]; readonly in?: Place };

export type Update = {
  readonly update: Key;
  readonly set?: { readonly [attribute: string]: Value };
  readonly merge?: { readonly [attribute: string]: { readonly [entry: string]: Value } };
  readonly remove?: readonly string[];
  readonly add?: { readonly [attribute: string]: number };
};

export type Query = {
  readonly pk: string;
  /** Only sort keys after this one (exclusive). */
  readonly after?: string;
  /** Only sort keys before this one (exclusive); not together with `after` or `prefix`. */
  readonly before?: string;
  /** Only sort keys that begin so. Not together with `after`, unless `after` begins so too. */
  readonly prefix?: string;
  readonly descending?: boolean;
  /** Items at most; without one, everything that matches, over as many pages as it takes. */
  readonly limit?: number;
};

export type Table = {
  readonly place: Place;
  get(key: Key): Promise<Item | undefined>;
  /** Any number of keys, 100 a request, the requests side by side; absent ones are left out; order is not kept. */
  batchGet(keys: readonly Key[]): Promise<Item[]>;
  query(query: Query): Promise<Item[]>;
  /**
   * All of it or nothing: one write is a single call, two to 100 are one transaction, also when they are for several tables.
   * @throws WriteRefused when a condition does not hold, or when another transaction held one of the items (`contended`).
   */
  write(writes: readonly Write[]): Promise<void>;
};

/** A write that did not happen because of what is stored: nothing was changed. */
export class WriteRefused extends Error {
  override readonly name = 'WriteRefused';
  /** Indexes into the writes whose condition did not hold. */
  readonly failed: readonly number[];
  /** Another transaction was at work on one of the items: trying again is right. */
  readonly contended: boolean;
  constructor(failed: readonly number[], contended: boolean) {
    super(contended ? 'another write was at work on the same items' : `a condition did not hold (write ${failed.join(', ')})`);
    this.failed = failed;
    this.contended = contended;
  }
}

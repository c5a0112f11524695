/**
 * The port to a DynamoDB table with the keys `pk` and `sk`. Every read is strongly consistent. The adapter for DynamoDB
 * is `dynamodb-table.ts`; the one in `test/fakes/` passes the same port suite (`test/port-suites/table-suite.ts`).
 */
export type Key = { readonly pk: string; readonly sk: string };
export type Value = string | number | boolean | null | Uint8Array | readonly Value[] | { readonly [name: string]: Value | undefined };
/** An item. Undefined attributes are not stored. */
export type Item = Key & { readonly [name: string]: Value | undefined };

/** The item of a stored object. Its attributes are not checked, and none replaces the key. */
export const itemOf = (key: Key, content: object): Item => ({ ...content, ...key });

/** The attributes of an item, with the type of what is written under its key. They are not checked. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/no-unnecessary-type-parameters -- what is read under a key is what this code wrote there
export const rowOf = <Row>(attributes: { readonly [name: string]: Value | undefined }): Row => attributes as Row;

/** As {@link rowOf}, without the keys. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- see rowOf
export const contentOf = <Row>({ pk: _pk, sk: _sk, ...content }: Item): Row => rowOf(content);

/**
 * Identifies a table in a write that is passed to another table's `write`. A wrapper has the reference of the wrapped
 * table.
 */
export type TableReference = { readonly name: string };

/**
 * The condition of a write. `equals` and `below` require the item to exist; `lacks` is also true for an absent item.
 * `equals`: an undefined value requires that the item lacks the attribute. `below`: each attribute is a number less
 * than the given one.
 */
export type Condition =
  | { readonly absent: true }
  | { readonly present: true }
  | { readonly equals: { readonly [attribute: string]: string | number | boolean | undefined } }
  | { readonly below: { readonly [attribute: string]: number } }
  | { readonly lacks: string };

/**
 * One write. `merge` sets entries of map attributes and keeps the other entries; the maps must exist. A list in `if` is
 * true when any of its conditions is true. `inTable` is the table of the item; the default is the table of the `write`
 * call.
 */
export type Write = ({ readonly put: Item } | Update | { readonly delete: Key } | { readonly check: Key }) & {
  readonly if?: Condition | readonly Condition[];
  readonly inTable?: TableReference;
  /** What `write` throws when the condition does not hold, for a condition that another attempt cannot meet. */
  readonly refusal?: Error;
};

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
  /** Only sort keys with this prefix. If `after` is set, it must have the prefix too. */
  readonly prefix?: string;
  readonly descending?: boolean;
  /** Maximum number of items. Without it, all matching items are read, over as many pages as it takes. */
  readonly limit?: number;
};

export type Table = {
  readonly reference: TableReference;
  get(key: Key): Promise<Item | undefined>;
  /**
   * Reads any number of keys, each once, 100 in each of several concurrent requests. Absent items are left out; the
   * order is undefined.
   */
  batchGet(keys: readonly Key[]): Promise<Item[]>;
  query(query: Query): Promise<Item[]>;
  /**
   * Makes all of the writes or none. One write is a single call; two to 100 are one transaction, also over several
   * tables.
   * @throws WriteRefused if a condition does not hold, or if another transaction holds one of the items (`contended`); the
   * `refusal` of a write whose condition does not hold.
   */
  write(writes: readonly Write[]): Promise<void>;
};

/** Thrown when a condition of a write does not hold. Nothing was changed. */
export class WriteRefused extends Error {
  override readonly name = 'WriteRefused';
  /** Indexes of the writes whose condition did not hold. */
  readonly failed: readonly number[];
  /** Whether another transaction held one of the items, so that the same write may succeed when it is repeated. */
  readonly contended: boolean;
  constructor(failed: readonly number[], contended: boolean) {
    super(contended ? 'another transaction holds one of the items' : `a condition did not hold (write ${failed.join(', ')})`);
    this.failed = failed;
    this.contended = contended;
  }
}

/** The error of writes of which some were refused. @param failed indexes of the writes whose condition did not hold. */
export const refusalOf = (writes: readonly Write[], failed: readonly number[], contended: boolean): Error =>
  failed.map((index) => writes[index]?.refusal).find((refusal) => refusal !== undefined) ?? new WriteRefused(failed, contended);

/** Finds an item among those that were read together. @returns undefined when the item did not exist. */
export type FindItem = (key: Key) => Item | undefined;

/** A {@link FindItem} in items of one read, such as a BatchGet. */
export const findItemIn = (items: readonly Item[]): FindItem => {
  const byKey = new Map(items.map((item) => [`${item.pk} ${item.sk}`, item]));
  return ({ pk, sk }) => byKey.get(`${pk} ${sk}`);
};

import { refusalOf, type Condition, type Item, type Key, type TableReference, type Table, type Value, type Write } from '../../core/storage/table.ts';

type Partition = { readonly items: Map<string, Item>; /** The sorted keys. Undefined until the next query sorts them. */ keys?: string[] };

type Partitions = Map<string, Partition>;

/** The contents of all tables in memory, because a write of one table can write into another. */
const contents = new WeakMap<TableReference, Partitions>();

const contentsOf = (reference: TableReference): Partitions => {
  const partitions = contents.get(reference);
  if (!partitions) throw new Error('the reference is not to a table in memory');
  return partitions;
};

const findIn = (partitions: Partitions, key: Key): Item | undefined => partitions.get(key.pk)?.items.get(key.sk);

const storeIn = (partitions: Partitions, key: Key, item: Item | undefined) => {
  const partition = partitions.get(key.pk) ?? { items: new Map<string, Item>() };
  partitions.set(key.pk, partition);
  if (!item) {
    if (partition.items.delete(key.sk)) delete partition.keys;
    return;
  }
  if (!partition.items.has(key.sk)) insertKey(partition, key.sk);
  partition.items.set(key.sk, item);
};

/**
 * A {@link Table} in memory, with DynamoDB's limits. It returns copies, so callers cannot change the stored items. Sort
 * keys are in JavaScript's string order, which for ASCII is DynamoDB's order.
 */
export const memoryTable = (): Table => {
  const partitions: Partitions = new Map();
  const reference: TableReference = { name: 'memory' };
  contents.set(reference, partitions);
  const find = (key: Key): Item | undefined => findIn(partitions, key);

  return {
    reference,
    async get(key) {
      return copied(find(key));
    },
    async batchGet(keys) {
      const distinct = new Map(keys.map((key) => [JSON.stringify([key.pk, key.sk]), key]));
      return [...distinct.values()].flatMap((key) => copied(find(key)) ?? []);
    },
    async query({ pk, after, before, prefix = '', descending = false, limit }) {
      const partition = partitions.get(pk);
      if (!partition) return [];
      const keys = (partition.keys ??= [...partition.items.keys()].sort());
      let first = firstAfter(keys, prefix, true);
      if (after !== undefined) first = Math.max(first, firstAfter(keys, after, false));
      let last = first;
      while (last < keys.length && keys[last]!.startsWith(prefix)) last++;
      if (before !== undefined) last = Math.min(last, firstAfter(keys, before, true));
      const range = keys.slice(first, last);
      if (descending) range.reverse();
      return range.slice(0, limit).map((sk) => copied(partition.items.get(sk))!);
    },
    async write(writes) {
      if (writes.length > 100) throw new RangeError(`${writes.length} writes do not fit one transaction`);
      const targets = writes.map((write) => contentsOf(write.inTable ?? reference));
      const items = writes.map((write, index) => JSON.stringify([targets.indexOf(targets[index]!), keyOf(write)]));
      if (new Set(items).size < items.length) throw new Error('a transaction cannot include two operations on one item');
      const failed = writes.flatMap((write, index) => (holds(write, findIn(targets[index]!, keyOf(write))) ? [] : [index]));
      if (failed.length > 0) throw refusalOf(writes, failed, false);
      const results = writes.map((write, index) => outcome(write, findIn(targets[index]!, keyOf(write))));
      writes.forEach((write, index) => {
        if (!('check' in write)) storeIn(targets[index]!, keyOf(write), results[index]);
      });
    },
  };
};

const keyOf = (write: Write): Key => {
  const key = 'put' in write ? write.put : 'update' in write ? write.update : 'delete' in write ? write.delete : write.check;
  if (!key.pk || !key.sk) throw new Error('a key attribute may not be empty');
  return { pk: key.pk, sk: key.sk };
};

const holds = (write: Write, stored: Item | undefined): boolean => {
  const conditions: readonly Condition[] = [write.if ?? []].flat();
  return (
    conditions.length === 0 ||
    conditions.some((condition) => {
      if ('absent' in condition) return stored === undefined;
      if ('present' in condition) return stored !== undefined;
      if ('lacks' in condition) return stored?.[condition.lacks] === undefined;
      if ('below' in condition) {
        return stored !== undefined && Object.entries(condition.below).every(([name, value]) => typeof stored[name] === 'number' && stored[name] < value);
      }
      return stored !== undefined && Object.entries(condition.equals).every(([name, value]) => stored[name] === value);
    })
  );
};

const outcome = (write: Write, stored: Item | undefined): Item | undefined => {
  if ('delete' in write || 'check' in write) return undefined;
  const item: Key & Record<string, Value | undefined> = 'put' in write ? { ...write.put } : { ...stored, ...write.update, ...write.set };
  if ('update' in write) {
    for (const [name, entries] of Object.entries(write.merge ?? {})) {
      const map = item[name];
      if (map === null || typeof map !== 'object') {
        throw new Error('the document path provided in the update expression is invalid for update');
      }
      item[name] = { ...(map as Record<string, Value>), ...entries };
    }
    for (const name of write.remove ?? []) delete item[name];
    for (const [name, amount] of Object.entries(write.add ?? {})) item[name] = ((item[name] as number | undefined) ?? 0) + amount;
  }
  const kept = copied(item);
  if (JSON.stringify(kept).length > 400 * 1024) throw new Error('an item is at most 400 KB');
  return kept;
};

const copied = <T>(item: T): T => {
  if (Array.isArray(item)) return item.map(copied) as T;
  if (item instanceof Uint8Array) return Uint8Array.from(item) as T;
  if (item === null || typeof item !== 'object') return item;
  return Object.fromEntries(Object.entries(item).flatMap(([name, value]) => (value === undefined ? [] : [[name, copied(value as unknown)]]))) as T;
};

const insertKey = (partition: Partition, key: string) => {
  const keys = partition.keys ?? [];
  if (!partition.keys && partition.items.size > 0) return;
  keys.splice(firstAfter(keys, key, true), 0, key);
  partition.keys = keys;
};

/** Index of the first key after `key`; of `key` itself when `inclusive`. */
const firstAfter = (keys: readonly string[], key: string, inclusive: boolean): number => {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = keys[middle]! < key ? -1 : keys[middle]! > key ? 1 : 0;
    if (order < 0 || (order === 0 && !inclusive)) low = middle + 1;
    else high = middle;
  }
  return low;
};

import type { EmailSort } from '../mail-store.ts';
import type { EmailColumns } from './email-columns.ts';
import type { Predicate } from './filter.ts';

export type SortProperty = EmailSort['property'];

/** The column that a sort property is about. */
export const columnOf = (columns: EmailColumns, property: SortProperty): Float64Array | Uint32Array =>
  ({ receivedAt: columns.receivedAt, sentAt: columns.sentAt, size: columns.emailSize })[property];

/**
 * The slots that match, in the order of `sort`: the first property's order is walked, in runs of equal keys, and only inside a
 * run do the further properties matter. Equal keys throughout are by id, ascending.
 */
export const orderedSlots = (columns: EmailColumns, inOrder: Uint32Array, matches: Predicate | undefined, sort: readonly EmailSort[]): Uint32Array => {
  const [primary, ...further] = sort as readonly [EmailSort, ...EmailSort[]];
  const keys = columnOf(columns, primary.property);
  const compare = further.length > 0 ? comparison(columns, further) : undefined;
  const found = new Uint32Array(inOrder.length);
  let length = 0;
  const takeRun = (from: number, to: number) => {
    const start = length;
    for (let i = from; i < to; i++) if (!matches || matches(inOrder[i]!)) found[length++] = inOrder[i]!;
    if (compare && length - start > 1) found.subarray(start, length).sort(compare);
  };
  if (primary.isAscending && !compare) takeRun(0, inOrder.length);
  else if (primary.isAscending) {
    for (let from = 0, to; from < inOrder.length; from = to) {
      const key = keys[inOrder[from]!];
      for (to = from + 1; to < inOrder.length && keys[inOrder[to]!] === key;) to++;
      takeRun(from, to);
    }
  } else {
    for (let to = inOrder.length, from; to > 0; to = from) {
      const key = keys[inOrder[to - 1]!];
      for (from = to - 1; from > 0 && keys[inOrder[from - 1]!] === key;) from--;
      takeRun(from, to);
    }
  }
  return found.subarray(0, length);
};

const comparison = (columns: EmailColumns, sort: readonly EmailSort[]) => {
  const parts = sort.map(({ property, isAscending }) => ({ keys: columnOf(columns, property), sign: isAscending ? 1 : -1 }));
  return (a: number, b: number): number => {
    for (const { keys, sign } of parts) {
      const [first, second] = [keys[a]!, keys[b]!];
      if (first !== second) return first < second ? -sign : sign;
    }
    return columns.ids.compare(a, b);
  };
};

/** The first Email of each Thread (RFC 8621 §4.4.3). */
export const collapsed = (columns: EmailColumns, slots: Uint32Array): Uint32Array => {
  const seen = new Uint8Array(columns.threads.capacity);
  const { thread } = columns;
  let length = 0;
  for (const slot of slots) {
    if (seen[thread[slot]!]) continue;
    seen[thread[slot]!] = 1;
    slots[length++] = slot;
  }
  return slots.subarray(0, length);
};

import type { EmailColumns } from './email-columns.ts';
import type { Predicate } from './email-filter.ts';
import type { Compare } from './sorted-slots.ts';

export type EmailSort = { readonly property: 'receivedAt' | 'sentAt' | 'size'; readonly isAscending: boolean };

/** The column of a sort property. */
const columnOf = (columns: EmailColumns, property: EmailSort['property']): Float64Array | Uint32Array =>
  ({ receivedAt: columns.receivedAt, sentAt: columns.sentAt, size: columns.emailSize })[property];

/**
 * The sort order to keep in memory for a sort, with its name. With one property, both directions share the ascending
 * order, which is read forwards or backwards. With several properties, each combination of directions has its own
 * order.
 */
export const sortOrderFor = (sort: readonly EmailSort[]): { readonly name: string; readonly sort: readonly EmailSort[] } => {
  const keptSort = sort.length === 1 ? [{ property: sort[0]!.property, isAscending: true }] : sort;
  return { name: keptSort.map(({ property, isAscending }) => `${isAscending ? '+' : '-'}${property}`).join(), sort: keptSort };
};

/**
 * Compares slots by each property in turn, then by id, ascending. Columns are replaced when they grow, so each
 * comparison looks them up.
 */
export const compareBy = (columns: EmailColumns, sort: readonly EmailSort[]): Compare => (a, b) => {
  for (const { property, isAscending } of sort) {
    const column = columnOf(columns, property);
    const first = column[a]!;
    const second = column[b]!;
    if (first !== second) return (first < second) === isAscending ? -1 : 1;
  }
  return columns.ids.compare(a, b);
};

/**
 * The matching slots, in the order of `sort`.
 * @param inOrder all slots in the order of {@link sortOrderFor}. For one descending property it is read backwards.
 */
export const sortedMatches = (
  columns: EmailColumns, inOrder: Uint32Array, matches: Predicate | undefined, sort: readonly EmailSort[],
): Uint32Array => {
  const [{ property, isAscending }] = sort as readonly [EmailSort];
  const isBackwards = sort.length === 1 && !isAscending;
  const ordered = isBackwards ? inOrder.toReversed() : inOrder.slice();
  let length = ordered.length;
  if (matches) {
    length = 0;
    for (let i = 0; i < ordered.length; i++) {
      const slot = ordered[i]!;
      if (matches(slot)) ordered[length++] = slot;
    }
  }
  const slots = ordered.subarray(0, length);
  if (isBackwards) reverseEqualRuns(slots, columnOf(columns, property));
  return slots;
};

/** Reverses each run of equal keys, because their slots must be in ascending order of ids in both directions. */
const reverseEqualRuns = (slots: Uint32Array, keys: Float64Array | Uint32Array): void => {
  for (let from = 0, to; from < slots.length; from = to) {
    const key = keys[slots[from]!];
    for (to = from + 1; to < slots.length && keys[slots[to]!] === key;) to++;
    if (to > from + 1) slots.subarray(from, to).reverse();
  }
};

/** The first Email of each Thread (RFC 8621 §4.4.3). Overwrites `slots`. */
export const firstOfEachThread = (columns: EmailColumns, slots: Uint32Array): Uint32Array => {
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

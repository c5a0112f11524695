import type { EmailColumns } from './email-columns.ts';
import type { Predicate } from './email-filter.ts';
import type { Compare } from './sorted-slots.ts';

export type EmailSort = { readonly property: 'receivedAt' | 'sentAt' | 'size'; readonly isAscending: boolean };

/** The column of a sort property. */
const columnOf = (columns: EmailColumns, property: EmailSort['property']): Float64Array | Uint32Array =>
  ({ receivedAt: columns.receivedAt, sentAt: columns.sentAt, size: columns.emailSize })[property];

/**
 * The order that a sort is answered from. One property serves both directions, walked forwards or backwards; of several, each
 * combination is an order of its own.
 */
export const sortOrderFor = (sort: readonly EmailSort[]): { readonly name: string; readonly sort: readonly EmailSort[] } => {
  const kept = sort.length === 1 ? [{ property: sort[0]!.property, isAscending: true }] : sort;
  return { name: kept.map(({ property, isAscending }) => `${isAscending ? '+' : '-'}${property}`).join(), sort: kept };
};

/** Compares by each property in turn, equal ones by id, ascending. Columns may be replaced while they grow, so they are looked up each time. */
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
 * The slots that match, in the order of `sort`.
 * @param inOrder all slots in the order of {@link sortOrderFor}: of one property descending it is walked backwards.
 */
export const sortedMatches = (columns: EmailColumns, inOrder: Uint32Array, matches: Predicate | undefined, sort: readonly EmailSort[]): Uint32Array => {
  const [{ property, isAscending }] = sort as readonly [EmailSort];
  const isBackwards = sort.length === 1 && !isAscending;
  const found = isBackwards ? inOrder.toReversed() : inOrder.slice();
  let length = found.length;
  if (matches) {
    length = 0;
    for (let i = 0; i < found.length; i++) {
      const slot = found[i]!;
      if (matches(slot)) found[length++] = slot;
    }
  }
  const slots = found.subarray(0, length);
  if (isBackwards) reverseEqualRuns(slots, columnOf(columns, property));
  return slots;
};

/** Equal keys are by id ascending either way: walked backwards, runs of them must be turned. */
const reverseEqualRuns = (slots: Uint32Array, keys: Float64Array | Uint32Array): void => {
  for (let from = 0, to; from < slots.length; from = to) {
    const key = keys[slots[from]!];
    for (to = from + 1; to < slots.length && keys[slots[to]!] === key;) to++;
    if (to > from + 1) slots.subarray(from, to).reverse();
  }
};

/** The first Email of each Thread (RFC 8621 §4.4.3). */
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

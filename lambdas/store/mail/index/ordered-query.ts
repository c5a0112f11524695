import type { EmailSort } from '../mail-store.ts';
import type { EmailColumns } from './email-columns.ts';
import type { Predicate } from './filter.ts';
import type { Compare } from './sorted-slots.ts';

/** The column that a sort property is about. */
const columnOf = (columns: EmailColumns, property: EmailSort['property']): Float64Array | Uint32Array =>
  ({ receivedAt: columns.receivedAt, sentAt: columns.sentAt, size: columns.emailSize })[property];

/**
 * The order that a sort is answered from. One property serves both directions, walked forwards or backwards; of several, each
 * combination is an order of its own.
 */
export const orderFor = (sort: readonly EmailSort[]): { readonly name: string; readonly sort: readonly EmailSort[] } => {
  const kept = sort.length === 1 ? [{ property: sort[0]!.property, isAscending: true }] : sort;
  return { name: kept.map(({ property, isAscending }) => `${isAscending ? '+' : '-'}${property}`).join(), sort: kept };
};

/** Compares by each property in turn, equal ones by id, ascending. Columns may be replaced while they grow, so they are looked up each time. */
export const comparison = (columns: EmailColumns, sort: readonly EmailSort[]): Compare => (a, b) => {
  for (const { property, isAscending } of sort) {
    const column = columnOf(columns, property);
    const first = column[a]!;
    const second = column[b]!;
    if (first !== second) return (first < second) === isAscending ? -1 : 1;
  }
  return columns.ids.compare(a, b);
};

/**
 * The slots that match, in the order of `sort`. Of one property descending, runs of equal keys are taken from the last to the first,
 * each forwards, since equal keys are by id ascending either way.
 * @param inOrder all slots in the order of {@link orderFor}.
 */
export const orderedSlots = (columns: EmailColumns, inOrder: Uint32Array, matches: Predicate | undefined, sort: readonly EmailSort[]): Uint32Array => {
  const found = new Uint32Array(inOrder.length);
  let length = 0;
  const take = (from: number, to: number) => {
    for (let i = from; i < to; i++) {
      const slot = inOrder[i]!;
      if (!matches || matches(slot)) found[length++] = slot;
    }
  };
  if (sort.length > 1 || sort[0]!.isAscending) {
    take(0, inOrder.length);
    return found.subarray(0, length);
  }
  const keys = columnOf(columns, sort[0]!.property);
  for (let to = inOrder.length, from; to > 0; to = from) {
    const key = keys[inOrder[to - 1]!];
    for (from = to - 1; from > 0 && keys[inOrder[from - 1]!] === key;) from--;
    take(from, to);
  }
  return found.subarray(0, length);
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

import type { Compare } from '../../../account-index/columns/sorted-slots.ts';
import { textSorts, type TextSort } from '../../../account-index/columns/text-sorts.ts';
import type { EmailColumns } from './email-columns.ts';
import type { Predicate } from './email-filter.ts';
import type { ColumnTest, ThreadKeywords } from './thread-keywords.ts';

/** A sort by a text, by means of the Emails' ranks (`text-sorts.ts`). */
export type TextColumnSort = { readonly property: TextSort; readonly isAscending: boolean; readonly collation?: string | undefined };

/** A sort by a column. */
export type ColumnSort = { readonly property: 'receivedAt' | 'sentAt' | 'size'; readonly isAscending: boolean } | TextColumnSort;

/** A sort by a keyword. In ascending order, Emails with the keyword follow those without it. */
type KeywordSort = {
  readonly property: 'hasKeyword' | 'allInThreadHaveKeyword' | 'someInThreadHaveKeyword';
  readonly keyword: string;
  readonly isAscending: boolean;
};

/** A Comparator of Email/query (RFC 8621 §4.4.2). */
export type EmailSort = ColumnSort | KeywordSort;

export const isColumnSort = (sort: EmailSort): sort is ColumnSort => !('keyword' in sort);

export const isTextSort = (sort: EmailSort): sort is TextColumnSort => textSorts.some((each) => each === sort.property);

/** The name of the ranks for a text sort. Each collation has its own ranks. */
export const ranksName = ({ property, collation = '' }: TextColumnSort): string => `${property}/${collation}`;

/** The column of a sort. */
const columnOf = (columns: EmailColumns, sort: ColumnSort): Float64Array | Uint32Array => {
  if (isTextSort(sort)) {
    const ranks = columns.textRanks.get(ranksName(sort));
    if (!ranks) throw new Error('a sort by a text needs the ranks of that text');
    return ranks;
  }
  return { receivedAt: columns.receivedAt, sentAt: columns.sentAt, size: columns.emailSize }[sort.property];
};

/**
 * The sort order to keep in memory for a sort, with its name. With one property, both directions share the ascending
 * order, which is read forwards or backwards. With several properties, each combination of directions has its own
 * order.
 */
export const sortOrderFor = (sort: readonly ColumnSort[]): { readonly name: string; readonly sort: readonly ColumnSort[] } => {
  const keptSort = sort.length === 1 ? [{ ...sort[0]!, isAscending: true }] : sort;
  return { name: keptSort.map((each) => `${each.isAscending ? '+' : '-'}${isTextSort(each) ? ranksName(each) : each.property}`).join(), sort: keptSort };
};

/**
 * Compares slots by each property, then by id. Columns are looked up for each comparison, because they are replaced
 * when they grow.
 */
export const compareBy =
  (columns: EmailColumns, sort: readonly ColumnSort[]): Compare =>
  (a, b) => {
    for (const each of sort) {
      const { isAscending } = each;
      const column = columnOf(columns, each);
      const first = column[a]!;
      const second = column[b]!;
      if (first !== second) return first < second === isAscending ? -1 : 1;
    }
    return columns.ids.compare(a, b);
  };

/** The matching slots in the order of `sort`. @param inOrder all slots in the order of {@link sortOrderFor}. */
export const sortedMatches = (columns: EmailColumns, inOrder: Uint32Array, matches: Predicate | undefined, sort: readonly ColumnSort[]): Uint32Array => {
  const [first] = sort;
  const isBackwards = sort.length === 1 && !first!.isAscending;
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
  if (isBackwards) reverseEqualRuns(slots, columnOf(columns, first!));
  return slots;
};

/**
 * Reverses each run of equal keys, because Emails with equal keys must be in ascending order of ids in both directions.
 */
const reverseEqualRuns = (slots: Uint32Array, keys: Float64Array | Uint32Array): void => {
  for (let from = 0, to; from < slots.length; from = to) {
    const key = keys[slots[from]!];
    for (to = from + 1; to < slots.length && keys[slots[to]!] === key;) to++;
    if (to > from + 1) slots.subarray(from, to).reverse();
  }
};

/**
 * Sorts slots in place by the keyword Comparators. The slots are already in the order of the other Comparators.
 * Beginning with the last Comparator, each keyword Comparator stably divides the Emails that are equal in all preceding
 * columns. It takes one pass for any number of Emails.
 */
export const orderByKeywords = (columns: EmailColumns, slots: Uint32Array, sort: readonly EmailSort[], keywords: ThreadKeywords): void => {
  for (const [index, each] of [...sort.entries()].toReversed()) {
    if (isColumnSort(each)) continue;
    const before = sort
      .slice(0, index)
      .filter(isColumnSort)
      .map((column) => columnOf(columns, column));
    divideRuns(slots, before, keywordTest(columns, each, keywords), each.isAscending);
  }
};

const keywordTest = (columns: EmailColumns, { property, keyword }: KeywordSort, threadKeywords: ThreadKeywords): ColumnTest => {
  if (property === 'allInThreadHaveKeyword') return threadKeywords.all(keyword);
  if (property === 'someInThreadHaveKeyword') return threadKeywords.some(keyword);
  return { column: columns.keywordSet, table: columns.keywordSets.matching((keywords) => keywords.includes(keyword)) };
};

/** The end of the run of slots that starts at `from` and has equal values in all columns. */
const endOfRun = (slots: Uint32Array, from: number, columns: readonly (Float64Array | Uint32Array)[]): number => {
  if (columns.length === 0) return slots.length;
  const first = slots[from]!;
  let to = from + 1;
  for (; to < slots.length; to++) for (const column of columns) if (column[slots[to]!] !== column[first]) return to;
  return to;
};

/**
 * Moves the slots that pass the test, or those that fail it, to the end of their run. Their order is otherwise
 * unchanged.
 */
const divideRuns = (slots: Uint32Array, columns: readonly (Float64Array | Uint32Array)[], { column, table }: ColumnTest, isPassingLast: boolean): void => {
  const last = Number(isPassingLast);
  const deferred = new Uint32Array(slots.length);
  for (let from = 0, to: number; from < slots.length; from = to) {
    to = endOfRun(slots, from, columns);
    let [next, count] = [from, 0];
    for (let i = from; i < to; i++) {
      const slot = slots[i]!;
      if (table[column[slot]!] === last) deferred[count++] = slot;
      else slots[next++] = slot;
    }
    for (let i = 0; i < count; i++) slots[next + i] = deferred[i]!;
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

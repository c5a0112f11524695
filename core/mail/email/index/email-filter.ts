import type { EmailColumns } from './email-columns.ts';
import type { ColumnTest, ThreadKeywords } from './thread-keywords.ts';

/** Consecutive terms in a text. A phrase without terms matches no text. */
export type Phrase = {
  readonly terms: readonly string[];
  /** Whether the last term is a prefix of a word. */
  readonly isPrefix: boolean;
};

/** A decoded condition of Email/query (RFC 8621 §4.4.1) that needs more than the rows of Emails. */
export type TextCondition =
  | { readonly fields: readonly number[]; readonly phrases: readonly Phrase[] }
  | { readonly header: string; readonly phrases: readonly Phrase[] }
  | { readonly hasAttachment: boolean };

/** A decoded filter of Email/query (RFC 8621 §4.4.1). All conditions of an object must hold. Times: ms since 1970. */
export type EmailFilter =
  | { readonly operator: 'AND' | 'OR' | 'NOT'; readonly conditions: readonly EmailFilter[] }
  | {
      readonly inMailbox?: string;
      readonly inMailboxOtherThan?: readonly string[];
      readonly hasKeyword?: string;
      readonly notKeyword?: string;
      readonly allInThreadHaveKeyword?: string;
      readonly someInThreadHaveKeyword?: string;
      readonly noneInThreadHaveKeyword?: string;
      /** The condition `receivedAt` before this time (exclusive). */
      readonly before?: number;
      /** The condition `receivedAt` at or after this time (inclusive). */
      readonly after?: number;
      readonly minSize?: number;
      readonly maxSize?: number;
      /** Conditions that need more than the row of an Email. A {@link TextMatcher} decides them. */
      readonly texts?: readonly TextCondition[];
    };

/** Whether the Email in a slot matches the filter. */
export type Predicate = (slot: number) => boolean;

type Conditions = Exclude<EmailFilter, { readonly operator: string }>;

/** Matches Emails with text conditions. `isUpperBound`: Emails that may match are included. */
export type TextMatcher = (condition: TextCondition, isUpperBound: boolean) => Predicate;

/** The data with which a filter is compiled. */
type FilterContext = {
  readonly columns: EmailColumns;
  readonly threadKeywords: ThreadKeywords;
  /** Required for a filter with conditions on texts. */
  readonly texts?: TextMatcher | undefined;
};

/** All text conditions in a filter, at any depth. */
export const textConditionsOf = (filter: EmailFilter): readonly TextCondition[] =>
  'operator' in filter ? filter.conditions.flatMap(textConditionsOf) : (filter.texts ?? []);

/**
 * Compiles a filter for one query. Conditions on Mailboxes and keywords are evaluated for each distinct set, not for
 * each Email.
 * @param isUpperBound whether to include Emails that may match, while text conditions are not decided.
 */
export const compileFilter = (filter: EmailFilter, context: FilterContext, isUpperBound = false): Predicate => {
  if (!('operator' in filter)) return allOf(conditionPredicates(filter, context, isUpperBound));
  const parts = filter.conditions.map((each) => compileFilter(each, context, filter.operator === 'NOT' ? !isUpperBound : isUpperBound));
  if (filter.operator === 'AND') return allOf(parts);
  const matchesAny = anyOf(parts);
  return filter.operator === 'OR' ? matchesAny : (slot) => !matchesAny(slot);
};

const allOf = (parts: readonly Predicate[]): Predicate => {
  const [first, second] = parts;
  if (!first) return () => true;
  if (!second) return first;
  if (parts.length === 2) return (slot) => first(slot) && second(slot);
  return (slot) => parts.every((part) => part(slot));
};

const anyOf = (parts: readonly Predicate[]): Predicate => {
  const [first, second] = parts;
  if (!first) return () => false;
  if (!second) return first;
  if (parts.length === 2) return (slot) => first(slot) || second(slot);
  return (slot) => parts.some((part) => part(slot));
};

const conditionPredicates = (filter: Conditions, { columns, threadKeywords, texts }: FilterContext, isUpperBound: boolean): Predicate[] => {
  const { inMailbox, inMailboxOtherThan, hasKeyword, notKeyword, before, after, minSize, maxSize } = filter;
  const { mailboxSet, keywordSet, receivedAt, emailSize } = columns;
  const predicates: Predicate[] = [];
  const inSet = (sets: Uint32Array, table: Uint8Array) => predicates.push((slot) => table[sets[slot]!] === 1);
  const passes = ({ column, table }: ColumnTest) => inSet(column, table);
  if (inMailbox !== undefined)
    inSet(
      mailboxSet,
      columns.mailboxSets.matching((ids) => ids.includes(inMailbox)),
    );
  if (inMailboxOtherThan !== undefined) {
    const others = new Set(inMailboxOtherThan);
    inSet(
      mailboxSet,
      columns.mailboxSets.matching((ids) => ids.some((id) => !others.has(id))),
    );
  }
  if (hasKeyword !== undefined)
    inSet(
      keywordSet,
      columns.keywordSets.matching((keywords) => keywords.includes(hasKeyword.toLowerCase())),
    );
  if (notKeyword !== undefined)
    inSet(
      keywordSet,
      columns.keywordSets.matching((keywords) => !keywords.includes(notKeyword.toLowerCase())),
    );
  if (filter.allInThreadHaveKeyword !== undefined) passes(threadKeywords.all(filter.allInThreadHaveKeyword));
  if (filter.someInThreadHaveKeyword !== undefined) passes(threadKeywords.some(filter.someInThreadHaveKeyword));
  if (filter.noneInThreadHaveKeyword !== undefined) passes(threadKeywords.none(filter.noneInThreadHaveKeyword));
  if (before !== undefined) predicates.push((slot) => receivedAt[slot]! < before);
  if (after !== undefined) predicates.push((slot) => receivedAt[slot]! >= after);
  if (minSize !== undefined) predicates.push((slot) => emailSize[slot]! >= minSize);
  if (maxSize !== undefined) predicates.push((slot) => emailSize[slot]! < maxSize);
  for (const condition of filter.texts ?? []) {
    if (!texts) throw new Error('a filter with text conditions needs a matcher');
    predicates.push(texts(condition, isUpperBound));
  }
  return predicates;
};

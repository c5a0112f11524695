import type { EmailColumns } from './email-columns.ts';

/**
 * A decoded filter of Email/query (RFC 8621 §4.4.1). All conditions of one object must hold. Times are in milliseconds
 * since 1970.
 */
export type EmailFilter =
  | { readonly operator: 'AND' | 'OR' | 'NOT'; readonly conditions: readonly EmailFilter[] }
  | {
    readonly inMailbox?: string;
    readonly inMailboxOtherThan?: readonly string[];
    readonly hasKeyword?: string;
    readonly notKeyword?: string;
    /** receivedAt before this (exclusive). */
    readonly before?: number;
    /** receivedAt at or after this (inclusive). */
    readonly after?: number;
    readonly minSize?: number;
    readonly maxSize?: number;
  };

/** Whether the Email in a slot matches the filter. */
export type Predicate = (slot: number) => boolean;

type Conditions = Exclude<EmailFilter, { readonly operator: string }>;

/**
 * Compiles a filter for one query. Conditions on Mailboxes and keywords are evaluated for each distinct set, not for
 * each Email.
 */
export const compileFilter = (filter: EmailFilter, columns: EmailColumns): Predicate => {
  if (!('operator' in filter)) return allOf(conditionPredicates(filter, columns));
  const parts = filter.conditions.map((each) => compileFilter(each, columns));
  if (filter.operator === 'AND') return allOf(parts);
  const anyOf: Predicate = (slot) => parts.some((part) => part(slot));
  return filter.operator === 'OR' ? anyOf : (slot) => !anyOf(slot);
};

const allOf = (parts: readonly Predicate[]): Predicate => {
  const [first, second] = parts;
  if (!first) return () => true;
  if (!second) return first;
  if (parts.length === 2) return (slot) => first(slot) && second(slot);
  return (slot) => parts.every((part) => part(slot));
};

const conditionPredicates = (filter: Conditions, columns: EmailColumns): Predicate[] => {
  const { inMailbox, inMailboxOtherThan, hasKeyword, notKeyword, before, after, minSize, maxSize } = filter;
  const { mailboxSet, keywordSet, receivedAt, emailSize } = columns;
  const predicates: Predicate[] = [];
  const inSet = (sets: Uint32Array, table: Uint8Array) => predicates.push((slot) => table[sets[slot]!] === 1);
  if (inMailbox !== undefined) inSet(mailboxSet, columns.mailboxSets.matching((ids) => ids.includes(inMailbox)));
  if (inMailboxOtherThan !== undefined) {
    const others = new Set(inMailboxOtherThan);
    inSet(mailboxSet, columns.mailboxSets.matching((ids) => ids.some((id) => !others.has(id))));
  }
  if (hasKeyword !== undefined) inSet(keywordSet, columns.keywordSets.matching((keywords) => keywords.includes(hasKeyword.toLowerCase())));
  if (notKeyword !== undefined) inSet(keywordSet, columns.keywordSets.matching((keywords) => !keywords.includes(notKeyword.toLowerCase())));
  if (before !== undefined) predicates.push((slot) => receivedAt[slot]! < before);
  if (after !== undefined) predicates.push((slot) => receivedAt[slot]! >= after);
  if (minSize !== undefined) predicates.push((slot) => emailSize[slot]! >= minSize);
  if (maxSize !== undefined) predicates.push((slot) => emailSize[slot]! < maxSize);
  return predicates;
};

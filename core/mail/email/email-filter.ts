import type { EmailFilter } from '../mail-store.ts';
import type { EmailColumns } from './email-columns.ts';

/** Whether the Email in a slot matches. */
export type Predicate = (slot: number) => boolean;

type Conditions = Exclude<EmailFilter, { readonly operator: string }>;

/** A filter made ready for one query: what it asks of mailboxes and keywords is answered once a set, not once an Email. */
export const compileFilter = (filter: EmailFilter, columns: EmailColumns): Predicate => {
  if (!('operator' in filter)) return all(conditions(filter, columns));
  const parts = filter.conditions.map((each) => compileFilter(each, columns));
  if (filter.operator === 'AND') return all(parts);
  const some: Predicate = (slot) => parts.some((part) => part(slot));
  return filter.operator === 'OR' ? some : (slot) => !some(slot);
};

const all = (parts: readonly Predicate[]): Predicate => {
  const [first, second] = parts;
  if (!first) return () => true;
  if (!second) return first;
  if (parts.length === 2) return (slot) => first(slot) && second(slot);
  return (slot) => parts.every((part) => part(slot));
};

const conditions = (filter: Conditions, columns: EmailColumns): Predicate[] => {
  const { inMailbox, inMailboxOtherThan, hasKeyword, notKeyword, before, after, minSize, maxSize } = filter;
  const { mailboxSet, keywordSet, receivedAt, emailSize } = columns;
  const found: Predicate[] = [];
  const inSet = (sets: Uint32Array, table: Uint8Array) => found.push((slot) => table[sets[slot]!] === 1);
  if (inMailbox !== undefined) inSet(mailboxSet, columns.mailboxSets.where((ids) => ids.includes(inMailbox)));
  if (inMailboxOtherThan !== undefined) inSet(mailboxSet, columns.mailboxSets.where((ids) => ids.some((id) => !inMailboxOtherThan.includes(id))));
  if (hasKeyword !== undefined) inSet(keywordSet, columns.keywordSets.where((keywords) => keywords.includes(hasKeyword.toLowerCase())));
  if (notKeyword !== undefined) inSet(keywordSet, columns.keywordSets.where((keywords) => !keywords.includes(notKeyword.toLowerCase())));
  if (before !== undefined) found.push((slot) => receivedAt[slot]! < before);
  if (after !== undefined) found.push((slot) => receivedAt[slot]! >= after);
  if (minSize !== undefined) found.push((slot) => emailSize[slot]! >= minSize);
  if (maxSize !== undefined) found.push((slot) => emailSize[slot]! < maxSize);
  return found;
};

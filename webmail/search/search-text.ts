import type { EmailFilter, FilterCondition, Id, Mailbox } from '../jmap/types.ts';
import { isSettingsMailbox } from '../labels/label.ts';
import { searchWords } from '../words/words.ts';
import { comparedName, mailboxesNamed } from './mailbox-names.ts';
import { searchDate, utcDate } from './search-dates.ts';
import type { SearchTerm } from './search-terms.ts';

export { parseSearch, textOf, type SearchOperator, type SearchTerm } from './search-terms.ts';

/** A keyword that a person calls by a name. */
export type Label = { readonly keyword: string; readonly name: string };

export type SearchContext = {
  readonly mailboxes: readonly Mailbox[];
  /** The mailbox that is searched when the text names none. Default: all but Trash and Junk. */
  readonly mailboxId?: Id;
  readonly labels: readonly Label[];
  readonly now: Date;
};

/** Terms, and characters of a value, beyond which a search is cut. Servers limit both. */
const limits = { terms: 50, characters: 500 };

/** Values of `is:` and the conditions that they stand for. */
const states: ReadonlyMap<string, FilterCondition> = new Map([
  ['unread', { notKeyword: '$seen' }],
  ['read', { hasKeyword: '$seen' }],
  ['flagged', { hasKeyword: '$flagged' }],
]);
export const stateNames = [...states.keys()];

/** The value of `in:` that searches all mailboxes, Trash and Junk too. */
export const anywhere = 'anywhere';

/** A value as a server reads it as one phrase (RFC 8621 §4.4.1). */
const phrase = (value: string): string => {
  const text = value.toWellFormed();
  return /[\s"\\]|^'/.test(text) ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : text;
};

/** Characters of a keyword (RFC 8621 §4.1.1). */
const keyword = /^[!#$&'+-[^-z|}~]{1,255}$/;

const keywordOf = (value: string, labels: readonly Label[]): string | undefined => {
  const named = labels.find(({ name }) => comparedName(name) === comparedName(value))?.keyword ?? value;
  return keyword.test(named) ? named.toLowerCase() : undefined;
};

const units: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9 };
const size = /^(\d{1,9}(?:\.\d{1,3})?)([kmg]?)b?$/;

const octetsOf = (value: string): number | undefined => {
  const [, count, unit] = size.exec(value.toLowerCase()) ?? [];
  return count === undefined ? undefined : Math.min(Math.round(Number(count) * units[unit!]!), Number.MAX_SAFE_INTEGER);
};

/** All of the conditions, or the one that there is. */
const allOf = (conditions: readonly EmailFilter[]): EmailFilter => (conditions.length === 1 ? conditions[0]! : { operator: 'AND', conditions });
const anyOf = (conditions: readonly EmailFilter[]): EmailFilter => (conditions.length === 1 ? conditions[0]! : { operator: 'OR', conditions });

type Read = { readonly condition: EmailFilter } | { readonly problem: string };

type Reader = (value: string, context: SearchContext) => Read;

const readText =
  (property: 'text' | 'from' | 'to' | 'cc' | 'subject' | 'body'): Reader =>
  (value) => ({ condition: { [property]: phrase(value) } });

const readDate =
  (property: 'before' | 'after'): Reader =>
  (value, { now }) => {
    const date = searchDate(value, now);
    return date ? { condition: { [property]: utcDate(date) } } : { problem: searchWords.badDate(value) };
  };

const readSize =
  (property: 'minSize' | 'maxSize'): Reader =>
  (value) => {
    const octets = octetsOf(value);
    return octets === undefined ? { problem: searchWords.badSize(value) } : { condition: { [property]: octets } };
  };

/** The condition of a term without regard to its negation, by its operator. */
const readers: Readonly<Record<SearchTerm['operator'], Reader>> = {
  text: readText('text'),
  from: readText('from'),
  to: readText('to'),
  cc: readText('cc'),
  subject: readText('subject'),
  body: readText('body'),
  before: readDate('before'),
  after: readDate('after'),
  larger: readSize('minSize'),
  smaller: readSize('maxSize'),
  is: (value) => {
    const condition = states.get(value.toLowerCase());
    return condition ? { condition } : { problem: searchWords.unknownValue('is', value, stateNames) };
  },
  has: (value) =>
    value.toLowerCase() === 'attachment' ? { condition: { hasAttachment: true } } : { problem: searchWords.unknownValue('has', value, ['attachment']) },
  label: (value, { labels }) => {
    const named = keywordOf(value, labels);
    return named === undefined ? { problem: searchWords.unknownLabel(value) } : { condition: { hasKeyword: named } };
  },
  in: (value, { mailboxes }) => {
    const named = mailboxesNamed(value, mailboxes);
    return named.length === 0 ? { problem: searchWords.unknownMailbox(value) } : { condition: anyOf(named.map(({ id }) => ({ inMailbox: id }))) };
  },
};

/** The mailboxes that a search looks in when its text names none. */
const usualPlaces = ({ mailboxId, mailboxes }: SearchContext): readonly EmailFilter[] => {
  if (mailboxId !== undefined) return [{ inMailbox: mailboxId }];
  const others = mailboxes.filter((mailbox) => mailbox.role === 'trash' || mailbox.role === 'junk' || isSettingsMailbox(mailbox)).map(({ id }) => id);
  return others.length > 0 ? [{ inMailboxOtherThan: others }] : [];
};

export type Search = { readonly filter: EmailFilter; readonly problems: readonly string[] };

/**
 * The JMAP filter of the terms of a search. All terms must hold, but one mailbox of several is enough. It ignores the
 * terms that it can't read, and says so in `problems`.
 */
export const searchFilter = (terms: readonly SearchTerm[], context: SearchContext): Search => {
  const problems = new Set<string>();
  /** Words without an operator are one condition: a server ignores lone punctuation among words. */
  const texts: string[] = [];
  const places: EmailFilter[] = [];
  const others: EmailFilter[] = [];
  const negated: EmailFilter[] = [];
  let isAnywhere = false;
  for (const given of terms.slice(0, limits.terms)) {
    const term = { ...given, value: given.value.slice(0, limits.characters) };
    const isWhole = term.operator === 'in' && comparedName(term.value) === anywhere;
    if (isWhole) isAnywhere ||= !term.isNegated;
    const read = isWhole ? undefined : readers[term.operator](term.value, context);
    if (read && 'problem' in read) problems.add(read.problem);
    else if (read) {
      if (term.isNegated) negated.push(read.condition);
      else if (term.operator === 'text') texts.push(phrase(term.value));
      else (term.operator === 'in' ? places : others).push(read.condition);
    }
  }
  if (terms.length > limits.terms || terms.some(({ value }) => value.length > limits.characters)) problems.add(searchWords.cut);
  const where = isAnywhere ? [] : places.length > 0 ? [anyOf(places)] : usualPlaces(context);
  const conditions: EmailFilter[] = [
    ...where,
    ...others,
    ...(texts.length > 0 ? [{ text: texts.join(' ') }] : []),
    ...(negated.length > 0 ? [{ operator: 'NOT' as const, conditions: negated }] : []),
  ];
  return { filter: conditions.length === 0 ? {} : allOf(conditions), problems: [...problems] };
};

import type { contactCard } from '../../../contract/jmap/contact-card.ts';
import { searchLimits, unadvertisedLimits } from '../../../contract/jmap/core.ts';
import type { ComparatorOf, ConditionOf } from '../../../contract/jmap/record.ts';
import { entriesOf } from '../../../contract/values/typed-entries.ts';
import { collationKey, compareKeys } from '../../../core/account-index/columns/collation.ts';
import { searchedForm, type CardEntry, type CardTextField } from '../../../core/mail/contact-card/card-entry.ts';
import { contactCardsOf } from '../../../core/mail/contact-card/contact-card-type.ts';
import { searchWordsOf } from '../../../core/search/search-words.ts';
import type { BehaviourOf } from '../request/behaviour.ts';
import { MethodError } from '../request/jmap-errors.ts';
import { filterTest } from '../request/plain-records.ts';
import type { RequestBudget } from '../request/request-context.ts';

type CardTest = (entry: CardEntry) => boolean;

/**
 * The words and quoted phrases of a text. All of them must occur in a card (RFC 9610 §3.3.1).
 * @throws MethodError unsupportedFilter for too many.
 */
const searchedWords = (text: string, budget: RequestBudget): readonly string[] => {
  const words = [...new Set([...searchWordsOf(text)].map((word) => searchedForm(word.text).trim()))].filter((word) => word !== '');
  const { maxSearchTerms } = searchLimits;
  if (words.length > maxSearchTerms || !budget.spend('maxSearchTermsInRequest', words.length)) {
    const { maxSearchTermsInRequest } = unadvertisedLimits;
    throw new MethodError('unsupportedFilter', `A filter condition may have ${maxSearchTerms} words, and the filters of a request ${maxSearchTermsInRequest}.`);
  }
  return words;
};

/** The tests of conditions that are no texts, by name. */
const valueTests = {
  inAddressBook:
    (id) =>
    ({ addressBookIds }) =>
      addressBookIds.includes(id),
  uid: (uid) => (entry) => entry.uid === uid,
  hasMember:
    (uid) =>
    ({ members }) =>
      members?.has(uid) ?? false,
  kind: (kind) => (entry) => entry.kind === kind,
  createdBefore:
    (date) =>
    ({ created }) =>
      created !== null && created < Date.parse(date),
  createdAfter:
    (date) =>
    ({ created }) =>
      created !== null && created >= Date.parse(date),
  updatedBefore:
    (date) =>
    ({ updated }) =>
      updated !== null && updated < Date.parse(date),
  updatedAfter:
    (date) =>
    ({ updated }) =>
      updated !== null && updated >= Date.parse(date),
} as const satisfies { readonly [condition: string]: (value: string) => CardTest };

const isValueTest = (name: string): name is keyof typeof valueTests => Object.hasOwn(valueTests, name);

const textTest =
  (field: CardTextField | 'text', words: readonly string[]): CardTest =>
  ({ texts }) => {
    const text = texts[field];
    return text !== undefined && words.every((word) => text.includes(word));
  };

const conditionTest = (condition: ConditionOf<typeof contactCard>, budget: RequestBudget): CardTest => {
  const tests = entriesOf(condition).map(([name, value]) => (isValueTest(name) ? valueTests[name](value) : textTest(name, searchedWords(value, budget))));
  return (entry) => tests.every((test) => test(entry));
};

/** The value by which a Comparator sorts an entry; null is before any other value. */
const sortKey = (entry: CardEntry, { property, collation }: ComparatorOf<typeof contactCard>): string | number | null => {
  if (property === 'created' || property === 'updated') return entry[property];
  const name = entry.sortNames[property];
  return name === null ? null : collationKey(collation, name);
};

const compareNullable = (one: string | number | null, other: string | number | null): number =>
  one === null || other === null ? Number(one !== null) - Number(other !== null) : compareKeys(one, other);

const sortedIds = (entries: readonly CardEntry[], sort: readonly ComparatorOf<typeof contactCard>[]): readonly string[] =>
  entries
    .map((entry) => ({ id: entry.id, keys: sort.map((comparator) => sortKey(entry, comparator)) }))
    .sort((one, other) => {
      for (const [index, { isAscending }] of sort.entries()) {
        const difference = compareNullable(one.keys[index]!, other.keys[index]!);
        if (difference !== 0) return isAscending ? difference : -difference;
      }
      return one.id < other.id ? -1 : 1;
    })
    .map(({ id }) => id);

/** ContactCard/query (RFC 9610 §3.3): tests and sorts the cards in memory. */
export const contactCardQuery: BehaviourOf<typeof contactCard>['query'] = {
  matchingIds(view, filter, sort, _args, _account, { budget }) {
    const matches = filterTest(filter, (condition) => conditionTest(condition, budget));
    return sortedIds([...contactCardsOf(view).entries()].filter(matches), sort);
  },
};

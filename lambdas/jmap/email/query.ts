import { searchLimits, unadvertisedLimits } from '../../../contract/jmap/core.ts';
import type { email } from '../../../contract/jmap/email.ts';
import type { ComparatorOf, ConditionOf } from '../../../contract/jmap/record.ts';
import { entriesOf, type EntryOf } from '../../../contract/values/typed-entries.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import type { EmailFilter, Phrase, TextCondition } from '../../../core/mail/email/index/email-filter.ts';
import type { EmailSort } from '../../../core/mail/email/index/ordered-emails.ts';
import { SearchTooWide, SearchUnavailable, type SearchBudget } from '../../../core/search/email-search.ts';
import { searchFields } from '../../../core/search/search-document.ts';
import { parseSearchText } from '../../../core/search/search-words.ts';
import type { BehaviourOf, Filter } from '../request/behaviour.ts';
import { MethodError } from '../request/jmap-errors.ts';
import type { RequestBudget } from '../request/request-context.ts';

type GivenCondition = ConditionOf<typeof email>;
type GivenMember = EntryOf<GivenCondition>;
type Condition = Exclude<EmailFilter, { readonly operator: string }>;

/** The number of words as which a prefix counts, because it reads the Emails of all terms that begin with it. */
const wordsOfPrefix = 25;

const allFields = searchFields.map((_, field) => field);

/**
 * The phrases of a text. @throws MethodError unsupportedFilter when the text, or all texts of the request together,
 * have too many words.
 */
const phrasesOf = (text: string, budget: RequestBudget): readonly Phrase[] => {
  const phrases = parseSearchText(text);
  if (!phrases) {
    const { maxSearchTerms } = searchLimits;
    throw new MethodError('unsupportedFilter', `The text of a filter condition may have at most ${maxSearchTerms} words (maxSearchTerms).`);
  }
  const words = phrases.reduce((sum, { terms, isPrefix }) => sum + terms.length + (isPrefix ? wordsOfPrefix : 0), 0);
  if (!budget.spend('maxSearchTermsInRequest', words)) {
    const { maxSearchTermsInRequest } = unadvertisedLimits;
    throw new MethodError('unsupportedFilter', `The filters of a request may search at most ${maxSearchTermsInRequest} words (maxSearchTermsInRequest).`);
  }
  // A word that occurs a hundred times is searched once.
  return [...new Map(phrases.map((phrase) => [`${phrase.isPrefix} ${phrase.terms.join(' ')}`, phrase])).values()];
};

/** The condition on a header field. @throws MethodError invalidArguments (RFC 8621 §4.4.1). */
const headerCondition = (value: readonly string[], budget: RequestBudget): TextCondition => {
  const [name, text] = value;
  if (!name || value.length > 2) {
    throw new MethodError('invalidArguments', 'The filter condition "header" must have the name of a header field, and may have a text.');
  }
  return { header: name.toLowerCase(), phrases: text === undefined ? [] : phrasesOf(text, budget) };
};

/** The text condition with this name. Undefined for a condition on the row of an Email. */
const textCondition = ([name, value]: GivenMember, budget: RequestBudget): TextCondition | undefined => {
  if (name === 'hasAttachment') return { hasAttachment: value };
  if (name === 'header') return headerCondition(value, budget);
  if (name === 'text') return { fields: allFields, phrases: phrasesOf(value, budget) };
  if (name === 'from' || name === 'to' || name === 'cc' || name === 'bcc' || name === 'subject' || name === 'body') {
    return { fields: [searchFields.indexOf(name)], phrases: phrasesOf(value, budget) };
  }
  return undefined;
};

const toStoreValue = ([name, value]: GivenMember): unknown => {
  if (name === 'before' || name === 'after') return Date.parse(value);
  return name.endsWith('Keyword') && typeof value === 'string' ? value.toLowerCase() : value;
};

/** A decoded condition in the form of the store: times in milliseconds, keywords in lower case, texts as phrases. */
const toStoreCondition = (given: GivenCondition, budget: RequestBudget): Condition => {
  const condition: Record<string, unknown> = {};
  const texts: TextCondition[] = [];
  for (const member of entriesOf(given)) {
    const text = textCondition(member, budget);
    if (text) texts.push(text);
    else condition[member[0]] = toStoreValue(member);
  }
  return texts.length === 0 ? condition : { ...condition, texts };
};

/** A decoded filter in the form of the store. @throws MethodError unsupportedFilter, invalidArguments */
export const toEmailFilter = (filter: Filter<GivenCondition>, budget: RequestBudget): EmailFilter =>
  'operator' in filter
    ? { operator: filter.operator, conditions: filter.conditions.map((each) => toEmailFilter(each, budget)) }
    : toStoreCondition(filter.condition, budget);

/** A Comparator in the form of the store, with its keyword in lower case. */
const toStoreSort = (given: ComparatorOf<typeof email>): EmailSort => {
  const { isAscending, collation } = given;
  if (given.property === 'hasKeyword' || given.property === 'allInThreadHaveKeyword' || given.property === 'someInThreadHaveKeyword') {
    return { property: given.property, isAscending, keyword: given.arguments.keyword.toLowerCase() };
  }
  return { property: given.property, isAscending, collation };
};

const searchBudget = (budget: RequestBudget): SearchBudget => ({
  spendOctets: (octets) => budget.spend('maxSearchOctetsInRequest', octets),
  spendEmails: (emails) => budget.spend('maxUnindexedEmailsInRequest', emails),
});

/** The error of a query as a MethodError. @throws MethodError serverUnavailable, unsupportedFilter */
const asMethodError = (error: unknown): never => {
  if (error instanceof SearchUnavailable) {
    throw new MethodError('serverUnavailable', 'The search index of this account is not available or not complete yet. Try again in a minute.');
  }
  if (error instanceof SearchTooWide) {
    const { maxSearchOctetsInRequest } = unadvertisedLimits;
    throw new MethodError(
      'unsupportedFilter',
      `A request may read ${maxSearchOctetsInRequest} octets to verify phrases and header fields (maxSearchOctetsInRequest). ` +
        'Search rarer words, or add a condition that fewer Emails meet.',
    );
  }
  throw error;
};

/** Email/query and /queryChanges (RFC 8621 §4.4, §4.5). */
export const emailQuery: BehaviourOf<typeof email>['query'] = {
  matchingIds: (view, filter, sort, { collapseThreads }, _account, { budget, dependencies }) =>
    dependencies.search
      .query(view, { filter: filter && toEmailFilter(filter, budget), sort: sort.map(toStoreSort), collapseThreads }, searchBudget(budget))
      .catch(asMethodError),
  /**
   * Which other Emails a change affects: those of the same Thread, because another one may become the first match, or
   * the keywords of the Thread may change.
   */
  affectedBy: (changed, view, { collapseThreads }, { ofThread }) =>
    collapseThreads || ofThread ? emailsOf(view).idsInThreads(changed.flatMap(({ groupId }) => groupId ?? [])) : [],
};

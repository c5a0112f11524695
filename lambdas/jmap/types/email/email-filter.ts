import { unadvertisedLimits, searchLimits } from '../../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../../contract/jmap/data-type.ts';
import type { EmailFilter, Phrase, TextCondition } from '../../../../core/mail-types/email/index/email-filter.ts';
import { searchFields } from '../../../../core/search/texts/search-document.ts';
import { parseSearchText } from '../../../../core/search/texts/search-words.ts';
import { MethodError } from '../../protocol/errors.ts';
import type { RequestBudget } from '../../protocol/request-budget.ts';
import type { Filter } from '../../verbs/behaviour.ts';

type Condition = Exclude<EmailFilter, { readonly operator: string }>;

/** The number of words that a prefix counts as, besides itself: it reads the Emails of all terms that begin with it. */
const wordsOfPrefix = 25;

const allFields = searchFields.map((_, field) => field);

/** @throws MethodError unsupportedFilter when the text, or those of the request together, have too many words. */
const phrasesOf = (text: string, budget: RequestBudget): readonly Phrase[] => {
  const phrases = parseSearchText(text);
  if (!phrases) {
    const { maxSearchTerms } = searchLimits;
    throw new MethodError('unsupportedFilter', `The text of a filter condition may have at most ${maxSearchTerms} words (maxSearchTerms).`);
  }
  const words = phrases.reduce((sum, { terms, isPrefix }) => sum + terms.length + (isPrefix ? wordsOfPrefix : 0), 0);
  if (!budget.spend('maxSearchTermsInRequest', words)) {
    const { maxSearchTermsInRequest } = unadvertisedLimits;
    throw new MethodError(
      'unsupportedFilter', `The filters of a request may search at most ${maxSearchTermsInRequest} words (maxSearchTermsInRequest).`,
    );
  }
  // A word that is written a hundred times is searched once.
  return [...new Map(phrases.map((phrase) => [`${phrase.isPrefix} ${phrase.terms.join(' ')}`, phrase])).values()];
};

/** @throws MethodError invalidArguments (RFC 8621 §4.4.1). */
const headerCondition = (value: readonly string[], budget: RequestBudget): TextCondition => {
  const [name, text] = value;
  if (!name || value.length > 2) {
    throw new MethodError('invalidArguments', 'The filter condition "header" must have the name of a header field, and may have a text.');
  }
  return { header: name.toLowerCase(), phrases: text === undefined ? [] : phrasesOf(text, budget) };
};

/** The condition on texts with this name; undefined for a condition on the row of an Email. */
const textCondition = (name: string, value: unknown, budget: RequestBudget): TextCondition | undefined => {
  if (name === 'hasAttachment') return { hasAttachment: value as boolean };
  if (name === 'header') return headerCondition(value as readonly string[], budget);
  if (name === 'text') return { fields: allFields, phrases: phrasesOf(value as string, budget) };
  const field = searchFields.findIndex((each) => each === name);
  return field < 0 ? undefined : { fields: [field], phrases: phrasesOf(value as string, budget) };
};

const toStoreValue = (name: string, value: unknown): unknown => {
  if (name === 'before' || name === 'after') return Date.parse(value as string);
  return name.endsWith('Keyword') ? (value as string).toLowerCase() : value;
};

/** A decoded condition as the store takes it: times in milliseconds, keywords in lower case, texts as phrases. */
const toStoreCondition = (given: JsonObject, budget: RequestBudget): Condition => {
  const condition: Record<string, unknown> = {};
  const texts: TextCondition[] = [];
  for (const [name, value] of Object.entries(given)) {
    const text = textCondition(name, value, budget);
    if (text) texts.push(text);
    else condition[name] = toStoreValue(name, value);
  }
  return texts.length === 0 ? condition : { ...condition, texts };
};

/** A decoded filter as the store takes it. @throws MethodError unsupportedFilter, invalidArguments */
export const toEmailFilter = (filter: Filter, budget: RequestBudget): EmailFilter =>
  ('operator' in filter
    ? { operator: filter.operator, conditions: filter.conditions.map((each) => toEmailFilter(each, budget)) }
    : toStoreCondition(filter.condition, budget));

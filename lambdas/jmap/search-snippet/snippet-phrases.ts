import { searchLimits } from '../../../contract/jmap/core.ts';
import type { EmailFilter, Phrase } from '../../../core/mail-types/email/index/email-filter.ts';
import { searchFields } from '../../../core/search/texts/search-document.ts';
import type { SearchableField } from '../../../core/search/texts/searchable-text.ts';

/** The words and phrases of a filter that a SearchSnippet marks in the subject and in the body. */
export type SnippetPhrases = { readonly subject: readonly Phrase[]; readonly body: readonly Phrase[] };

/** The phrases that the filter searches in a field, except those below NOT. */
const phrasesOn = (field: number, filter: EmailFilter): readonly Phrase[] => {
  if ('operator' in filter) return filter.operator === 'NOT' ? [] : filter.conditions.flatMap((each) => phrasesOn(field, each));
  return (filter.texts ?? []).flatMap((condition) => ('fields' in condition && condition.fields.includes(field) ? condition.phrases : []));
};

const distinctPhrases = (field: SearchableField, filter: EmailFilter): readonly Phrase[] => {
  const phrases = phrasesOn(searchFields.indexOf(field), filter);
  return [...new Map(phrases.map((phrase) => [JSON.stringify(phrase), phrase])).values()].slice(0, searchLimits.maxSnippetPhrases);
};

/** The phrases for the subject and for the body, at most `maxSnippetPhrases` each. */
export const snippetPhrases = (filter: EmailFilter | undefined): SnippetPhrases => ({
  subject: filter ? distinctPhrases('subject', filter) : [],
  body: filter ? distinctPhrases('body', filter) : [],
});

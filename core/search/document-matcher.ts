import type { TextCondition } from '../mail/email/index/email-filter.ts';
import { PhraseFinder } from './phrase-finder.ts';
import type { SearchDocument, Terms } from './search-document.ts';

export type FieldsCondition = Extract<TextCondition, { readonly fields: readonly number[] }>;
export type HeaderCondition = Extract<TextCondition, { readonly header: string }>;

/** The bits of these fields for a {@link PhraseFinder}. Each field is a place. */
export const placesOf = (fields: readonly number[]): number => fields.reduce((places, field) => places | (1 << field), 0);

/** Finds phrases in a text. */
const findInText = (finder: PhraseFinder, terms: Terms): void => {
  for (const term of terms) {
    if (finder.isComplete) break;
    finder.next(finder.classOf(term));
  }
  finder.endText();
};

/** The conditions on one header field. */
type NamedConditions = { readonly conditions: readonly HeaderCondition[]; readonly finder: PhraseFinder; document: number };

/** Matches documents by their header fields. Each field is read once for any number of conditions. */
export const headerMatcher = (conditions: readonly HeaderCondition[]) => {
  const byName = new Map(
    [...Map.groupBy(conditions, ({ header }) => header)].map(([name, named]): [string, NamedConditions] => [
      name,
      { conditions: named, finder: new PhraseFinder(named.map(({ phrases }) => phrases)), document: 0 },
    ]),
  );
  let document = 0;
  /** Calls `matched` with each condition that a document with these fields meets. */
  return (headers: SearchDocument['headers'], matched: (condition: HeaderCondition) => void): void => {
    document++;
    const present = new Set<NamedConditions>();
    for (const { name, terms } of headers) {
      const named = byName.get(name);
      if (!named) continue;
      if (named.document !== document) {
        named.document = document;
        named.finder.beginDocument();
        named.finder.beginPlace(0);
        present.add(named);
      }
      findInText(named.finder, terms);
    }
    for (const { conditions: named, finder } of present) {
      for (const [index, condition] of named.entries()) if (finder.allOccur(index, placesOf([0]))) matched(condition);
    }
  };
};

/** Matches documents by their texts. The time is linear in the words of a document, for any number of conditions. */
export const documentMatcher = (conditions: readonly TextCondition[]) => {
  const byFields = conditions.filter((condition): condition is FieldsCondition => 'fields' in condition);
  const finder = new PhraseFinder(byFields.map(({ phrases }) => phrases));
  const places = byFields.map(({ fields }) => placesOf(fields));
  const searched = places.reduce((all, each) => all | each, 0);
  const matchHeaders = headerMatcher(conditions.filter((condition) => 'header' in condition));
  /** Calls `matched` with each condition that the document meets. */
  return ({ fields, headers, hasAttachment }: SearchDocument, matched: (condition: TextCondition) => void): void => {
    finder.beginDocument();
    for (const [field, texts] of fields.entries()) {
      if ((searched & (1 << field)) === 0) continue;
      finder.beginPlace(field);
      for (const terms of texts) findInText(finder, terms);
    }
    for (const [index, condition] of byFields.entries()) if (finder.allOccur(index, places[index]!)) matched(condition);
    for (const condition of conditions) if ('hasAttachment' in condition && condition.hasAttachment === hasAttachment) matched(condition);
    matchHeaders(headers, matched);
  };
};

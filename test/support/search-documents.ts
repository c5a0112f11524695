import * as fc from 'fast-check';
import type { Phrase, TextCondition } from '../../core/mail/email/index/email-filter.ts';
import { phraseOccurrences } from '../../core/search/marked-text.ts';
import type { SearchDocument } from '../../core/search/search-document.ts';
import { searchFields } from '../../core/search/search-document.ts';
import type { EncodedSegment } from '../../core/search/segment-format/segment-file.ts';
import { SegmentBuilder } from '../../core/search/segments/segment-builder.ts';
import { SegmentReader } from '../../core/search/segments/segment-reader.ts';
import { emailId } from './email-fixtures.ts';

const searchAccount = 'acc_1';

/**
 * A small set of words, so that texts share words: with common prefixes, in several scripts, one outside the basic
 * multilingual plane.
 */
export const words = ['a', 'an', 'ana', 'anab', 'of', 'the', 'zoe', 'τάδε', '東京', '大学', 'ไทย', '𝒳𝒴', '𝒳𝒵', 'x1', '42'];

const term = fc.constantFrom(...words);
const text = fc.array(term, { maxLength: 6 });
const headerName = fc.constantFrom('list-id', 'x-mailer', 'subject');

/** An Email with random words in random fields. */
export const documentArbitrary: fc.Arbitrary<Omit<SearchDocument, 'emailId'>> = fc.record({
  hasAttachment: fc.boolean(),
  fields: fc.tuple(...searchFields.map(() => fc.array(text, { maxLength: 3 }))),
  headers: fc.array(fc.record({ name: headerName, terms: text }), { maxLength: 3 }),
  sortTexts: fc.record({
    from: fc.constantFrom('', 'Zoë', 'anna', 'Ünal'),
    to: fc.constantFrom('', 'b'),
    subject: fc.string({ unit: 'grapheme', maxLength: 5 }),
  }),
});

const phrase = fc.record({ terms: fc.array(term, { minLength: 1, maxLength: 3 }), isPrefix: fc.boolean() });
const phrases = fc.array(fc.oneof({ weight: 9, arbitrary: phrase }, fc.constant({ terms: [], isPrefix: false })), { maxLength: 3 });

export const conditionArbitrary: fc.Arbitrary<TextCondition> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      fields: fc.subarray(
        searchFields.map((_, field) => field),
        { minLength: 1 },
      ),
      phrases,
    }),
  },
  fc.record({ header: fc.oneof(headerName, fc.constant('absent')), phrases }),
  fc.record({ hasAttachment: fc.boolean() }),
);

/** Documents with ids. One id cannot be packed. */
export const withIds = (documents: readonly Omit<SearchDocument, 'emailId'>[]): SearchDocument[] =>
  documents.map((document, index) => ({ ...document, emailId: index === 3 ? 'Mshort' : emailId(index) }));

export const encodedSegment = (documents: readonly SearchDocument[]): EncodedSegment => {
  const builder = new SegmentBuilder(searchAccount);
  for (const document of documents) builder.add(document);
  return builder.finish();
};

/** A reader of these octets, which may differ from the encoded ones. */
export const readerOf = ({ documents, documentOctets, indexOctets, bytes }: EncodedSegment, { isHeld = true, stored = bytes } = {}): Promise<SegmentReader> =>
  SegmentReader.open(
    async (start, end) => stored.subarray(start, end),
    searchAccount,
    { documents, documentOctets, indexOctets, octets: bytes.length, nonce: 'n' },
    isHeld,
  );

type Word = { readonly term: string };

/** Whether each phrase occurs in one of the texts: the expected result of every search. */
export const phrasesOccur = (phrases: readonly Phrase[], texts: readonly (readonly Word[])[]): boolean =>
  phrases.every((phrase) => texts.some((each) => phraseOccurrences(phrase, each).next().value !== undefined));

const wordsOf = (terms: readonly string[]): Word[] => terms.map((each) => ({ term: each }));

/** Whether an Email meets a condition, computed phrase by phrase and text by text. */
export const matchesCondition = (document: SearchDocument, condition: TextCondition): boolean => {
  if ('hasAttachment' in condition) return document.hasAttachment === condition.hasAttachment;
  if ('fields' in condition)
    return phrasesOccur(
      condition.phrases,
      condition.fields.flatMap((field) => document.fields[field]!.map(wordsOf)),
    );
  const values = document.headers.filter(({ name }) => name === condition.header);
  return (
    values.length > 0 &&
    phrasesOccur(
      condition.phrases,
      values.map(({ terms }) => wordsOf(terms)),
    )
  );
};

import * as fc from 'fast-check';
import type { Phrase, TextCondition } from '../../../core/mail/email/index/email-filter.ts';
import { documentMatcher } from '../../../core/search/document-matcher.ts';
import { PhraseFinder } from '../../../core/search/phrase-finder.ts';
import type { SearchDocument } from '../../../core/search/search-document.ts';
import { matchSegment, verifyMatches } from '../../../core/search/segments/segment-match.ts';
import type { SegmentReader } from '../../../core/search/segments/segment-reader.ts';
import { assertProperty } from '../../support/assert-property.ts';
import { conditionArbitrary, documentArbitrary, encodedSegment, matchesCondition, phrasesOccur, readerOf, withIds } from '../../support/search-documents.ts';

const phraseOf = (...terms: string[]): Phrase => ({ terms, isPrefix: false });

describe('the phrases that are found in one pass', () => {
  const term = fc.constantFrom('a', 'b', 'ab', 'abc');
  const phrase = fc.record({ terms: fc.array(term, { maxLength: 5 }), isPrefix: fc.boolean() });

  test('are the same as in a comparison phrase by phrase, in each place', () => {
    const places = fc.array(fc.array(fc.array(fc.oneof(term, fc.constant('x')), { maxLength: 12 }), { maxLength: 3 }), { minLength: 1, maxLength: 3 });
    assertProperty(
      fc.property(fc.array(phrase, { maxLength: 40 }), fc.array(places, { minLength: 1, maxLength: 3 }), (phrases, documents) => {
        const finder = new PhraseFinder(phrases.map((each) => [each]));
        for (const document of documents) {
          finder.beginDocument();
          for (const [place, texts] of document.entries()) {
            finder.beginPlace(place);
            for (const text of texts) {
              for (const word of text) finder.next(finder.classOf(word));
              finder.endText();
            }
          }
          const found = document.map((_, place) => phrases.map((_each, index) => finder.allOccur(index, 1 << place)));
          const wanted = document.map((texts) =>
            phrases.map((each) =>
              phrasesOccur(
                [each],
                texts.map((text) => text.map((word) => ({ term: word }))),
              ),
            ),
          );
          expect(found).toEqual(wanted);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('may end with more prefixes than a word of memory has bits', () => {
    const prefixes = Array.from({ length: 70 }, (_, index): Phrase => ({ terms: ['a', `b${String.fromCharCode(0x4e00 + index)}`], isPrefix: true }));
    const finder = new PhraseFinder(prefixes.map((each) => [each]));
    finder.beginDocument();
    finder.beginPlace(0);
    for (const word of ['a', `${prefixes[69]!.terms[1]!}x`, prefixes[40]!.terms[1]!]) finder.next(finder.classOf(word));
    expect(prefixes.flatMap((_, index) => (finder.allOccur(index, 1) ? [index] : []))).toEqual([69]);
  });
});

test('an Email that is not indexed meets the same conditions as in a comparison phrase by phrase', () => {
  const mail = fc.array(documentArbitrary, { minLength: 1, maxLength: 5 }).map(withIds);
  assertProperty(
    fc.property(mail, fc.array(conditionArbitrary, { maxLength: 6 }), (documents, conditions) => {
      const match = documentMatcher(conditions);
      for (const document of documents) {
        const met = new Set<TextCondition>();
        match(document, (condition) => met.add(condition));
        expect(conditions.map((condition) => met.has(condition))).toEqual(conditions.map((condition) => matchesCondition(document, condition)));
      }
    }),
    { numRuns: 200 },
  );
});

// @pitfall attack many-phrases
describe('a search for hundreds of phrases reads each word as often as a search for one:', () => {
  const words = Array.from({ length: 16 }, (_, index) => `w${index}`);
  const text = Array.from({ length: 300 }, (_, index) => words[(index * index) % 16]!);
  const documents = withIds(
    Array.from({ length: 40 }, () => ({
      hasAttachment: false,
      fields: [[], [], [], [], [text], [text, text], []],
      headers: [
        { name: 'received', terms: text },
        { name: 'x', terms: text },
      ],
      sortTexts: { from: '', to: '', subject: '' },
    })),
  );
  const pairs = words
    .flatMap((one) => words.map((other) => phraseOf(one, other)))
    .filter(({ terms: [one, other] }) => !text.some((word, index) => word === one && text[index + 1] === other))
    .slice(0, 200);
  const inText = (phrases: readonly Phrase[]): TextCondition[] => phrases.map((phrase) => ({ fields: [0, 1, 2, 3, 4, 5, 6], phrases: [phrase] }));
  const inHeader = (phrases: readonly Phrase[]): TextCondition[] => phrases.map((phrase) => ({ header: 'received', phrases: [phrase] }));

  /** The same octets. Reading a single octet calls `count`. */
  const counting = (given: Buffer, count: () => void): Buffer =>
    new Proxy(given, {
      get(target, name) {
        if (typeof name === 'string' && /^\d+$/.test(name)) count();
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value;
      },
    });

  const segmentReads = async (conditions: readonly TextCondition[]): Promise<number> => {
    let reads = 0;
    const reader = await readerOf(encodedSegment(documents));
    const counted = new Proxy(reader, {
      get(target, name) {
        if (name !== 'readDocuments')
          return typeof target[name as keyof SegmentReader] === 'function'
            ? (target[name as keyof SegmentReader] as (...args: unknown[]) => unknown).bind(target)
            : target[name as keyof SegmentReader];
        return async (...args: Parameters<SegmentReader['readDocuments']>) =>
          (await target.readDocuments(...args)).map((block) => (args[0] === 'words' ? { ...block, bytes: counting(block.bytes, () => reads++) } : block));
      },
    });
    await verifyMatches(counted, await matchSegment(counted, conditions));
    return reads;
  };

  const documentReads = (conditions: readonly TextCondition[]): number => {
    let reads = 0;
    const read = (terms: readonly string[]) =>
      ({
        *[Symbol.iterator]() {
          for (const term of terms) {
            reads++;
            yield term;
          }
        },
      }) as unknown as readonly string[];
    const match = documentMatcher(conditions);
    for (const { fields, headers, ...others } of documents) {
      const document: SearchDocument = {
        ...others,
        fields: fields.map((texts) => texts.map(read)),
        headers: headers.map(({ name, terms }) => ({ name, terms: read(terms) })),
      };
      match(document, () => undefined);
    }
    return reads;
  };

  test('in the words of a segment', async () => {
    expect(pairs.length).toBeGreaterThan(150);
    const once = await segmentReads(inText(pairs.slice(0, 1)));
    expect(once).toBeGreaterThan(documents.length * 3 * text.length - 1);
    expect(await segmentReads(inText(pairs))).toBe(once);
  });

  test('in the texts and header fields of Emails that are not indexed', () => {
    expect(documentReads(inText(pairs.slice(0, 1)))).toBe(documents.length * 3 * text.length);
    expect(documentReads(inText(pairs))).toBe(documents.length * 3 * text.length);
    expect(documentReads(inHeader(pairs))).toBe(documents.length * text.length);
  });
});

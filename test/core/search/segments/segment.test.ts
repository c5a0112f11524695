import * as fc from 'fast-check';
import { PhraseFinder } from '../../../../core/search/phrase-finder.ts';
import { documentsIn } from '../../../../core/search/segment-format/document-set.ts';
import { UnusableSegment } from '../../../../core/search/segment-format/segment-bytes.ts';
import { documentsOfBlock, encodeDocumentBlock, findInField } from '../../../../core/search/segment-format/segment-documents.ts';
import { decodeHeaderBlock, encodeHeaderBlock } from '../../../../core/search/segment-format/segment-headers.ts';
import { parseSegmentName, segmentName } from '../../../../core/search/segment-format/segment-name.ts';
import { decodePostings, encodePostings, addDocuments, encodeTerms, termEntries } from '../../../../core/search/segment-format/segment-terms.ts';
import { matchSegment, octetsToVerify, verifyMatches } from '../../../../core/search/segments/segment-match.ts';
import type { SegmentReader } from '../../../../core/search/segments/segment-reader.ts';
import { assertProperty } from '../../../support/assert-property.ts';
import { conditionArbitrary, documentArbitrary, encodedSegment, matchesCondition, readerOf, withIds, words } from '../../../support/search-documents.ts';

const mail = fc.array(documentArbitrary, { minLength: 1, maxLength: 90, size: 'max' }).map(withIds);

const allOf = async (segment: SegmentReader) => {
  const documents = [];
  for await (const document of segment.allDocuments()) documents.push(document);
  return documents;
};

describe('a segment', () => {
  test('returns the documents from which it was made', () =>
    assertProperty(
      fc.asyncProperty(mail, fc.boolean(), async (documents, isHeld) => {
        const segment = await readerOf(encodedSegment(documents), { isHeld });
        expect(await allOf(segment)).toEqual(documents);
        expect(documents.map((_, document) => segment.emailId(document))).toEqual(documents.map(({ emailId }) => emailId));
        const { texts, numbers } = await segment.sort('subject');
        expect(Array.from(numbers, (number) => texts[number])).toEqual(documents.map(({ sortTexts }) => sortTexts.subject));
      }),
      { numRuns: 15 },
    ));

  test('finds the documents that a linear scan finds', () =>
    assertProperty(
      fc.asyncProperty(mail, fc.array(conditionArbitrary, { minLength: 1, maxLength: 5 }), fc.boolean(), async (documents, conditions, isHeld) => {
        const segment = await readerOf(encodedSegment(documents), { isHeld });
        const matches = await matchSegment(segment, conditions);
        for (const { matched, unverified, condition } of matches) {
          const candidates = new Set([...documentsIn(matched), ...documentsIn(unverified)]);
          expect(documents.filter((each, document) => matchesCondition(each, condition) && !candidates.has(document))).toEqual([]);
        }
        await verifyMatches(segment, matches);
        for (const { matched, condition } of matches) {
          expect([...documentsIn(matched)]).toEqual(documents.flatMap((each, document) => (matchesCondition(each, condition) ? [document] : [])));
        }
      }),
      { numRuns: 60 },
    ));

  test('reads nothing for words of a segment in memory, and only the words of the candidates for a phrase', async () => {
    const documents = withIds(
      Array.from({ length: 2000 }, (_, index) => ({
        hasAttachment: false,
        fields: [[], [], [], [], [], [index === 700 ? ['the', 'zoe'] : ['of', 'the', 'an']], []],
        headers: [],
        sortTexts: { from: '', to: '', subject: '' },
      })),
    );
    const encoded = encodedSegment(documents);
    const segment = await readerOf(encoded);
    const [matches] = await matchSegment(segment, [{ fields: [5], phrases: [{ terms: ['the', 'zoe'], isPrefix: false }] }]);
    expect([...documentsIn(matches!.unverified)]).toEqual([700]);
    expect(octetsToVerify(segment, [matches!])).toBeLessThan(500);
    const [nothing] = await matchSegment(segment, [{ fields: [5], phrases: [{ terms: ['the', 'absent'], isPrefix: false }] }]);
    expect(octetsToVerify(segment, [nothing!])).toBe(0);
  });

  test('has a name with its lengths, and no name of another form', () => {
    const name = { documents: 12, documentOctets: 500, indexOctets: 900, octets: 1000, nonce: 'ab-c' };
    expect(parseSegmentName(segmentName(name))).toEqual(name);
    expect(parseSegmentName('v2-12-500')).toBeUndefined();
  });
});

describe('a damaged segment', () => {
  const documents = withIds(fc.sample(documentArbitrary, { numRuns: 70, seed: 1 }));
  const encoded = encodedSegment(documents);
  const everything = { fields: [0, 1, 2, 3, 4, 5, 6], phrases: [{ terms: ['a', 'an'], isPrefix: true }] };
  const header = { header: 'list-id', phrases: [{ terms: ['the'], isPrefix: false }] };

  /** Reads everything in a segment. */
  const readAll = async (stored: Buffer) => {
    const segment = await readerOf(encoded, { stored });
    const matches = await matchSegment(segment, [everything, header]);
    await verifyMatches(segment, matches);
    return { documents: await allOf(segment), matched: matches.map(({ matched }) => [...documentsIn(matched)]) };
  };

  test('is detected, wherever octets were changed or truncated', async () => {
    const whole = await readAll(encoded.bytes);
    await assertProperty(
      fc.asyncProperty(fc.nat(encoded.bytes.length - 1), fc.integer({ min: 1, max: 255 }), fc.boolean(), async (at, change, isCut) => {
        const stored = isCut ? encoded.bytes.subarray(0, at) : Buffer.from(encoded.bytes);
        if (!isCut) stored[at]! ^= change;
        try {
          expect(await readAll(stored)).toEqual(whole);
          throw new Error('a changed octet was not recognized');
        } catch (error) {
          expect(error).toBeInstanceOf(UnusableSegment);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('of another account, or of another length, is detected', async () => {
    await expect(readerOf({ ...encoded, documents: 69 })).rejects.toThrow(UnusableSegment);
    await expect(readerOf(encoded, { stored: Buffer.concat([encoded.bytes]).fill(0) })).rejects.toThrow(UnusableSegment);
  });
});

/** Runs a decoder over octets. Its only permitted failure is UnusableSegment. */
const decode = (act: () => unknown): void => {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(UnusableSegment);
  }
};

describe('the decoders of a segment', () => {
  /** Random octets: arbitrary ones, or those of a block after some changes. */
  const octetsLike = (block: Buffer) =>
    fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.array(fc.tuple(fc.nat(block.length - 1), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 }).map((changes) => {
        const changed = Buffer.from(block);
        for (const [at, octet] of changes) changed[at] = octet;
        return changed;
      }),
    );
  const layout = { documents: 40, bodyField: 5, commonTerms: 9 };
  const [terms] = encodeTerms(
    words.toSorted().map((term, number) => ({ term, number, lists: [[1, 2, 39], [], [number]].slice(number % 2).filter((list) => list.length > 0) })),
    40,
    5,
  );
  const block = encodeDocumentBlock([
    [[[1, 2, 300]], [], [], [], [[7], [8, 9]], [[1, 1, 1]], []],
    [[], [], [], [], [], [[5]], []],
  ]);
  const headers = encodeHeaderBlock([[{ name: 'list-id', terms: ['a', 'b'] }], []]);

  test('of terms ends for any octets', () =>
    assertProperty(
      fc.property(octetsLike(terms!.bytes), (bytes) =>
        decode(() => {
          for (const entry of termEntries(bytes, layout, 0)) for (let field = 0; field < 8; field++) addDocuments(entry, field, 40, new Uint32Array(2));
        }),
      ),
      { numRuns: 300 },
    ));

  test('of documents ends for any octets', () =>
    assertProperty(
      fc.property(octetsLike(block), (bytes) =>
        decode(() => {
          const finder = new PhraseFinder([[{ terms: ['a', 'a', 'an', 'o'], isPrefix: true }]]);
          const classes = Uint32Array.of(0, ...['a', 'an', 'of'].map((word) => finder.classOf(word)));
          finder.beginPlace(0);
          for (const fields of documentsOfBlock(bytes, 2)) for (const range of fields) findInField(finder, classes, bytes, range);
        }),
      ),
      { numRuns: 300 },
    ));

  test('of header fields ends for any octets', () =>
    assertProperty(
      fc.property(octetsLike(headers), (bytes) =>
        decode(() => {
          decodeHeaderBlock(bytes, 2);
        }),
      ),
      { numRuns: 200 },
    ));

  test('of the documents of a term returns the encoded documents', () =>
    assertProperty(
      fc.property(
        fc
          .integer({ min: 1, max: 40_000 })
          .chain((documents) => fc.tuple(fc.constant(documents), fc.uniqueArray(fc.nat(documents - 1), { minLength: 1, maxLength: 300, size: 'max' }))),
        ([documents, list]) => {
          const sorted = list.toSorted((a, b) => a - b);
          const bytes = encodePostings(sorted, documents);
          const decoded: number[] = [];
          decodePostings({ bytes, start: 0, end: bytes.length, count: sorted.length }, documents, (document) => decoded.push(document));
          expect(decoded).toEqual(sorted);
        },
      ),
      { numRuns: 200 },
    ));
});

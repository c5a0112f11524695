import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { searchLimits } from '../../contract/jmap/core.ts';
import { parseMessage } from '../../core/mime/parse-message.ts';
import { markedPreview, markedText } from '../../core/search/marked-text.ts';
import { parseSearchText } from '../../core/search/search-words.ts';
import { headerTexts, searchableText } from '../../core/search/searchable-text.ts';
import { documentsIn } from '../../core/search/segment-format/document-set.ts';
import { UnusableSegment } from '../../core/search/segment-format/segment-bytes.ts';
import { matchSegment, verifyMatches } from '../../core/search/segments/segment-match.ts';
import { tokensOf } from '../../core/search/tokenizer.ts';
import { documentArbitrary, encodedSegment, phrasesOccur, readerOf, withIds } from '../support/search-documents.ts';
import { asyncFuzzTarget, fuzzTarget, type FuzzTarget } from './fuzz-target.ts';
import { mutatedBytes, mutatedText } from './mutated-bytes.ts';

const texts = [
  'Hello, world! It’s alice@example.com, 3.14',
  'Größe, ΣΊΣΥΦΟΣ, ещё, İstanbul',
  '東京都に住んでいるiPhone',
  'ภาษาไทยง่าย',
  'हिन्दी தமிழ் 한국어',
  'مُحَمَّد שָׁלוֹם',
  'ﬁﷺ½⑴',
  '<b>a & b</b>',
];
const pieces = ['"', "'", '\\', '*', ' ', '\n', '\u0301', '\u200b', '\u200c', '\u00ad', '\ufeff', '\ud83d\ude00', 'ß', 'é', '東', 'あ', 'ก', '<', '&', 'a'];

const checkTokens = (text: string): void => {
  let position = 0;
  for (const { term, start, end } of tokensOf(text)) {
    assert.ok(start >= position && end > start && end <= text.length, 'words are in order');
    assert.match(term, /^\S{1,64}$/);
    const [again, more] = [...tokensOf(term)];
    assert.ok(more !== undefined || again?.term === term, `${JSON.stringify(term)} is found by itself`);
    position = end;
  }
};

const checkMarks = ([text, search]: readonly [string, string]): void => {
  const phrases = parseSearchText(search);
  if (!phrases) return;
  assert.ok(phrases.reduce((sum, { terms }) => sum + terms.length, 0) <= searchLimits.maxSearchTerms);
  const occurs = phrases.some((phrase) => phrasesOccur([phrase], [[...tokensOf(text)]]));
  for (const html of [markedText(text, phrases), markedPreview(text, phrases)]) {
    assert.equal(html !== null, occurs);
    assert.doesNotMatch((html ?? '').replaceAll(/<mark>[^<>]+<\/mark>/g, ''), /[<>]|&(?!amp;|lt;|gt;)/);
  }
  assert.ok(Buffer.byteLength(markedPreview(text, phrases) ?? '') <= 255);
};

/** A small segment whose octets are damaged. */
const segmentDocuments = withIds(fc.sample(documentArbitrary, { numRuns: 40, seed: 3 }));
const segment = encodedSegment(segmentDocuments);
const readSegment = async (stored: Buffer) => {
  const reader = await readerOf(segment, { stored });
  const matches = await matchSegment(reader, [
    { fields: [0, 1, 2, 3, 4, 5, 6], phrases: [{ terms: ['a', 'an'], isPrefix: true }] },
    { header: 'list-id', phrases: [{ terms: ['the'], isPrefix: false }] },
  ]);
  await verifyMatches(reader, matches);
  const documents = [];
  for await (const document of reader.allDocuments()) documents.push(document);
  return { documents, matched: matches.map(({ matched }) => [...documentsIn(matched)]) };
};
let wholeSegment: ReturnType<typeof readSegment> | undefined;

/** Targets of full-text search. */
export const searchTargets: readonly FuzzTarget[] = [
  fuzzTarget('tokens', () => mutatedText(texts, pieces), checkTokens),
  fuzzTarget(
    'search-text',
    () => fc.tuple(mutatedText(texts, pieces), mutatedText(['hello "alice@example.com" wor*', "東京* 'a b'", ...texts], pieces)),
    checkMarks,
  ),
  fuzzTarget(
    'searchable-text',
    () =>
      mutatedBytes(
        [
          'Subject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\ntext\r\n' +
            '--b\r\nContent-Type: text/html\r\n\r\n<p>a<b>b</b></p>\r\n--b\r\nContent-Type: message/rfc822\r\n\r\nTo: a@b\r\n\r\nx\r\n--b--',
        ],
        [
          '--b\r\n',
          'Content-Type: text/html\r\n',
          'Content-Type: message/rfc822\r\n',
          'Content-Transfer-Encoding: base64\r\n',
          '\r\n',
          '<style>',
          '<p hidden>',
          '&lt;',
          '\0',
          'é',
          'a ',
        ],
      ),
    (raw) => {
      const { email } = parseMessage(raw);
      const { body } = searchableText(email, raw);
      assert.ok(body.reduce((sum, text) => sum + Buffer.byteLength(text), 0) <= searchLimits.maxSizeSearchedText);
      for (const text of body) checkTokens(text);
      headerTexts(raw.subarray(email.bodyStructure.headers.start, email.bodyStructure.headers.end));
    },
  ),
  asyncFuzzTarget(
    'segment',
    () => mutatedBytes([segment.bytes], ['\0', '{', '"', '\xff', 'PRSRCH']),
    async (stored) => {
      try {
        assert.deepEqual(await readSegment(stored), await (wholeSegment ??= readSegment(segment.bytes)));
      } catch (error) {
        if (!(error instanceof UnusableSegment)) throw error;
      }
    },
  ),
];

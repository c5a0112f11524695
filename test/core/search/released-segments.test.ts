import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { messageBlobId } from '../../../core/mail-types/email/blob-id.ts';
import { documentsIn } from '../../../core/search/segment-format/document-set.ts';
import type { TextCondition } from '../../../core/mail-types/email/index/email-filter.ts';
import { searchDocument, searchFields, type SearchDocument } from '../../../core/search/texts/search-document.ts';
import { parseSearchText } from '../../../core/search/texts/search-words.ts';
import { decodeSegmentHeader, layoutOf, segmentVersion, type EncodedSegment } from '../../../core/search/segment-format/segment-file.ts';
import { matchSegment, verifyMatches } from '../../../core/search/segments/segment-match.ts';
import { parseMessage } from '../../../core/mime/parse-message.ts';
import { emailId } from '../../support/email-fixtures.ts';
import { encodedSegment, matchesCondition, readerOf } from '../../support/search-documents.ts';
import { searchedMail } from '../../support/searched-mail.ts';

/**
 * The segment that a release made of the messages below, in base64 with its lengths, and the words in it. A new file is
 * `{ ...encodedSegment(documents), bytes: … in base64, words: documents }`.
 */
type Released = Omit<EncodedSegment, 'bytes'> & { readonly bytes: string; readonly words: readonly SearchDocument[] };

const folder = join(__dirname, 'released-segments');
const released = JSON.parse(readFileSync(join(folder, `version-${segmentVersion}.json`), 'utf8')) as Released;
const releasedSegment: EncodedSegment = { ...released, bytes: Buffer.from(released.bytes, 'base64') };

/** Messages whose words depend on each rule of search. */
const messages = [
  ['From: "Zoë Müller" <zoe.mueller@mail.example.net>', 'To: Łódź <l@example.org>, b@example.org', 'Subject: RE: Größe ΣΊΣΥΦΟΣ', 'X-Priority: 1',
    'Content-Type: text/plain; charset=utf-8', '', `straße ещё İstanbul o\u00ADver x${'y'.repeat(100)} 3.14 ﬁne ½ I'm`],
  ['Subject: 東京大学のお知らせ', 'List-Id: <news.example.net>', 'Content-Type: text/html; charset=utf-8', '',
    '<style>no</style><p hidden>no</p><b>こん</b>にちは世界 ภาษาไทยง่าย हिन्दी தமிழ் 한국어 مُحَمَّد שָׁלוֹם</p><img alt="Blue &eacute;toile" title="">'],
  ['From: a@example.net', 'Cc: c@example.net', 'Bcc: d@example.net', 'Subject: Parcel', 'Content-Type: multipart/mixed; boundary=b', '',
    '--b', 'Content-Type: text/plain; name="notes 1.txt"', 'Content-Disposition: attachment', 'Content-Transfer-Encoding: base64', '', 'V2FscnVz',
    '--b', 'Content-Type: message/rfc822', '', 'Subject: Inner', 'From: In <in@example.net>', '', 'Narwhal',
    '--b', 'Content-Type: message/delivery-status', '', 'Final-Recipient: rfc822; z@example.org', '--b--', ''],
  ['', ''],
].map((lines) => Buffer.from(lines.join('\r\n')));

const documents = messages.map((raw, index): SearchDocument => searchDocument(
  { ...parseMessage(raw).email, id: index === 3 ? 'Mshort' : emailId(index), blobId: messageBlobId('k'.repeat(22)) },
  { bytes: ({ start, end }) => raw.subarray(start, end) },
));

/** All parts of a segment but those that are compressed, whose octets depend on the version of zstd. */
const uncompressedParts = ({ bytes }: EncodedSegment) => {
  const { header, end } = decodeSegmentHeader(bytes, bytes.length);
  const layout = layoutOf(header, end, bytes.length);
  const part = (at: number, { octets }: { readonly octets: number }) => bytes.subarray(at, at + octets).toString('base64');
  const { accountId, documents: count, commonTerms, unpackedIds } = header;
  return {
    accountId, count, commonTerms, unpackedIds, ids: part(layout.ids, header.ids), attachments: part(layout.attachments, header.attachments),
    terms: header.terms.map((block, index) => [block.first, block.singles, part(layout.terms[index]!, block)]),
    words: header.words.map((block, index) => part(layout.words[index]!, block)),
  };
};

/** The octets as a segment of another version. */
const withVersion = (segment: Buffer, version: number): Buffer => {
  const bytes = Buffer.from(segment);
  bytes.writeUInt16LE(version, 6);
  const json = bytes.subarray(24, 24 + bytes.readUInt32LE(8));
  bytes.writeUInt32LE(crc32(json, crc32(bytes.subarray(0, 20))), 20);
  return bytes;
};

describe('search segments of releases', () => {
  test('have one file, for the version of this release: segments of older versions are not read', () => {
    expect(readdirSync(folder)).toEqual([`version-${segmentVersion}.json`]);
  });

  test('have the words that this release finds: another rule of words or texts needs a new version and a new file', () => {
    expect(documents).toEqual(released.words);
  });

  test('have the form in which this release writes: another form needs a new version and a new file', () => {
    expect(uncompressedParts(encodedSegment(documents))).toEqual(uncompressedParts(releasedSegment));
  });

  test.each([true, false])('are read as they were written (in memory: %s)', async (isHeld) => {
    const segment = await readerOf(releasedSegment, { isHeld });
    const read = [];
    for await (const document of segment.allDocuments()) read.push(document);
    expect(read).toEqual(released.words);
    const conditions: TextCondition[] = [
      { fields: [searchFields.indexOf('body')], phrases: parseSearchText('strasse "x y"')! }, { fields: [4, 5], phrases: parseSearchText('大学')! },
      { fields: [5], phrases: parseSearchText('"in@example.net" narw*')! }, { header: 'list-id', phrases: parseSearchText('news')! }, { hasAttachment: true },
    ];
    const matches = await matchSegment(segment, conditions);
    await verifyMatches(segment, matches);
    expect(matches.map(({ matched }) => [...documentsIn(matched)]))
      .toEqual(conditions.map((condition) => released.words.flatMap((document, index) => (matchesCondition(document, condition) ? [index] : []))));
  });

  test('of an older release are not used for a search, and the indexer replaces them', async () => {
    const mail = await searchedMail({ bounds: { logBytes: 1200, remaining: 3 } });
    const found = [await mail.deliver(0, { body: 'walrus' })];
    for (let number = 1; number < 6; number++) await mail.deliver(number, { body: 'tapir' });
    await mail.index();
    const walrus: TextCondition = { fields: [searchFields.indexOf('body')], phrases: parseSearchText('walrus')! };
    for (const name of mail.searchKeys()) {
      const { bytes } = (await mail.objects.get(name))!;
      if (bytes.toString('latin1', 0, 6) === 'PRSRCH') await mail.objects.put(name, withVersion(bytes, segmentVersion - 1));
    }
    const [old] = await mail.segments();
    expect(await mail.find(walrus, mail.newSearch())).toEqual(found);
    await mail.index({ isCold: true });
    expect(await mail.segments()).toEqual([expect.not.stringMatching(old!)]);
    expect(await mail.find(walrus, mail.newSearch(), { spendOctets: (octets) => octets === 0, spendEmails: (emails) => emails === 0 })).toEqual(found);
  });
});

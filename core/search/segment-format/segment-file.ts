import { crc32 } from 'node:zlib';
import { byTextSort, textSorts, type TextSort } from '../../account-index/columns/text-sorts.ts';
import { UnusableSegment } from './segment-bytes.ts';

/**
 * The file of a segment: a preamble, a header of JSON, then the sections of the header in its order.
 *
 * | Octets | Preamble |
 * |---|---|
 * | 0–5 | `PRSRCH` |
 * | 6–7 | `segmentVersion` |
 * | 8–11 | octets of the JSON |
 * | 12–19 | octets of the file |
 * | 20–23 | CRC-32 of the octets before it and of the JSON |
 * The ids of the documents and their attachment flags are first, because a reader may hold only these. The blocks of
 * terms follow, then the words and header fields of the documents, which are read in ranges. Every section and block
 * has a CRC-32.
 */
const magic = 'PRSRCH';
const crcOffset = 20;
const preambleOctets = 24;

/**
 * The version of the file format and of the definition of words. A segment of an older version is not used; the indexer
 * replaces it. A change of the definition of a word, or of the searched texts, needs a new version.
 */
export const segmentVersion = 4;

/** Maximum documents of a segment. More documents are divided into several segments. */
export const maxDocuments = 16_384;

/** Octets after which a segment accepts no more documents. */
export const maxSegmentOctets = 64 * 1024 * 1024;

/** A part of the file. */
export type Section = { readonly octets: number; readonly crc: number };

/** A block of terms. For `singles` see {@link WrittenBlock}. */
type TermBlock = Section & { readonly first: string; readonly singles: number };

/** The order of Emails by a text: the distinct texts as compressed JSON, and the number of each document's text. */
type SortSections = { readonly texts: Section; readonly numbers: Section };

export type SegmentHeader = {
  readonly accountId: string;
  readonly documents: number;
  /** The number of terms that are in more than one field or document. */
  readonly commonTerms: number;
  /** Ids that cannot be packed, by document. */
  readonly unpackedIds: readonly (readonly [document: number, id: string])[];
  readonly ids: Section;
  readonly attachments: Section;
  readonly sorts: Readonly<Record<TextSort, SortSections>>;
  readonly terms: readonly TermBlock[];
  readonly words: readonly Section[];
  readonly headers: readonly Section[];
};

/** The parts of a segment, in the order in which they are written to the file. */
export type SegmentParts = {
  readonly accountId: string;
  readonly documents: number;
  readonly commonTerms: number;
  readonly unpackedIds: SegmentHeader['unpackedIds'];
  readonly ids: Buffer;
  readonly attachments: Buffer;
  readonly sorts: Readonly<Record<TextSort, { readonly texts: Buffer; readonly numbers: Buffer }>>;
  readonly terms: readonly { readonly first: string; readonly singles: number; readonly bytes: Buffer }[];
  readonly words: readonly Buffer[];
  readonly headers: readonly Buffer[];
};

/**
 * An encoded segment. `documentOctets`: octets up to the ids and attachment flags. `indexOctets`: octets up to the
 * blocks of terms.
 */
export type EncodedSegment = { readonly bytes: Buffer; readonly documents: number; readonly documentOctets: number; readonly indexOctets: number };

const sectionOf = (bytes: Buffer): Section => ({ octets: bytes.length, crc: crc32(bytes) });
const headerChecksum = (preamble: Buffer, json: Buffer): number => crc32(json, crc32(preamble.subarray(0, crcOffset)));
const octetsOf = (buffers: readonly Buffer[]): number => buffers.reduce((sum, { length }) => sum + length, 0);

export const encodeSegment = (parts: SegmentParts): EncodedSegment => {
  const { accountId, documents, commonTerms, unpackedIds, ids, attachments, sorts, terms, words, headers } = parts;
  const sortBuffers = textSorts.flatMap((sort) => [sorts[sort].texts, sorts[sort].numbers]);
  const json = Buffer.from(
    JSON.stringify({
      accountId,
      documents,
      commonTerms,
      unpackedIds,
      ids: sectionOf(ids),
      attachments: sectionOf(attachments),
      sorts: byTextSort((sort) => ({ texts: sectionOf(sorts[sort].texts), numbers: sectionOf(sorts[sort].numbers) })),
      terms: terms.map(({ first, singles, bytes }) => ({ first, singles, ...sectionOf(bytes) })),
      words: words.map(sectionOf),
      headers: headers.map(sectionOf),
    }),
  );
  const known = [json, ids, attachments];
  const index = [...sortBuffers, ...terms.map(({ bytes }) => bytes)];
  const documentOctets = preambleOctets + octetsOf(known);
  const indexOctets = documentOctets + octetsOf(index);
  const octets = indexOctets + octetsOf(words) + octetsOf(headers);
  const preamble = Buffer.alloc(preambleOctets);
  preamble.write(magic, 'latin1');
  preamble.writeUInt16LE(segmentVersion, 6);
  preamble.writeUInt32LE(json.length, 8);
  preamble.writeBigUInt64LE(BigInt(octets), 12);
  preamble.writeUInt32LE(headerChecksum(preamble, json), crcOffset);
  return { bytes: Buffer.concat([preamble, ...known, ...index, ...words, ...headers], octets), documents, documentOctets, indexOctets };
};

/** Decodes the header. @param start the first octets of a file with `octets` octets. @throws UnusableSegment */
export const decodeSegmentHeader = (start: Buffer, octets: number): { readonly header: SegmentHeader; readonly end: number } => {
  if (start.length < preambleOctets || start.toString('latin1', 0, magic.length) !== magic) throw new UnusableSegment('damaged');
  const end = preambleOctets + start.readUInt32LE(8);
  const json = start.subarray(preambleOctets, end);
  if (start.length < end || start.readBigUInt64LE(12) !== BigInt(octets) || headerChecksum(start, json) !== start.readUInt32LE(crcOffset)) {
    throw new UnusableSegment('damaged');
  }
  const version = start.readUInt16LE(6);
  if (version !== segmentVersion) throw new UnusableSegment(version < segmentVersion ? 'outdated' : 'newer');
  const header: SegmentHeader = JSON.parse(json.toString());
  return { header, end };
};

/** The position of each part of a segment in the file. */
export type SegmentLayout = {
  readonly ids: number;
  readonly attachments: number;
  readonly sorts: Readonly<Record<TextSort, { readonly texts: number; readonly numbers: number }>>;
  readonly terms: readonly number[];
  readonly words: readonly number[];
  readonly headers: readonly number[];
};

/** Computes the positions. @throws UnusableSegment when the sections are not the whole file. */
export const layoutOf = (header: SegmentHeader, end: number, octets: number): SegmentLayout => {
  let at = end;
  const place = (section: Section): number => {
    const start = at;
    at += section.octets;
    return start;
  };
  const [ids, attachments] = [place(header.ids), place(header.attachments)];
  const sorts = byTextSort((sort) => {
    const { texts, numbers } = header.sorts[sort];
    return { texts: place(texts), numbers: place(numbers) };
  });
  const [terms, words, headers] = [header.terms, header.words, header.headers].map((sections) => sections.map(place));
  if (at !== octets) throw new UnusableSegment('damaged');
  return { ids, attachments, sorts, terms: terms!, words: words!, headers: headers! };
};

/** Checks the CRC-32 of a section. @throws UnusableSegment when the octets differ from those that were written. */
export const checkSection = (bytes: Buffer, { octets, crc }: Section): Buffer => {
  if (bytes.length !== octets || crc32(bytes) !== crc) throw new UnusableSegment('damaged');
  return bytes;
};

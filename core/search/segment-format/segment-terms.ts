import { addTo, type DocumentSet } from './document-set.ts';
import { ByteReader, ByteWriter, UnusableSegment } from './segment-bytes.ts';

/**
 * The documents of a term, as a Rice code of the gaps between them: the gap's upper bits in unary, then its lower bits.
 * The number of lower bits is computed from the share of documents that have the term, so that the code is only
 * slightly longer than the entropy of the gaps.
 */
const lowerBits = (count: number, documents: number): number => Math.max(0, Math.floor(Math.log2((0.69 * documents) / count)));

/** Encodes documents in ascending order. @param documents the number of documents in the segment. */
export const encodePostings = (list: readonly number[], documents: number): Buffer => {
  const width = lowerBits(list.length, documents);
  const bits = list.length * (1 + width) + Math.ceil(documents / 2 ** width);
  const bytes = Buffer.alloc((bits >>> 3) + 1);
  let at = 0;
  let previous = -1;
  for (const document of list) {
    const gap = document - previous - 1;
    previous = document;
    for (let upper = gap >>> width; upper > 0; upper--, at++) bytes[at >>> 3]! |= 0x80 >>> (at & 7);
    at++;
    for (let bit = width - 1; bit >= 0; bit--, at++) if ((gap >>> bit) & 1) bytes[at >>> 3]! |= 0x80 >>> (at & 7);
  }
  return bytes.subarray(0, (at + 7) >>> 3);
};

/** The range of a buffer with encoded documents. */
type PostingsRange = { readonly bytes: Buffer; readonly start: number; readonly end: number; readonly count: number };

/** Calls `visit` with each document. @throws UnusableSegment when the octets do not encode that number of documents. */
export const decodePostings = ({ bytes, start, end, count }: PostingsRange, documents: number, visit: (document: number) => void): void => {
  const width = lowerBits(count, documents);
  const last = end * 8;
  let at = start * 8;
  let document = -1;
  for (let i = 0; i < count; i++) {
    let gap = 0;
    for (; ((bytes[at >>> 3]! << (at & 7)) & 0x80) !== 0 && at < last; at++) gap++;
    at++;
    if (at + width > last) throw new UnusableSegment('damaged');
    for (let left = width; left > 0;) {
      const offset = at & 7;
      const taken = Math.min(left, 8 - offset);
      gap = (gap << taken) | ((bytes[at >>> 3]! >>> (8 - offset - taken)) & (0xff >>> (8 - taken)));
      at += taken;
      left -= taken;
    }
    document += gap + 1;
    if (document >= documents) throw new UnusableSegment('damaged');
    visit(document);
  }
};

/**
 * The terms of a segment in blocks, sorted by UTF-16 units. An entry has the term without the prefix that it shares
 * with the previous term, its number, and its documents by field. Half of all terms occur in only one field of one
 * document. The numbers of these terms follow from their order; if the field is the body, the entry has a short form.
 */

/** A term with its documents by field. */
export type TermEntry = {
  readonly term: string;
  /**
   * The number of the term in the coded documents. Terms with more occurrences in fields of documents have lower
   * numbers.
   */
  readonly number: number;
  /** The documents by field number; undefined when no document has the term in that field. */
  readonly postings: readonly (PostingsRange | undefined)[];
  /** The document and the field of a term that has only one document. */
  readonly only?: { readonly field: number; readonly document: number };
};

/** A term to write. `lists`: ascending documents by field number; a field without documents has no entry. */
export type WrittenTerm = { readonly term: string; readonly number: number; readonly lists: readonly (readonly number[])[] };

/** Maximum fields of an entry. */
const maxFields = 8;

/** Octets after which a block ends. */
const blockOctets = 8 * 1024;

/** A block. `singles`: the number of terms in all earlier blocks that occur in only one field of one document. */
type WrittenBlock = { readonly first: string; readonly bytes: Buffer; readonly singles: number };

const sharedUnits = (one: string, other: string): number => {
  let shared = 0;
  const length = Math.min(one.length, other.length, 255);
  while (shared < length && one.charCodeAt(shared) === other.charCodeAt(shared)) shared++;
  // A surrogate pair is not divided, because the rest is written as UTF-8.
  return shared > 0 && (one.charCodeAt(shared - 1) & 0xfc00) === 0xd800 ? shared - 1 : shared;
};

const isSingle = (lists: WrittenTerm['lists']): boolean => lists.reduce((sum, { length }) => sum + length, 0) === 1;

/** Encodes sorted terms. @param bodyField the field whose single terms have the short form. */
export const encodeTerms = (terms: Iterable<WrittenTerm>, documents: number, bodyField: number): WrittenBlock[] => {
  const blocks: WrittenBlock[] = [];
  let writer = new ByteWriter();
  let first = '';
  let previous = '';
  let singles = 0;
  let singlesBefore = 0;
  const endBlock = () => {
    if (writer.length > 0) blocks.push({ first, bytes: writer.toBuffer(), singles: singlesBefore });
    writer = new ByteWriter();
    [previous, singlesBefore] = ['', singles];
  };
  for (const { term, number, lists } of terms) {
    if (writer.length === 0) first = term;
    const shared = sharedUnits(previous, term);
    writer.octet(shared);
    writer.text(term.slice(shared));
    previous = term;
    const single = isSingle(lists);
    if (single) singles++;
    if (single && lists[bodyField]) {
      writer.octet(0);
      writer.number(lists[bodyField][0]!);
    } else {
      writer.octet(lists.reduce((mask, _, field) => mask | (1 << field), 0));
      writer.number(single ? 0 : number + 1);
      lists.forEach((list) => {
        writeList(writer, list, documents);
      });
    }
    if (writer.length >= blockOctets) endBlock();
  }
  endBlock();
  return blocks;
};

const writeList = (writer: ByteWriter, list: readonly number[], documents: number): void => {
  writer.number(list.length);
  const bytes = encodePostings(list, documents);
  writer.number(bytes.length);
  writer.octets(bytes);
};

/** The properties of a segment that are needed to read its entries. */
export type TermsLayout = {
  readonly documents: number;
  readonly bodyField: number;
  /** The number of terms that are in more than one field or document. Single terms are numbered after them. */
  readonly commonTerms: number;
};

/** The entries of a block in order, beginning with the first term at or after `from`. @throws UnusableSegment */
export function* termEntries(
  bytes: Buffer,
  { documents, bodyField, commonTerms }: TermsLayout,
  singles: number,
  from = '',
): Generator<TermEntry, void, undefined> {
  const reader = new ByteReader(bytes);
  let term = '';
  let single = singles;
  while (!reader.isAtEnd) {
    const shared = reader.octet();
    if (shared > term.length) throw new UnusableSegment('damaged');
    term = term.slice(0, shared) + reader.text();
    const mask = reader.octet();
    const isWanted = term >= from;
    if (mask === 0) {
      const document = reader.number();
      if (document >= documents) throw new UnusableSegment('damaged');
      const number = commonTerms + single++;
      if (isWanted) yield { term, number, postings: [], only: { field: bodyField, document } };
      continue;
    }
    const coded = reader.number();
    const number = coded > 0 ? coded - 1 : commonTerms + single++;
    const postings: (PostingsRange | undefined)[] = [];
    for (let field = 0; field < maxFields; field++) {
      if (((mask >>> field) & 1) === 0) continue;
      const count = reader.number();
      if (count === 0 || count > documents) throw new UnusableSegment('damaged');
      const start = reader.skip(reader.number());
      if (isWanted) postings[field] = { bytes, start, end: reader.at, count };
    }
    if (isWanted) yield { term, number, postings };
  }
}

/** Adds the documents that have the term in a field. @throws UnusableSegment */
export const addDocuments = ({ postings, only }: TermEntry, field: number, documents: number, set: DocumentSet): void => {
  if (only?.field === field) addTo(set, only.document);
  const range = postings[field];
  if (range)
    decodePostings(range, documents, (document) => {
      addTo(set, document);
    });
};

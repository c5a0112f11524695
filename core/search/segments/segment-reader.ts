import { zstdDecompressSync } from 'node:zlib';
import { packedBytes, unpackId } from '../../account-index/columns/packed-ids.ts';
import { byTextSort, textSorts, type TextSort } from '../../account-index/columns/text-sorts.ts';
import { mapConcurrently } from '../../runtime/map-concurrently.ts';
import { searchFields, type SearchDocument } from '../search-document.ts';
import { isIn } from '../segment-format/document-set.ts';
import { UnusableSegment } from '../segment-format/segment-bytes.ts';
import { decodeField, documentsInBlock, documentsOfBlock } from '../segment-format/segment-documents.ts';
import { checkSection, decodeSegmentHeader, layoutOf, type SegmentHeader, type Section, type SegmentLayout } from '../segment-format/segment-file.ts';
import { decodeHeaderBlock, documentsInHeaderBlock } from '../segment-format/segment-headers.ts';
import type { SegmentName } from '../segment-format/segment-name.ts';
import { termEntries, type TermEntry, type TermsLayout } from '../segment-format/segment-terms.ts';
import { octetsToRead, readSections, type PlacedSection, type ReadRange } from './segment-ranges.ts';

/**
 * The texts by which documents are sorted: the distinct texts in the order of the default collation, and the number of
 * each document's text.
 */
type SegmentSort = { readonly texts: readonly string[]; readonly numbers: Uint16Array };

/** The fraction of the words from which all words are read and kept, and the octets of words that one request reads. */
const partToHold = 0.2;
const rangeOctets = 8 * 1024 * 1024;

/** Maximum octets of the texts of a sort. Each text is truncated when its message is parsed. */
const maxSortOctets = 64 * 1024 * 1024;

const placed = (starts: readonly number[], sections: readonly { readonly octets: number; readonly crc: number }[], index: number) => ({
  start: starts[index]!,
  section: sections[index]!,
});

/** A block of words or header fields in memory, and the number of its first document. */
type DocumentBlock = { readonly first: number; readonly documents: number; readonly bytes: Buffer };

/** A segment. Its header and the ids of its documents are in memory. */
export class SegmentReader {
  readonly header: SegmentHeader;
  readonly terms: TermsLayout;
  readonly #layout: SegmentLayout;
  readonly #read: ReadRange;
  readonly #ids: Buffer;
  readonly #attachments: Uint32Array;
  readonly #unpacked: ReadonlyMap<number, string>;
  readonly #startOctets: number;
  /** The words of all documents, if they were read, and the blocks whose checksum was verified. */
  #words: Buffer | undefined;
  readonly #checkedBlocks = new Set<number>();
  /** Whether the words of all documents may be kept in memory. */
  mayHoldWords = false;

  private constructor(start: Buffer, { octets, indexOctets }: SegmentName, read: ReadRange) {
    const { header, end } = decodeSegmentHeader(start, octets);
    this.header = header;
    this.#layout = layoutOf(header, end, octets);
    this.#startOctets = start.length;
    const { ids, attachments, documents } = header;
    const part = (at: number, section: Section) => checkSection(start.subarray(at, at + section.octets), section);
    this.#ids = part(this.#layout.ids, ids);
    // A copy, because the octets in a file are not aligned to words.
    this.#attachments = new Uint32Array(Uint8Array.from(part(this.#layout.attachments, attachments)).buffer);
    this.#unpacked = new Map(header.unpackedIds);
    this.terms = { documents, commonTerms: header.commonTerms, bodyField: searchFields.indexOf('body') };
    this.#read = async (from, to) => (to <= Math.min(start.length, indexOctets) ? start.subarray(from, to) : read(from, to));
    if (ids.octets !== documents * packedBytes || this.#attachments.length !== Math.ceil(documents / 32)) throw new UnusableSegment('damaged');
  }

  /**
   * Opens a segment.
   * @param isHeld whether to read all terms now and keep them in memory.
   * @throws UnusableSegment
   */
  static async open(read: ReadRange, accountId: string, name: SegmentName, isHeld: boolean): Promise<SegmentReader> {
    const start = await read(0, isHeld ? name.indexOctets : name.documentOctets);
    try {
      const reader = new SegmentReader(start, name, read);
      if (reader.header.accountId !== accountId || reader.documents !== name.documents) throw new UnusableSegment('damaged');
      return reader;
    } catch (error) {
      throw error instanceof UnusableSegment ? error : new UnusableSegment('damaged', { cause: error });
    }
  }

  get documents(): number {
    return this.header.documents;
  }

  /** Octets of the file that are in memory. */
  get bytes(): number {
    return this.#startOctets + (this.#words?.length ?? 0);
  }

  /** Maximum octets of the file that may be in memory. */
  get maxBytes(): number {
    return this.#startOctets + this.#wordOctets;
  }

  get #wordOctets(): number {
    return this.header.words.reduce((sum, { octets }) => sum + octets, 0);
  }

  emailId(document: number): string {
    return this.#unpacked.get(document) ?? unpackId(this.#ids, document * packedBytes);
  }

  /** Calls `visit` with the id of each document: in packed form, or as a string when it can't be packed. */
  visitIds(visit: (document: number, packed: Buffer, at: number, unpacked: string | undefined) => void): void {
    for (let document = 0; document < this.documents; document++) {
      visit(document, this.#ids, document * packedBytes, this.#unpacked.get(document));
    }
  }

  hasAttachment(document: number): boolean {
    return isIn(this.#attachments, document);
  }

  /** The blocks that may contain a term, or terms that begin with it. */
  #blocksOf(term: string, isPrefix: boolean): number[] {
    const blocks = this.header.terms;
    let [low, high] = [0, blocks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (blocks[middle]!.first <= term) low = middle + 1;
      else high = middle;
    }
    const found = low > 0 ? [low - 1] : [];
    if (isPrefix) for (let block = low; block < blocks.length && blocks[block]!.first.startsWith(term); block++) found.push(block);
    return found;
  }

  /**
   * The entries of terms and prefixes. They are read from the bucket unless the segment is held in memory. @throws
   * UnusableSegment
   */
  async entries(wanted: readonly { readonly term: string; readonly isPrefix: boolean }[]): Promise<readonly (readonly TermEntry[])[]> {
    const lookups = wanted.map(({ term, isPrefix }) => ({ term, isPrefix, blocks: this.#blocksOf(term, isPrefix) }));
    const needed = [...new Set(lookups.flatMap(({ blocks }) => blocks))].sort((a, b) => a - b);
    const buffers = await readSections(
      this.#read,
      needed.map((block) => placed(this.#layout.terms, this.header.terms, block)),
    );
    const bytesOf = new Map(needed.map((block, index) => [block, buffers[index]!]));
    return lookups.map(({ term, isPrefix, blocks }) => {
      const found: TermEntry[] = [];
      for (const block of blocks) {
        for (const entry of termEntries(bytesOf.get(block)!, this.terms, this.header.terms[block]!.singles, term)) {
          if (isPrefix ? !entry.term.startsWith(term) : entry.term !== term) break;
          found.push(entry);
        }
      }
      return found;
    });
  }

  /** Octets that must be read for the words, or the header fields, of these documents. */
  octetsOf(kind: 'words' | 'headers', documents: Iterable<number>): number {
    if (kind === 'words' && this.#words) return 0;
    return octetsToRead(this.#blocksWith(kind, documents).map(({ placed: section }) => section));
  }

  #blocksWith(kind: 'words' | 'headers', documents: Iterable<number>): readonly { readonly block: number; readonly placed: PlacedSection }[] {
    const size = kind === 'words' ? documentsInBlock : documentsInHeaderBlock;
    const blocks = new Set<number>();
    for (const document of documents) blocks.add(Math.floor(document / size));
    return [...blocks].sort((a, b) => a - b).map((block) => ({ block, placed: placed(this.#layout[kind], this.header[kind], block) }));
  }

  /** Reads the words, or the header fields, of documents. @throws UnusableSegment */
  async readDocuments(kind: 'words' | 'headers', documents: Iterable<number>): Promise<readonly DocumentBlock[]> {
    const size = kind === 'words' ? documentsInBlock : documentsInHeaderBlock;
    const blocks = this.#blocksWith(kind, documents);
    const sections = blocks.map(({ placed: section }) => section);
    const held = kind === 'words' ? await this.#holdWords(octetsToRead(sections)) : undefined;
    const buffers = held
      ? blocks.map(({ block, placed: { start, section } }) => this.#heldBlock(held, block, start, section))
      : await readSections(this.#read, sections);
    return blocks.map(({ block }, index) => ({ first: block * size, documents: Math.min(size, this.documents - block * size), bytes: buffers[index]! }));
  }

  /** Reads the words of all documents if a large part of the words is needed and they may stay in memory. */
  async #holdWords(needed: number): Promise<Buffer | undefined> {
    const octets = this.#wordOctets;
    if (this.#words || !this.mayHoldWords || needed < octets * partToHold) return this.#words;
    const start = this.#layout.words[0]!;
    const starts = Array.from({ length: Math.ceil(octets / rangeOctets) }, (_, index) => start + index * rangeOctets);
    const ranges = await mapConcurrently(starts, (from) => this.#read(from, Math.min(from + rangeOctets, start + octets)));
    return (this.#words = Buffer.concat(ranges, octets));
  }

  #heldBlock(words: Buffer, block: number, start: number, section: Section): Buffer {
    const at = start - this.#layout.words[0]!;
    const bytes = words.subarray(at, at + section.octets);
    if (!this.#checkedBlocks.has(block)) checkSection(bytes, section);
    this.#checkedBlocks.add(block);
    return bytes;
  }

  /** The texts of a sort. @throws UnusableSegment */
  async sort(sort: TextSort): Promise<SegmentSort> {
    const { texts: textsSection, numbers: numbersSection } = this.header.sorts[sort];
    const { texts: textsAt, numbers: numbersAt } = this.#layout.sorts[sort];
    const [texts, numbers] = await readSections(this.#read, [
      { start: textsAt, section: textsSection },
      { start: numbersAt, section: numbersSection },
    ]);
    try {
      const distinct: string[] = JSON.parse(zstdDecompressSync(texts!, { maxOutputLength: maxSortOctets }).toString());
      const octets = zstdDecompressSync(numbers!, { maxOutputLength: 2 * this.documents });
      const numberOf = new Uint16Array(Uint8Array.from(octets).buffer);
      if (numberOf.length !== this.documents || numberOf.some((number) => number >= distinct.length)) throw new UnusableSegment('damaged');
      return { texts: distinct, numbers: numberOf };
    } catch (error) {
      throw new UnusableSegment('damaged', { cause: error });
    }
  }

  /** All documents in the order in which they were added, for a merge. @throws UnusableSegment */
  async *allDocuments(): AsyncGenerator<SearchDocument, void, undefined> {
    const all = Array.from({ length: this.documents }, (_, document) => document);
    const terms = await this.#allTerms();
    const read = await Promise.all(textSorts.map((sort) => this.sort(sort)));
    const sorts = byTextSort((_, index) => read[index]!);
    const sortText = (sort: TextSort, document: number) => sorts[sort].texts[sorts[sort].numbers[document]!]!;
    const step = documentsInHeaderBlock * 16;
    for (let from = 0; from < all.length; from += step) {
      const some = all.slice(from, from + step);
      const [words, headerBlocks] = await Promise.all([this.readDocuments('words', some), this.readDocuments('headers', some)]);
      const headers = headerBlocks.flatMap(({ bytes, documents }) => decodeHeaderBlock(bytes, documents));
      const fields = words.flatMap(({ bytes, documents }) =>
        documentsOfBlock(bytes, documents).map((ranges) =>
          ranges.map((range) => decodeField(bytes, range).map((text) => text.map((number) => knownTerm(terms, number)))),
        ),
      );
      for (const [index, document] of some.entries()) {
        yield {
          emailId: this.emailId(document),
          hasAttachment: this.hasAttachment(document),
          fields: fields[index]!,
          headers: headers[index]!,
          sortTexts: { from: sortText('from', document), to: sortText('to', document), subject: sortText('subject', document) },
        };
      }
    }
  }

  /** All terms, by term number. */
  async #allTerms(): Promise<readonly string[]> {
    const buffers = await readSections(
      this.#read,
      this.header.terms.map((_, block) => placed(this.#layout.terms, this.header.terms, block)),
    );
    const terms: string[] = [];
    for (const [block, bytes] of buffers.entries()) {
      for (const { term, number } of termEntries(bytes, this.terms, this.header.terms[block]!.singles)) terms[number] = term;
    }
    return terms;
  }
}

const knownTerm = (terms: readonly string[], number: number): string => {
  const term = terms[number];
  if (term === undefined) throw new UnusableSegment('damaged');
  return term;
};

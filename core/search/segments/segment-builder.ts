import { zstdCompressSync } from 'node:zlib';
import { collationKey, compareKeys } from '../../account-index/columns/collation.ts';
import { PackedIds } from '../../account-index/columns/packed-ids.ts';
import { byTextSort, textSorts, type TextSort } from '../../account-index/columns/text-sorts.ts';
import { headerNameField, searchFields, type SearchDocument } from '../search-document.ts';
import { addTo, emptySet } from '../segment-format/document-set.ts';
import { documentsInBlock, encodeDocumentBlock, type CodedDocument } from '../segment-format/segment-documents.ts';
import { encodeSegment, maxDocuments, maxSegmentOctets, type EncodedSegment, type SegmentParts } from '../segment-format/segment-file.ts';
import { documentsInHeaderBlock, encodeHeaderBlock } from '../segment-format/segment-headers.ts';
import { encodeTerms, type WrittenTerm } from '../segment-format/segment-terms.ts';

const bodyField = searchFields.indexOf('body');

/** A term while documents are added: its documents by field. */
type OpenTerm = { readonly term: string; readonly lists: number[][]; postings: number };

/**
 * The numbers that mark the end of a text and of a field in the words of a document. Words are the numbers of terms
 * plus two.
 */
const [endOfText, endOfField] = [0, 1];

/** An array of numbers that grows. */
class NumberList {
  #numbers = new Uint32Array(4096);
  length = 0;

  push(number: number): void {
    if (this.length === this.#numbers.length) {
      const grown = new Uint32Array(2 * this.length);
      grown.set(this.#numbers);
      this.#numbers = grown;
    }
    this.#numbers[this.length++] = number;
  }

  at(index: number): number {
    return this.#numbers[index]!;
  }
}

/** Builds a segment from documents. It takes about 5 KB of memory for a document of 340 words. */
export class SegmentBuilder {
  readonly #accountId: string;
  readonly #ids: string[] = [];
  readonly #withAttachment: number[] = [];
  /**
   * The words of all documents, and the position of each document's first word. Terms are numbered in the order in
   * which they were added.
   */
  readonly #words = new NumberList();
  readonly #starts: number[] = [];
  readonly #terms: OpenTerm[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #sortTexts: Readonly<Record<TextSort, string[]>> = { from: [], to: [], subject: [] };
  readonly #headerBlocks: Buffer[] = [];
  #openHeaders: SearchDocument['headers'][] = [];
  #headerOctets = 0;
  #postings = 0;

  constructor(accountId: string) {
    this.#accountId = accountId;
  }

  get documents(): number {
    return this.#ids.length;
  }

  /** Whether the segment is full, so that further documents need another segment. */
  get isFull(): boolean {
    return this.documents >= maxDocuments || 2 * this.#words.length + this.#postings + this.#headerOctets >= maxSegmentOctets;
  }

  add({ emailId, hasAttachment, fields, headers, sortTexts }: SearchDocument): void {
    const document = this.documents;
    this.#ids.push(emailId);
    if (hasAttachment) this.#withAttachment.push(document);
    this.#starts.push(this.#words.length);
    for (let field = 0; field < searchFields.length; field++) {
      for (const terms of fields[field]!) {
        for (const term of terms) this.#words.push(this.#addTerm(term, field, document) + 2);
        this.#words.push(endOfText);
      }
      this.#words.push(endOfField);
    }
    for (const { name } of headers) this.#addTerm(name, headerNameField, document);
    for (const sort of textSorts) this.#sortTexts[sort].push(sortTexts[sort]);
    this.#openHeaders.push(headers);
    if (this.#openHeaders.length === documentsInHeaderBlock) this.#endHeaderBlock();
  }

  finish(): EncodedSegment {
    if (this.#openHeaders.length > 0) this.#endHeaderBlock();
    const { documents } = this;
    const written = this.#numberedTerms();
    const numberOf = new Uint32Array(written.length);
    for (const { term, number } of written) numberOf[this.#numbers.get(term)!] = number;
    return encodeSegment({
      accountId: this.#accountId,
      documents,
      commonTerms: this.#terms.reduce((sum, { postings }) => sum + Number(postings > 1), 0),
      ...this.#packedIds(),
      attachments: this.#attachments(),
      sorts: byTextSort((sort) => encodeSort(this.#sortTexts[sort])),
      terms: encodeTerms(written, documents, bodyField),
      words: this.#wordBlocks(numberOf),
      headers: this.#headerBlocks,
    });
  }

  #addTerm(term: string, field: number, document: number): number {
    let number = this.#numbers.get(term);
    if (number === undefined) {
      number = this.#terms.length;
      this.#numbers.set(term, number);
      this.#terms.push({ term, lists: [], postings: 0 });
    }
    const open = this.#terms[number]!;
    const list = (open.lists[field] ??= []);
    if (list.length === 0 || list[list.length - 1] !== document) {
      list.push(document);
      open.postings++;
      this.#postings++;
    }
    return number;
  }

  /**
   * The sorted terms with their numbers. Terms in more fields of more documents have lower numbers; equal ones are
   * numbered in order.
   */
  #numberedTerms(): WrittenTerm[] {
    const sorted = this.#terms.toSorted((a, b) => (a.term < b.term ? -1 : 1));
    const numbers = new Uint32Array(sorted.length);
    const byFrequency = Uint32Array.from(sorted.keys()).sort((a, b) => sorted[b]!.postings - sorted[a]!.postings || a - b);
    byFrequency.forEach((index, number) => {
      numbers[index] = number;
    });
    return sorted.map(({ term, lists }, index) => ({ term, number: numbers[index]!, lists }));
  }

  #endHeaderBlock(): void {
    const block = encodeHeaderBlock(this.#openHeaders);
    this.#headerBlocks.push(block);
    this.#headerOctets += block.length;
    this.#openHeaders = [];
  }

  #packedIds(): Pick<SegmentParts, 'ids' | 'unpackedIds'> {
    const ids = new PackedIds(this.documents);
    for (const id of this.#ids) ids.add(id);
    const { packed, unpacked } = ids.save();
    return { ids: Buffer.from(packed), unpackedIds: unpacked };
  }

  #attachments(): Buffer {
    const set = emptySet(this.documents);
    for (const document of this.#withAttachment) addTo(set, document);
    return Buffer.from(set.buffer);
  }

  #wordBlocks(numberOf: Uint32Array): Buffer[] {
    const blocks: Buffer[] = [];
    for (let from = 0; from < this.documents; from += documentsInBlock) {
      blocks.push(encodeDocumentBlock(this.#starts.slice(from, from + documentsInBlock).map((start) => this.#coded(start, numberOf))));
    }
    return blocks;
  }

  /**
   * The sorted terms with their numbers. The terms that occur in the most fields and documents have the lowest numbers;
   * equal ones are numbered in order.
   */
  #coded(start: number, numberOf: Uint32Array): CodedDocument {
    const fields: number[][][] = [];
    for (let at = start; fields.length < searchFields.length; at++) {
      const texts: number[][] = [];
      let text: number[] = [];
      for (; this.#words.at(at) !== endOfField; at++) {
        const word = this.#words.at(at);
        if (word === endOfText) {
          texts.push(text);
          text = [];
        } else {
          text.push(numberOf[word - 2]!);
        }
      }
      fields.push(texts);
    }
    return fields;
  }
}

/** The distinct texts in the order of the default collation, and the number of each document's text. */
const encodeSort = (texts: readonly string[]): { readonly texts: Buffer; readonly numbers: Buffer } => {
  const distinct = [...new Set(texts)]
    .map((text) => ({ text, key: collationKey(undefined, text) }))
    .sort((a, b) => compareKeys(a.key, b.key))
    .map(({ text }) => text);
  const numberOf = new Map(distinct.map((text, number) => [text, number]));
  const numbers = Uint16Array.from(texts, (text) => numberOf.get(text)!);
  return { texts: zstdCompressSync(JSON.stringify(distinct)), numbers: zstdCompressSync(Buffer.from(numbers.buffer)) };
};

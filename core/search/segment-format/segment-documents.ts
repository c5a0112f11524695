import type { PhraseFinder } from '../phrase-finder.ts';
import { searchFields } from '../search-document.ts';
import { ByteReader, ByteWriter, UnusableSegment } from './segment-bytes.ts';

/**
 * The words of a segment's documents in their order, which are used to verify phrases. A word is encoded as the number
 * of its term plus one. Frequent terms have low numbers, which take one octet. The number 0 ends a text, so that no
 * phrase spans two texts.
 */
const endOfText = 0;

/** Documents that are read and checked together. */
export const documentsInBlock = 16;

/** The words of a document: for each field, the term numbers of each text. */
export type CodedDocument = readonly (readonly (readonly number[])[])[];

const writeField = (writer: ByteWriter, texts: CodedDocument[number]): void => {
  writer.counted(() => {
    for (const numbers of texts) {
      for (const number of numbers) writer.number(number + 1);
      writer.octet(endOfText);
    }
  });
};

/** Encodes a block. Each document is preceded by its number of octets, and so is each field in a document. */
export const encodeDocumentBlock = (documents: readonly CodedDocument[]): Buffer => {
  const block = new ByteWriter();
  for (const fields of documents) {
    block.counted(() => {
      for (const texts of fields) writeField(block, texts);
    });
  }
  return block.toBuffer();
};

/** The position of each field of a document in a block, by field number. */
type DocumentFields = readonly { readonly start: number; readonly end: number }[];

/** The positions of each document's fields in a block. @throws UnusableSegment */
export const documentsOfBlock = (block: Buffer, documents: number): DocumentFields[] => {
  const reader = new ByteReader(block);
  return Array.from({ length: documents }, () => {
    const fields = new ByteReader(block, reader.skip(reader.number()), reader.at);
    return searchFields.map(() => {
      const start = fields.skip(fields.number());
      return { start, end: fields.at };
    });
  });
};

/** The term numbers of each text in a field. @throws UnusableSegment */
export const decodeField = (block: Buffer, { start, end }: DocumentFields[number]): number[][] => {
  const reader = new ByteReader(block, start, end);
  const texts: number[][] = [];
  let text: number[] = [];
  while (!reader.isAtEnd) {
    const coded = reader.number();
    if (coded === endOfText) {
      texts.push(text);
      text = [];
    } else {
      text.push(coded - 1);
    }
  }
  if (text.length > 0) throw new UnusableSegment('damaged');
  return texts;
};

/**
 * Finds phrases in the texts of a field. The time is linear in the number of words, for any number of phrases.
 * @param classes the class of each term by its number; 0 for terms outside the list.
 * @throws UnusableSegment
 */
export const findInField = (finder: PhraseFinder, classes: Uint32Array, block: Buffer, { start, end }: DocumentFields[number]): void => {
  for (let at = start; at < end && !finder.isComplete;) {
    let coded = block[at++]!;
    if (coded >= 0x80) {
      coded &= 0x7f;
      for (let factor = 0x80; ; factor *= 0x80) {
        if (at >= end) throw new UnusableSegment('damaged');
        const octet = block[at++]!;
        coded += (octet & 0x7f) * factor;
        if (octet < 0x80) break;
      }
    }
    if (coded === endOfText) finder.endText();
    else finder.next(classes[coded - 1] ?? 0);
  }
};

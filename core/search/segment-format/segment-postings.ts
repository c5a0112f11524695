import { UnusableSegment } from './segment-bytes.ts';

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
export type PostingsRange = { readonly bytes: Buffer; readonly start: number; readonly end: number; readonly count: number };

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

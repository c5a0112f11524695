import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { SearchDocument } from '../search-document.ts';
import { UnusableSegment } from './segment-bytes.ts';

/**
 * The header fields of a segment's documents, which are used to verify the condition `header`. Each field is a line
 * with its name and its terms; an empty line ends a document. Most values, such as signatures, occur in only one
 * message, so their terms are not in the term blocks.
 */

/** Documents whose header fields are compressed together. */
export const documentsInHeaderBlock = 64;

/**
 * Maximum octets of one document's header fields. They can exceed the size of the header, because terms may be longer
 * than its words.
 */
const maxHeaderOctets = 1024 * 1024;

type Headers = SearchDocument['headers'];

const linesOf = (headers: Headers): string => `${headers.map(({ name, terms }) => `${[name, ...terms].join(' ')}\n`).join('')}\n`;

export const encodeHeaderBlock = (documents: readonly Headers[]): Buffer => zstdCompressSync(documents.map(linesOf).join(''));

/** @throws UnusableSegment */
export const decodeHeaderBlock = (block: Buffer, documents: number): Headers[] => {
  let text: string;
  try {
    text = zstdDecompressSync(block, { maxOutputLength: documents * maxHeaderOctets }).toString();
  } catch (error) {
    throw new UnusableSegment('damaged', { cause: error });
  }
  const blocks: Headers[number][][] = [[]];
  for (const line of text.split('\n').slice(0, -1)) {
    if (line === '') blocks.push([]);
    else {
      const [name = '', ...terms] = line.split(' ');
      blocks.at(-1)!.push({ name, terms });
    }
  }
  if (blocks.pop()?.length !== 0 || blocks.length !== documents) throw new UnusableSegment('damaged');
  return blocks;
};

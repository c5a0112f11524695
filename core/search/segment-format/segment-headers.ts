import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { SearchDocument } from '../texts/search-document.ts';
import { UnusableSegment } from './segment-bytes.ts';

/**
 * The header fields of a segment's documents, by which the condition `header` is verified: a line for each field, with
 * its name and its terms; an empty line ends a document. Most values occur in one message only, such as signatures, so
 * their terms are not in the term blocks.
 */

/** Documents whose header fields are compressed together. */
export const documentsInHeaderBlock = 64;

/** Maximum octets of one document's header fields: terms may be longer than the words of the header. */
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

import { searchLimits } from '../../../contract/jmap/core.ts';
import { objectKeys } from '../../storage/object-keys.ts';
import type { Objects } from '../../storage/objects.ts';
import { blobKeyOf } from '../email/email-blobs.ts';
import type { EmailRecord } from '../email/email-record.ts';
import { searchedParts } from './searchable-text.ts';

type Range = { readonly start: number; readonly end: number };

/** The searchable part of a raw message: `bytes` takes the ranges of its header and of its text parts. */
export type SearchedMessage = { readonly bytes: (range: Range) => Buffer };

/** Ranges with at most this many octets between them are read in one request. */
const maxGap = 16 * 1024;

/** The part of the header that is searched. */
export const headerBlock = ({ bodyStructure: { headers } }: EmailRecord): Range =>
  ({ start: headers.start, end: Math.min(headers.end, headers.start + searchLimits.maxSizeSearchedHeaders) });

const rangesOf = (record: EmailRecord): readonly Range[] => {
  const ranges: Range[] = [];
  const searched = [headerBlock(record), ...searchedParts(record.bodyStructure).map(({ range }) => range)];
  for (const range of searched.toSorted((one, other) => one.start - other.start)) {
    const last = ranges.at(-1);
    if (last && range.start - last.end <= maxGap) ranges[ranges.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
    else ranges.push(range);
  }
  return ranges;
};

/** Octets that are read of a message. */
export const searchedOctets = (record: EmailRecord): number => rangesOf(record).reduce((sum, { start, end }) => sum + end - start, 0);

/** Reads what is searched of a message, in one trip. A message whose object does not exist has no text. */
export const readSearchedMessage = async (
  objects: Pick<Objects, 'get'>, accountId: string, record: EmailRecord,
): Promise<SearchedMessage> => {
  const key = blobKeyOf(record);
  const pieces = await Promise.all(rangesOf(record).map(async (range) => {
    const object = key === undefined ? undefined : await objects.get(objectKeys.message(accountId, key), range);
    return { ...range, bytes: object?.bytes ?? Buffer.alloc(0) };
  }));
  return {
    bytes: ({ start, end }) => {
      const piece = pieces.find((candidate) => candidate.start <= start && end <= candidate.end);
      return piece ? piece.bytes.subarray(start - piece.start, end - piece.start) : Buffer.alloc(0);
    },
  };
};

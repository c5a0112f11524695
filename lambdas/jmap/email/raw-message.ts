import { parseBlobId } from '../../../core/mail/blob-id.ts';
import { parseHeaderFields, type HeaderField } from '../../../core/mime/header-fields.ts';
import { parseLimits } from '../../../core/mime/parse-limits.ts';
import { objectKeys } from '../../../core/storage/object-keys.ts';
import type { Objects } from '../../../core/storage/objects.ts';

export type Range = { readonly start: number; readonly end: number };

/** The ranges of a raw message that were read. `bytes` takes any range within them. */
export type RawMessage = { bytes(range: Range): Buffer };

/** Ranges with at most this many octets between them are read in one request. */
const maxGap = 8 * 1024;

/** Octets that a request to the bucket counts as, besides those that it reads. */
export const requestWeight = 32 * 1024;

/** The cost of reading these ranges, in octets. */
export const weightOf = (ranges: readonly Range[]): number =>
  ranges.reduce((sum, { start, end }) => sum + end - start + requestWeight, 0);

/** The octets of a header block in which fields are searched. */
export const headerRange = ({ start, end }: Range): Range => ({ start, end: Math.min(end, start + parseLimits.headerBlock) });

/** The ranges to read, in order: those with at most {@link maxGap} octets between them are merged. */
export const mergeRanges = (ranges: readonly Range[]): readonly Range[] => {
  const result: Range[] = [];
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = result.at(-1);
    if (last && range.start - last.end <= maxGap) result[result.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
    else result.push(range);
  }
  return result;
};

/**
 * Reads ranges of a message from the mail bucket, concurrently.
 * @param ranges as {@link mergeRanges} returns them.
 * @throws Error when the message does not exist; a stored Email always has its message.
 */
export const readRawMessage = async (
  objects: Pick<Objects, 'get'>,
  accountId: string,
  blobId: string,
  ranges: readonly Range[],
): Promise<RawMessage> => {
  const blob = parseBlobId(blobId);
  if (blob?.kind !== 'message') throw new Error('the blob of an Email is not a message');
  const key = objectKeys.message(accountId, blob.key);
  const pieces = await Promise.all(ranges.map(async (range) => {
    const object = await objects.get(key, range);
    if (!object) throw new Error('the raw message of an Email does not exist');
    return { ...range, bytes: object.bytes };
  }));
  return {
    bytes: ({ start, end }) => {
      const piece = pieces.find((candidate) => candidate.start <= start && end <= candidate.end);
      return piece ? piece.bytes.subarray(start - piece.start, end - piece.start) : Buffer.alloc(0);
    },
  };
};

/** Parses each header block once, for all properties that need it. */
export const headerReader = (raw: RawMessage): ((range: Range) => readonly HeaderField[]) => {
  const parsed = new Map<number, readonly HeaderField[]>();
  return (range) => {
    const fields = parsed.get(range.start) ?? parseHeaderFields(raw.bytes(headerRange(range)));
    parsed.set(range.start, fields);
    return fields;
  };
};

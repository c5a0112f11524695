import { blobKeyOf } from '../mail/email/email-blobs.ts';
import type { EmailContent } from '../mail/email/email-content.ts';
import { objectKeys } from '../storage/object-keys.ts';
import type { Objects } from '../storage/objects.ts';

/** A range of octets of a raw message, `end` exclusive. */
export type Range = { readonly start: number; readonly end: number };

/** The parts of a raw message that were read. `bytes` returns any range within them, and is empty for other ranges. */
export type RawMessage = { readonly bytes: (range: Range) => Buffer };

/** Maximum octets between two ranges that are read in one request. */
const maxGap = 16 * 1024;

export const emptyMessage: RawMessage = { bytes: () => Buffer.alloc(0) };

/** The ranges to read, in order. Ranges with at most {@link maxGap} octets between them are merged. */
export const mergeRanges = (ranges: readonly Range[]): readonly Range[] => {
  const merged: Range[] = [];
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (last && range.start - last.end <= maxGap) merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
    else merged.push(range);
  }
  return merged;
};

/** Octets of ranges that do not overlap. */
export const octetsOf = (ranges: readonly Range[]): number => ranges.reduce((sum, { start, end }) => sum + end - start, 0);

/**
 * Reads ranges of an Email's raw message from the mail bucket, in one round trip.
 * @param ranges as {@link mergeRanges} returns them.
 * @returns undefined when the message does not exist any more.
 */
export const readRawMessage = async (
  objects: Pick<Objects, 'get'>,
  accountId: string,
  record: EmailContent,
  ranges: readonly Range[],
): Promise<RawMessage | undefined> => {
  if (ranges.length === 0) return emptyMessage;
  const blobKey = blobKeyOf(record);
  if (blobKey === undefined) return undefined;
  const key = objectKeys.message(accountId, blobKey);
  const pieces = await Promise.all(ranges.map(async (range) => ({ ...range, bytes: (await objects.get(key, range))?.bytes })));
  if (pieces.some(({ bytes }) => bytes === undefined)) return undefined;
  return {
    bytes: ({ start, end }) => {
      const piece = pieces.find((candidate) => candidate.start <= start && end <= candidate.end);
      return piece ? piece.bytes!.subarray(start - piece.start, end - piece.start) : Buffer.alloc(0);
    },
  };
};

import { octetsOf, type Range, type RawMessage } from '../../../../../core/blobs/raw-message.ts';
import { parseHeaderFields, type HeaderField } from '../../../../../core/mime/header/header-fields.ts';
import { parseLimits } from '../../../../../core/mime/parse-limits.ts';

/** Octets that a request to the bucket counts as, in addition to the octets that it reads. */
export const requestWeight = 32 * 1024;

/** The cost of reading these ranges, in octets. */
export const weightOf = (ranges: readonly Range[]): number => octetsOf(ranges) + requestWeight * ranges.length;

/** The octets of a header block in which fields are searched. */
export const headerRange = ({ start, end }: Range): Range => ({ start, end: Math.min(end, start + parseLimits.headerBlock) });

/** Parses each header block once, for all properties that need it. */
export const headerReader = (raw: RawMessage): ((range: Range) => readonly HeaderField[]) => {
  const parsed = new Map<number, readonly HeaderField[]>();
  return (range) => {
    const fields = parsed.get(range.start) ?? parseHeaderFields(raw.bytes(headerRange(range)));
    parsed.set(range.start, fields);
    return fields;
  };
};

/** @throws Error when the message does not exist; a stored Email always has its message. */
export const existingMessage = (raw: RawMessage | undefined): RawMessage => {
  if (!raw) throw new Error('the raw message of an Email does not exist');
  return raw;
};

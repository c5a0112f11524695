import { octetsOf, type Range, type RawMessage } from '../../../core/blobs/raw-message.ts';
import { parseHeaderFields, type HeaderField } from '../../../core/mime/header-fields.ts';
import { parseLimits } from '../../../core/mime/parse-limits.ts';

/** Octets that are counted for each request to S3, in addition to the octets that it reads. */
export const requestWeight = 32 * 1024;

/** The cost of reading these ranges, in octets. */
export const weightOf = (ranges: readonly Range[]): number => octetsOf(ranges) + requestWeight * ranges.length;

/** The range of a header block that is read, in which fields are searched. */
export const headerRange = ({ start, end }: Range): Range => ({ start, end: Math.min(end, start + parseLimits.headerBlock) });

/** Makes a function that parses each header block once, for all properties that need it. */
export const headerReader = (raw: RawMessage): ((range: Range) => readonly HeaderField[]) => {
  const parsed = new Map<number, readonly HeaderField[]>();
  return (range) => {
    const fields = parsed.get(range.start) ?? parseHeaderFields(raw.bytes(headerRange(range)));
    parsed.set(range.start, fields);
    return fields;
  };
};

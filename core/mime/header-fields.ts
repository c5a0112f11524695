import { parseLimits } from './parse-limits.ts';

/**
 * A header field as it is written. The value is everything after the colon, with its folding but without the final line
 * break.
 */
export type HeaderField = { readonly name: string; readonly value: Buffer };

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const colon = 0x3a;
const space = 0x20;
const tab = 0x09;

const isBlank = (octet: number | undefined): boolean => octet === space || octet === tab;

/**
 * The end of a line without its carriage return; `end` is the position of its line feed, or of the end of the block.
 */
const withoutCarriageReturn = (block: Buffer, start: number, end: number): number =>
  end > start && block[end - 1] === carriageReturn ? end - 1 : end;

/**
 * The name of the field that starts on a line, or undefined. Blanks before the colon are obsolete syntax (RFC 5322
 * §4.5).
 */
const parseFieldName = (block: Buffer, start: number, end: number): { readonly name: string; readonly valueStart: number } | undefined => {
  let position = start;
  while (position < end && block[position]! > space && block[position]! < 0x7f && block[position] !== colon) position += 1;
  const nameEnd = position;
  while (position < end && isBlank(block[position])) position += 1;
  const isField = nameEnd > start && position < end && block[position] === colon;
  return isField ? { name: block.toString('latin1', start, nameEnd), valueStart: position + 1 } : undefined;
};

/**
 * Parses the fields of a header block, in order and within the limits. Accepts any octets: lines that are neither a
 * field nor a continuation are skipped.
 */
export const parseHeaderFields = (block: Buffer): HeaderField[] => {
  const fields: HeaderField[] = [];
  const blockEnd = Math.min(block.length, parseLimits.headerBlock);
  let open: { readonly name: string; readonly start: number; end: number } | undefined;
  const closeField = (): void => {
    if (open) fields.push({ name: open.name, value: block.subarray(open.start, open.end) });
    open = undefined;
  };
  for (let line = 0; line < blockEnd && fields.length < parseLimits.headerFields;) {
    const nextFeed = block.indexOf(lineFeed, line);
    const feed = nextFeed < 0 ? block.length : nextFeed;
    const end = withoutCarriageReturn(block, line, feed);
    const isContinuation = isBlank(block[line]);
    if (open && isContinuation) {
      open.end = end;
    } else {
      closeField();
      const field = isContinuation ? undefined : parseFieldName(block, line, end);
      if (field) open = { name: field.name, start: field.valueStart, end };
    }
    line = feed + 1;
  }
  closeField();
  return fields;
};

/** The last field of that name, which is the one that counts (RFC 8621 §4.1.3). @param name in lower case. */
export const lastField = (fields: readonly HeaderField[], name: string): HeaderField | undefined =>
  fields.findLast((field) => field.name.toLowerCase() === name);

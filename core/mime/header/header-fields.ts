import { nextLine, withoutLineBreak } from '../lines.ts';
import { parseLimits } from '../parse-limits.ts';

/** A header field. The value is everything after the colon except the final line break. */
export type HeaderField = { readonly name: string; readonly value: Buffer };

const colon = 0x3a;
const space = 0x20;
const tab = 0x09;

const isBlank = (octet: number | undefined): boolean => octet === space || octet === tab;

/** The name of the field that starts on a line, if any. Blanks before the colon are allowed (RFC 5322 §4.5). */
const parseFieldName = (block: Buffer, start: number, end: number): { readonly name: string; readonly valueStart: number } | undefined => {
  let position = start;
  while (position < end && block[position]! > space && block[position]! < 0x7f && block[position] !== colon) position += 1;
  const nameEnd = position;
  while (position < end && isBlank(block[position])) position += 1;
  const isField = nameEnd > start && position < end && block[position] === colon;
  return isField ? { name: block.toString('latin1', start, nameEnd), valueStart: position + 1 } : undefined;
};

/** Calls `found` for each field of a header block, in order and within the limits, with the range of its value. */
const scanHeaderFields = (block: Buffer, found: (name: string, start: number, end: number) => void): void => {
  const blockEnd = Math.min(block.length, parseLimits.headerBlock);
  let fieldCount = 0;
  let open: { readonly name: string; readonly start: number; end: number } | undefined;
  const closeField = (): void => {
    if (!open) return;
    found(open.name, open.start, open.end);
    fieldCount += 1;
    open = undefined;
  };
  for (let line = 0; line < blockEnd && fieldCount < parseLimits.headerFields;) {
    const next = nextLine(block, line);
    const end = withoutLineBreak(block, line, next);
    const isContinuation = isBlank(block[line]);
    if (open && isContinuation) {
      open.end = end;
    } else {
      closeField();
      const field = isContinuation ? undefined : parseFieldName(block, line, end);
      if (field) open = { name: field.name, start: field.valueStart, end };
    }
    line = next;
  }
  closeField();
};

/** Parses the fields of a header block, within the limits. Lines that belong to no field are skipped. */
export const parseHeaderFields = (block: Buffer): HeaderField[] => {
  const fields: HeaderField[] = [];
  scanHeaderFields(block, (name, start, end) => void fields.push({ name, value: block.subarray(start, end) }));
  return fields;
};

/** The last header field of each name in a block, by lower-case name. */
export type LastFields = { get(name: string): HeaderField | undefined; readonly size: number };

/**
 * Parses the last field of each name, within the same limits. For repeated fields, the last one is valid (RFC 8621
 * §4.1.3).
 */
export const parseLastFields = (block: Buffer): LastFields => {
  const ranges = new Map<string, { readonly start: number; readonly end: number }>();
  scanHeaderFields(block, (name, start, end) => void ranges.set(name.toLowerCase(), { start, end }));
  return {
    size: ranges.size,
    get: (name) => {
      const range = ranges.get(name);
      return range && { name, value: block.subarray(range.start, range.end) };
    },
  };
};

import { nextLine, withoutLineBreak } from './lines.ts';
import { parseLimits } from './parse-limits.ts';

/** A header field. The value is everything after the colon except the final line break. */
export type HeaderField = { readonly name: string; readonly value: Buffer };

const colon = 0x3a;
const space = 0x20;
const tab = 0x09;
const semicolon = 0x3b;

/** Whether the octet is a space or a tab, with which a folded line begins. */
export const isBlank = (octet: number | undefined): boolean => octet === space || octet === tab;

/** Whether a line begins with the byte order mark of UTF-8. */
const hasMark = (block: Buffer, line: number): boolean => block[line] === 0xef && block[line + 1] === 0xbb && block[line + 2] === 0xbf;

/**
 * The name of the field that starts on a line, if any. Blanks before the colon are allowed (RFC 5322 §4.5).
 * @param mayHaveMark whether a byte order mark may stand before the name.
 */
export const parseFieldName = (
  block: Buffer,
  line: number,
  end: number,
  mayHaveMark: boolean,
): { readonly name: string; readonly valueStart: number } | undefined => {
  const start = mayHaveMark && hasMark(block, line) ? line + 3 : line;
  let position = start;
  while (position < end && block[position]! > space && block[position]! < 0x7f && block[position] !== colon) position += 1;
  const nameEnd = position;
  while (position < end && isBlank(block[position])) position += 1;
  const isField = nameEnd > start && position < end && block[position] === colon;
  return isField ? { name: block.toString('latin1', start, nameEnd), valueStart: position + 1 } : undefined;
};

/** Fields that servers write before the header that they receive. */
const traceField = /^(?:received|return-path|delivered-to|authentication-results|dkim-signature|arc-|x-|untrusted-)/i;

/** Whether a line is a parameter that its sender did not fold, behind the semicolon of a Content-Type or Content-Disposition. */
const isUnfoldedParameter = (block: Buffer, { name, end }: { readonly name: string; readonly end: number }, line: number): boolean => {
  let last = end - 1;
  while (isBlank(block[last])) last -= 1;
  return (
    block[last] === semicolon &&
    /^content-(?:type|disposition)$/i.test(name) &&
    /^[a-z][\w-]{0,40}(?:\*\d{0,3}\*?)?[ \t]?=/i.test(block.toString('latin1', line, line + 50))
  );
};

/**
 * Calls `found` for each field of a header block, in order and within the limits, with the range of its value. A byte
 * order mark is read over before the first field that no server wrote: elsewhere it would hide a second From from others.
 * @param outside is called for each line that belongs to no field. It returns the line at which the scan goes on.
 */
export const scanHeaderFields = (block: Buffer, found: (name: string, start: number, end: number) => void, outside?: (line: number) => number): void => {
  const blockEnd = Math.min(block.length, parseLimits.headerBlock);
  let fieldCount = 0;
  let mayHaveMark = true;
  let open: { readonly name: string; readonly start: number; end: number } | undefined;
  const closeField = (): void => {
    if (!open) return;
    found(open.name, open.start, open.end);
    fieldCount += 1;
    open = undefined;
  };
  // A field that begins within the limit is read whole.
  const isWithin = (line: number): boolean => line < blockEnd || (open !== undefined && line < block.length && isBlank(block[line]));
  for (let line = 0; isWithin(line) && fieldCount < parseLimits.headerFields;) {
    const next = nextLine(block, line);
    const end = withoutLineBreak(block, line, next);
    const isFolded = isBlank(block[line]);
    if (open && (isFolded || isUnfoldedParameter(block, open, line))) {
      open.end = end;
      line = next;
      continue;
    }
    closeField();
    const field = isFolded ? undefined : parseFieldName(block, line, end, mayHaveMark);
    if (field) {
      open = { name: field.name, start: field.valueStart, end };
      mayHaveMark &&= traceField.test(field.name);
    }
    line = field || !outside ? next : outside(line);
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

/** The last field of each name, while a header block is scanned. */
export class FieldRanges implements LastFields {
  readonly #block: Buffer;
  readonly #ranges = new Map<string, { readonly start: number; readonly end: number }>();

  constructor(block: Buffer) {
    this.#block = block;
  }

  add(name: string, start: number, end: number): void {
    this.#ranges.set(name.toLowerCase(), { start, end });
  }

  get size(): number {
    return this.#ranges.size;
  }

  get(name: string): HeaderField | undefined {
    const range = this.#ranges.get(name);
    return range && { name, value: this.#block.subarray(range.start, range.end) };
  }
}

/**
 * Parses the last field of each name, within the same limits. For repeated fields, the last one is valid (RFC 8621
 * §4.1.3).
 */
export const parseLastFields = (block: Buffer): LastFields => {
  const fields = new FieldRanges(block);
  scanHeaderFields(block, (name, start, end) => fields.add(name, start, end));
  return fields;
};

import { parseLimits } from './parse-limits.ts';

/** A header field as it stands: the name, and what follows its colon up to the line break that ends it, folding included. */
export type HeaderField = { readonly name: string; readonly value: Buffer };

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const colon = 0x3a;

/** Where the line's text ends that has its line feed (or the block's end) at `end`. */
const withoutBreak = (block: Buffer, start: number, end: number): number =>
  end > start && block[end - 1] === carriageReturn ? end - 1 : end;

/** The field name that a line begins with; undefined for a line that is no field (RFC 5322 §2.2; blanks before the colon are obsolete but seen). */
const nameOf = (block: Buffer, start: number, end: number): { readonly name: string; readonly after: number } | undefined => {
  let at = start;
  while (at < end && block[at]! > 0x20 && block[at]! < 0x7f && block[at] !== colon) at += 1;
  const nameEnd = at;
  while (at < end && (block[at] === 0x20 || block[at] === 0x09)) at += 1;
  return nameEnd > start && block[at] === colon && at < end ? { name: block.toString('latin1', start, nameEnd), after: at + 1 } : undefined;
};

/**
 * The fields of a header block, in order. Lines that are neither a field nor a continuation are passed over, and so is what exceeds the
 * limits; any octets will do.
 */
export const parseHeaderFields = (block: Buffer): HeaderField[] => {
  const fields: HeaderField[] = [];
  const last = Math.min(block.length, parseLimits.headerBlock);
  let open: { readonly name: string; readonly from: number; to: number } | undefined;
  const close = (): void => {
    if (open) fields.push({ name: open.name, value: block.subarray(open.from, open.to) });
    open = undefined;
  };
  for (let at = 0; at < last && fields.length < parseLimits.headerFields;) {
    const found = block.indexOf(lineFeed, at);
    const feed = found < 0 ? block.length : found;
    const end = withoutBreak(block, at, feed);
    const isContinuation = block[at] === 0x20 || block[at] === 0x09;
    if (open && isContinuation) {
      open.to = end;
    } else {
      close();
      const field = isContinuation ? undefined : nameOf(block, at, end);
      if (field) open = { name: field.name, from: field.after, to: end };
    }
    at = feed + 1;
  }
  close();
  return fields;
};

/** The field's last instance, which is the one that counts (RFC 8621 §4.1.3); names are compared without case. */
export const lastField = (fields: readonly HeaderField[], name: string): HeaderField | undefined =>
  fields.findLast((field) => field.name.toLowerCase() === name);

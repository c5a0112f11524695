import type { BlobRange } from '../../core/blobs/account-blobs.ts';

/** Maximum ranges of a request that are served. More ranges cost more than the whole content (RFC 9110 §14.2). */
const maxRanges = 16;

const rangesSpecifier = /^bytes=[\t ,]*(\d*-\d*(?:[\t ]*,[\t ,]*\d*-\d*)*)[\t ,]*$/i;

/**
 * The range of the last octets. If the content is empty, the result is the whole content, because Content-Range can't
 * express an empty range.
 */
const suffixOf = (length: number, size: number): BlobRange | undefined | null => {
  if (length === 0) return undefined;
  return size === 0 ? null : { start: Math.max(0, size - length), end: size };
};

/**
 * The range that `0-99`, `100-` or `-50` requests. Undefined when it is not satisfiable; null when the field is
 * ignored.
 */
const rangeOf = (text: string, size: number): BlobRange | undefined | null => {
  const [first = '', last = ''] = text.split('-');
  if (first === '' && last === '') return null;
  if (first === '') return suffixOf(Number(last), size);
  if (last !== '' && Number(last) < Number(first)) return null;
  return Number(first) >= size ? undefined : { start: Number(first), end: last === '' ? size : Math.min(size, Number(last) + 1) };
};

/**
 * The ranges that a Range field requests of content with `size` octets (RFC 9110 §14.2).
 * @returns undefined when the field is ignored: it is absent, has another unit, is not valid, or its ranges have more
 * octets than the content. An empty list when no range is satisfiable.
 */
export const requestedRanges = (field: string | undefined, size: number): readonly BlobRange[] | undefined => {
  const [, listed] = rangesSpecifier.exec(field?.trim() ?? '') ?? [];
  const given = listed
    ?.split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
  if (!given || given.length > maxRanges) return undefined;
  const ranges = given.map((text) => rangeOf(text, size));
  if (ranges.includes(null)) return undefined;
  const satisfiable = ranges.filter((range) => range !== undefined && range !== null);
  const octets = satisfiable.reduce((sum, { start, end }) => sum + end - start, 0);
  return octets > size ? undefined : satisfiable;
};

/** A Content-Range field (RFC 9110 §14.4). @param range undefined for a response with status 416. */
export const contentRange = (range: BlobRange | undefined, size: number): string => `bytes ${range ? `${range.start}-${range.end - 1}` : '*'}/${size}`;

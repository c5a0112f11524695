import type { BlobRange } from '../../core/blobs/account-blobs.ts';

/**
 * Maximum ranges of one request that are served. More ranges, or overlapping ones, cost more than the whole content
 * (RFC 9110 §14.2).
 */
const maxRanges = 16;

const rangesSpecifier = /^bytes=[\t ,]*(\d*-\d*(?:[\t ]*,[\t ,]*\d*-\d*)*)[\t ,]*$/i;

/** The last octets. For an empty content the result is the whole content, which no Content-Range can express. */
const suffixOf = (length: number, size: number): BlobRange | undefined | null => {
  if (length === 0) return undefined;
  return size === 0 ? null : { start: Math.max(0, size - length), end: size };
};

/**
 * The range of a text such as `0-99`, `100-` or `-50`; undefined when it is not satisfiable; null when the field must
 * be ignored.
 */
const rangeOf = (text: string, size: number): BlobRange | undefined | null => {
  const [first = '', last = ''] = text.split('-');
  if (first === '' && last === '') return null;
  if (first === '') return suffixOf(Number(last), size);
  if (last !== '' && Number(last) < Number(first)) return null;
  return Number(first) >= size ? undefined : { start: Number(first), end: last === '' ? size : Math.min(size, Number(last) + 1) };
};

/**
 * The octets of a content of `size` octets that a Range field requests (RFC 9110 §14.2).
 * @returns undefined when the field is ignored: absent, of another unit, not valid, or of ranges that together have more
 * octets than the content. An empty list: no range is satisfiable.
 */
export const requestedRanges = (field: string | undefined, size: number): readonly BlobRange[] | undefined => {
  const [, listed] = rangesSpecifier.exec(field?.trim() ?? '') ?? [];
  const given = listed?.split(',').map((text) => text.trim()).filter((text) => text !== '');
  if (!given || given.length > maxRanges) return undefined;
  const ranges = given.map((text) => rangeOf(text, size));
  if (ranges.includes(null)) return undefined;
  const satisfiable = ranges.filter((range) => range !== undefined && range !== null);
  const octets = satisfiable.reduce((sum, { start, end }) => sum + end - start, 0);
  return octets > size ? undefined : satisfiable;
};

/** A Content-Range field (RFC 9110 §14.4). @param range undefined for a 416. */
export const contentRange = (range: BlobRange | undefined, size: number): string =>
  `bytes ${range ? `${range.start}-${range.end - 1}` : '*'}/${size}`;

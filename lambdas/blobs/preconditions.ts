import { header, type HttpRequest } from '../../core/runtime/http.ts';

/** Entity tags of a list such as `W/"a", "b"`; a field of at most 2048 characters. */
const entityTags = (field: string): readonly string[] => field.slice(0, 2048).match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? [];

const opaque = (tag: string): string => tag.replace(/^W\//, '');

/**
 * What the preconditions of a GET or HEAD request say about a representation (RFC 9110 §13.2.2). `etag` is a strong
 * entity tag. Conditions of a date are ignored, because blobs have none.
 * @returns `failed`: the response is 412. `not-modified`: it is 304.
 */
export const evaluatePreconditions = (request: HttpRequest, etag: string): 'passed' | 'failed' | 'not-modified' => {
  const [ifMatch, ifNoneMatch] = [header(request, 'if-match')?.trim(), header(request, 'if-none-match')?.trim()];
  if (ifMatch !== undefined && ifMatch !== '*' && !entityTags(ifMatch).includes(etag)) return 'failed';
  const isSame = ifNoneMatch !== undefined && (ifNoneMatch === '*' || entityTags(ifNoneMatch).map(opaque).includes(etag));
  return isSame ? 'not-modified' : 'passed';
};

/** Whether the Range field applies (RFC 9110 §13.1.5): without an If-Range, and with one that has the same strong tag. */
export const rangeApplies = (request: HttpRequest, etag: string): boolean => {
  const ifRange = header(request, 'if-range')?.trim();
  return ifRange === undefined || ifRange === etag;
};

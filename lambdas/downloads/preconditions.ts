import { entityTags, hasCurrentTag } from '../../core/runtime/http/entity-tags.ts';
import { header, type HttpRequest } from '../../core/runtime/http/http.ts';

/**
 * Evaluates the preconditions of a GET or HEAD request (RFC 9110 §13.2.2). `etag` is a strong entity tag. Conditions
 * with a date are ignored, because blobs have no date.
 * @returns `failed` for a response 412; `not-modified` for 304.
 */
export const evaluatePreconditions = (request: HttpRequest, etag: string): 'passed' | 'failed' | 'not-modified' => {
  const ifMatch = header(request, 'if-match')?.trim();
  if (ifMatch !== undefined && ifMatch !== '*' && !entityTags(ifMatch).includes(etag)) return 'failed';
  return hasCurrentTag(request, etag) ? 'not-modified' : 'passed';
};

/** Whether the Range field applies (RFC 9110 §13.1.5): there is no If-Range, or it has the same strong tag. */
export const rangeApplies = (request: HttpRequest, etag: string): boolean => {
  const ifRange = header(request, 'if-range')?.trim();
  return ifRange === undefined || ifRange === etag;
};

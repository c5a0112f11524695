import { header, type HttpRequest } from './http.ts';

/** The entity tags in a list such as `W/"a", "b"` (RFC 9110 §8.8.3). The field may have at most 2048 characters. */
export const entityTags = (field: string): readonly string[] => field.slice(0, 2048).match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? [];

const opaque = (tag: string): string => tag.replace(/^W\//, '');

/**
 * Whether the client has the representation with that strong entity tag, so that the response has status 304 (RFC 9110
 * §13.1.2). The comparison is weak, because a cache may have weakened the tag.
 */
export const hasCurrentTag = (request: HttpRequest, etag: string): boolean => {
  const field = header(request, 'if-none-match')?.trim();
  return field !== undefined && (field === '*' || entityTags(field).map(opaque).includes(etag));
};

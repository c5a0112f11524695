import { siteConfigPath, type ContentEncoding } from '../../../contract/deployment/site.ts';
import { acceptedEncodings } from './compression.ts';
import { hasCurrentTag, json, type HttpRequest, type HttpResponse } from './http.ts';
import type { Representation, SiteFile, SiteFiles } from './site-files.ts';

export type Site = {
  readonly files: SiteFiles;
  /** The document at `siteConfigPath`. */
  readonly config: object;
  /** The directives of the content security policy of all responses (CSP Level 3). */
  readonly policy: readonly string[];
  /** Files with a policy of their own, which pages of the site may frame. */
  readonly framed?: Readonly<Record<string, readonly string[]>>;
};

/** Security headers beside the content security policy. */
const securityHeaders = (policy: readonly string[], frameOptions: 'DENY' | 'SAMEORIGIN'): Record<string, string> => ({
  'content-security-policy': policy.join('; '),
  'strict-transport-security': 'max-age=63072000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': frameOptions,
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
});

/**
 * The smallest representation of a file that the client accepts. Each encoding is a representation (RFC 9110 §8.8.3.3).
 */
const selectRepresentation = (request: HttpRequest, file: SiteFile): Representation & { readonly encoding?: ContentEncoding } => {
  for (const encoding of acceptedEncodings(request)) {
    const encoded = file.encoded(encoding);
    if (encoded) return { ...encoded, encoding };
  }
  return file.identity();
};

const fileResponse = (request: HttpRequest, file: SiteFile): HttpResponse => {
  const { bytes, etag, encoding } = selectRepresentation(request, file);
  const headers = {
    'content-type': file.contentType,
    'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag,
    vary: 'accept-encoding',
  };
  if (hasCurrentTag(request, etag)) return { statusCode: 304, headers };
  return {
    statusCode: 200,
    headers: { ...headers, ...(encoding && { 'content-encoding': encoding }) },
    ...(request.requestContext.http.method === 'HEAD' ? {} : { body: bytes.toString('base64'), isBase64Encoded: true }),
  };
};

const plain = (statusCode: number, text: string, headers: Record<string, string> = {}): HttpResponse => ({
  statusCode,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers },
  body: text,
});

/** Whether the path belongs to a page of the site: no component of it looks like a file name. */
const isPage = (path: string): boolean => !/\.[a-z0-9]+$/i.test(path) && !path.startsWith('/assets/');

/** Serves a site's files and settings. The path of every page returns `index.html`. */
export const serveSite = ({ files, config, policy, framed = {} }: Site) => {
  const security = securityHeaders(policy, 'DENY');
  const securityOf = new Map(Object.entries(framed).map(([path, own]) => [path, securityHeaders(own, 'SAMEORIGIN')]));
  const respond = (request: HttpRequest): HttpResponse => {
    const { method } = request.requestContext.http;
    if (method !== 'GET' && method !== 'HEAD') return plain(405, 'Only GET and HEAD are answered.\n', { allow: 'GET, HEAD' });
    const path = request.rawPath;
    if (path === siteConfigPath) return json(200, config);
    const file = files.get(path) ?? (isPage(path) ? files.get('/index.html') : undefined);
    return file ? fileResponse(request, file) : plain(404, 'There is no such file.\n');
  };
  return async (request: HttpRequest): Promise<HttpResponse> => {
    const response = respond(request);
    return { ...response, headers: { ...response.headers, ...(securityOf.get(request.rawPath) ?? security) } };
  };
};

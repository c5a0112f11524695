import { consoleConfigPath, type ConsoleConfig, type ContentEncoding } from '../../contract/deployment/console.ts';
import { acceptedEncodings } from '../../core/runtime/http/compression.ts';
import { hasCurrentTag } from '../../core/runtime/http/entity-tags.ts';
import { json, type HttpRequest, type HttpResponse } from '../../core/runtime/http/http.ts';
import type { Representation, SiteFile, SiteFiles } from './site-files.ts';

type ConsoleOptions = { readonly site: SiteFiles; readonly config: ConsoleConfig };

const originOf = (url: string): string => new URL(url).origin;

/** Security headers, which allow only the console's own files, the admin API and the hosted sign-in (CSP Level 3). */
const securityHeaders = ({ adminApiUrl, authUrl }: ConsoleConfig): Record<string, string> => ({
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self' ${originOf(adminApiUrl)} ${originOf(authUrl)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; '),
  'strict-transport-security': 'max-age=63072000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
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

/** Whether the path belongs to a page of the console: no component of it looks like a file name. */
const isPage = (path: string): boolean => !/\.[a-z0-9]+$/i.test(path) && !path.startsWith('/assets/');

/** Serves the console's files and settings. The path of every page returns `index.html`. */
export const serveConsole = ({ site, config }: ConsoleOptions) => {
  const security = securityHeaders(config);
  const respond = (request: HttpRequest): HttpResponse => {
    const { method } = request.requestContext.http;
    if (method !== 'GET' && method !== 'HEAD') return plain(405, 'Only GET and HEAD are answered.\n', { allow: 'GET, HEAD' });
    const path = request.rawPath;
    if (path === consoleConfigPath) return json(200, config);
    const file = site.get(path) ?? (isPage(path) ? site.get('/index.html') : undefined);
    return file ? fileResponse(request, file) : plain(404, 'There is no such file.\n');
  };
  return async (request: HttpRequest): Promise<HttpResponse> => {
    const response = respond(request);
    return { ...response, headers: { ...response.headers, ...security } };
  };
};

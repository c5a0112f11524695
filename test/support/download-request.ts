import type { StreamedResponse } from '../../core/runtime/http/http.ts';
import type { RestRequest } from '../../core/runtime/http/rest-api.ts';

/** A request for a download, at the URL of the REST API (`/`) or of a custom domain (`/download`). */
export const downloadRequest = (
  query: Readonly<Record<string, string | undefined>>, headers: Readonly<Record<string, string>>, { method = 'GET', path = '/' } = {},
): RestRequest => ({
  httpMethod: method,
  resource: '/',
  path,
  pathParameters: null,
  headers,
  queryStringParameters: query,
  multiValueQueryStringParameters: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]])),
  body: null,
  isBase64Encoded: false,
  requestContext: { identity: { sourceIp: '192.0.2.1', userAgent: null }, protocol: 'HTTP/1.1', requestId: 'r', stage: 'download' },
} as unknown as RestRequest);

/** The octets that a client gets. */
export const contentOf = ({ content, body, isBase64Encoded }: StreamedResponse): Buffer =>
  (content ? Buffer.concat(content) : Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8'));

import type { StreamedResponse } from '../../core/runtime/http/http.ts';
import type { RestRequest } from '../../core/runtime/http/rest-api.ts';

type Sent = { readonly method: string; readonly resource: string; readonly path: string; readonly headers: Readonly<Record<string, string>> };

/** A request to a stage of the REST API for blobs. */
const restRequest = ({ method, ...sent }: Sent, stage: string, more: Readonly<Record<string, unknown>>): RestRequest =>
  ({
    httpMethod: method,
    ...sent,
    requestContext: { identity: { sourceIp: '192.0.2.1', userAgent: null }, protocol: 'HTTP/1.1', requestId: 'r', stage },
    ...more,
  }) as unknown as RestRequest;

/** A request for a download, at the URL of the REST API (`/`) or of a custom domain (`/download`). */
export const downloadRequest = (
  query: Readonly<Record<string, string | undefined>>,
  headers: Readonly<Record<string, string>>,
  { method = 'GET', path = '/' } = {},
): RestRequest =>
  restRequest({ method, resource: '/', path, headers }, 'download', {
    pathParameters: null,
    queryStringParameters: query,
    multiValueQueryStringParameters: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]])),
    body: null,
    isBase64Encoded: false,
  });

/** An upload, at the URL of the REST API (`/{accountId}`) or of a custom domain (`/upload/{accountId}`). */
export const uploadRequest = (
  accountId: string,
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
  { method = 'POST', path = `/${accountId}` } = {},
): RestRequest =>
  restRequest({ method, resource: '/{accountId}', path, headers }, 'upload', {
    pathParameters: { accountId },
    body: body.length === 0 ? null : Buffer.from(body).toString('base64'),
    isBase64Encoded: true,
  });

/** The octets that a client gets. */
export const contentOf = ({ content, body, isBase64Encoded }: StreamedResponse): Buffer =>
  content ? Buffer.concat(content) : Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');

import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { emulated } from '../../emulator/emulator-process.ts';
import type { DeployedApi } from './deployed-apis.ts';
import { sendJson, endToEnd, readBody, forwardResponse, UpstreamError, type EmulatorUpstream } from './emulator-upstream.ts';
import { answerLongPoll, type ReceiveMessages } from './queue-long-poll.ts';
import { matchRoute } from './route-matching.ts';

/**
 * Limits of an HTTP API (Amazon API Gateway quotas: HTTP APIs): bytes of the payload, bytes of request line and
 * headers, milliseconds of the integration.
 */
const httpApiLimits = { payload: 10 * 1024 * 1024, headers: 10_240, timeout: 30_000 } as const;

/** The response on every port while the stack is not deployed. */
export const notDeployed = { message: 'Nothing is deployed yet. The sandbox is starting, or its deployment failed: npm run sandbox -- status' };

const headerSize = (request: IncomingMessage): number =>
  (request.method?.length ?? 0) + (request.url?.length ?? 0) + request.rawHeaders.reduce((sum, part) => sum + part.length, 0);

/** The host name of an API on AWS. */
export const apiHostName = (api: DeployedApi): string => `${api.id}.execute-api.${emulated.region}.amazonaws.com`;

/** What the gateway does to requests and responses of an API, besides passing them on. */
export type Changes = {
  /** Header fields of a Lambda's answer that become `x-amzn-remapped-…`. */
  readonly renamed: readonly string[];
  /** Whether `%` in a query is encoded again, and whether the query is split at `;`. */
  readonly encodesPercent: boolean;
  readonly splitsSemicolons: boolean;
};

const withRenamed = (headers: IncomingHttpHeaders, renamed: readonly string[]): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [renamed.includes(name) ? `x-amzn-remapped-${name}` : name, value]));

/** The path and query that the integration gets. */
const passed = (url: string, { encodesPercent, splitsSemicolons }: Changes): string => {
  const [path = '', ...queries] = url.split('?');
  const query = queries.join('?');
  const parts = query.split(splitsSemicolons ? /&|;|%3B/i : '&').filter((part) => part !== '');
  const encoded = encodesPercent ? parts.map((part) => part.replaceAll('%25', '%2525')) : parts;
  return encoded.length === 0 ? path : `${path}?${encoded.join('&')}`;
};

const forward = async (
  upstream: EmulatorUpstream,
  api: DeployedApi,
  changes: Changes,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<void> => {
  const port = String(request.socket.localPort);
  const forwarded = { 'x-forwarded-for': request.socket.remoteAddress, 'x-forwarded-port': port, 'x-forwarded-proto': 'http' };
  try {
    const upstreamResponse = await upstream.send(
      {
        method: request.method!,
        path: `/_aws/execute-api/${api.id}/${api.stage}${passed(request.url!.slice(api.basePath?.length ?? 0), changes)}`,
        headers: { ...endToEnd(request.headers), ...forwarded, host: apiHostName(api) },
        body,
        isAlone: api.rest === 'streamed',
      },
      httpApiLimits.timeout,
    );
    upstreamResponse.headers = withRenamed(upstreamResponse.headers, changes.renamed);
    forwardResponse(upstreamResponse, response);
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    sendJson(response, 503, { message: error.reason === 'timeout' ? 'Service Unavailable' : error.message });
  }
};

/** Serves an HTTP API or a REST API like API Gateway: checks sizes, then forwards the request to the emulator. */
export const httpApiProxy = (
  upstream: EmulatorUpstream,
  find: (request: IncomingMessage) => DeployedApi | undefined,
  changesOf: (api: DeployedApi) => Changes,
  receiveMessages?: ReceiveMessages,
): RequestListener => {
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const api = find(request);
    const body = await readBody(request, httpApiLimits.payload);
    if (!api) return sendJson(response, 503, notDeployed);
    if (!request.url?.startsWith('/')) return sendJson(response, 400, { message: 'Bad Request' });
    const [path] = request.url.slice(api.basePath?.length ?? 0).split('?', 1);
    const route = matchRoute(api.routeKeys, request.method!, path!);
    if (headerSize(request) > httpApiLimits.headers) return sendJson(response, 431, { message: 'Request Header Fields Too Large' });
    if (!body) return sendJson(response, 413, { message: 'Request Entity Too Large' });
    const longPoll = route === undefined ? undefined : api.longPolls.get(route);
    if (longPoll && receiveMessages) return answerLongPoll(longPoll, receiveMessages, request, response);
    return forward(upstream, api, changesOf(api), request, body, response);
  };
  return (request, response) => {
    handle(request, response).catch(() => response.destroy());
  };
};

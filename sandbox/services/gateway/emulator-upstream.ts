import {
  Agent as HttpAgent,
  request as requestHttp,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

/** A request to the emulator. */
type ForwardedRequest = {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
  /** Whether the request gets a connection of its own. A used one may have megabytes of room, which a reader who takes nothing would get. */
  readonly isAlone?: boolean;
};

export type EmulatorUpstream = {
  /** @throws UpstreamError when no response begins within `timeout` milliseconds. */
  send(request: ForwardedRequest, timeout: number): Promise<IncomingMessage>;
  /** Sends an upgrade request. The caller listens for `upgrade` and `response`. */
  upgrade(path: string, headers: OutgoingHttpHeaders): ClientRequest;
  readonly endpoint: string;
  close(): void;
};

export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly reason: 'timeout' | 'silent';
  constructor(reason: 'timeout' | 'silent', cause?: unknown) {
    super(reason === 'timeout' ? 'The Lambda did not answer in time.' : 'The AWS emulator does not answer.', { cause });
    this.reason = reason;
  }
}

/** Header fields that concern only one connection (RFC 9110 §7.6.1), and are not forwarded. */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
];

export const endToEnd = (headers: IncomingHttpHeaders): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.includes(name)));

/**
 * The gateway's connections to the emulator. They are kept alive, except one that is asked for alone. A request on a connection that was just closed is
 * sent again.
 */
export const emulatorUpstream = (endpoint: string): EmulatorUpstream => {
  const isTls = endpoint.startsWith('https:');
  const agent = isTls ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const { hostname, port } = new URL(endpoint);
  const begin = (options: { method: string; path: string; headers: OutgoingHttpHeaders; agent?: HttpAgent | HttpsAgent | false }): ClientRequest =>
    // The emulator's certificate has its own names. With an empty server name Node.js does not check the Host header's
    // name.
    isTls
      ? requestHttps({ host: hostname, port, setHost: false, servername: '', ...options })
      : requestHttp({ host: hostname, port, setHost: false, ...options });
  const attempt = ({ method, path, headers, body, isAlone }: ForwardedRequest, timeout: number): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const clientRequest = begin({
        method,
        path,
        agent: isAlone ? false : agent,
        headers: { ...headers, ...(body.length > 0 || headers['content-length'] !== undefined ? { 'content-length': body.length } : {}) },
      });
      const timer = setTimeout(() => clientRequest.destroy(new UpstreamError('timeout')), timeout);
      clientRequest.once('response', (response) => {
        clearTimeout(timer);
        resolve(response);
      });
      clientRequest.once('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        reject(
          error instanceof UpstreamError
            ? error
            : Object.assign(new UpstreamError('silent', error), { again: clientRequest.reusedSocket && error.code === 'ECONNRESET' }),
        );
      });
      clientRequest.end(body);
    });
  return {
    endpoint,
    async send(request, timeout) {
      try {
        return await attempt(request, timeout);
      } catch (error) {
        if (error instanceof Error && 'again' in error && error.again) return attempt(request, timeout);
        throw error;
      }
    },
    upgrade: (path, headers) => begin({ method: 'GET', path, headers, agent: false }),
    close: () => agent.destroy(),
  };
};

/** Sends a JSON response, as API Gateway does for requests that it refuses. */
export const sendJson = (response: ServerResponse, status: number, body: unknown, headers: OutgoingHttpHeaders = {}): void => {
  const text = body === undefined ? '' : JSON.stringify(body);
  response.writeHead(status, { ...(text ? { 'content-type': 'application/json' } : {}), 'content-length': Buffer.byteLength(text), ...headers });
  response.end(text);
};

/**
 * Whether to end the connection after the response. Some clients (Python's sseclient) read an event stream until the
 * server closes the connection.
 */
export const endOfStream = (contentType: string | undefined): OutgoingHttpHeaders =>
  contentType?.startsWith('text/event-stream') ? { connection: 'close' } : {};

/** Forwards the emulator's response: status, headers and body. */
export const forwardResponse = (from: IncomingMessage, to: ServerResponse, change: OutgoingHttpHeaders = {}): void => {
  const { date: _, server: __, ...headers } = endToEnd(from.headers);
  to.writeHead(from.statusCode ?? 502, { ...headers, ...change, ...endOfStream(headers['content-type']) });
  from.pipe(to);
  from.once('error', () => to.destroy());
  to.once('close', () => from.destroy());
};

/**
 * Reads the body of a request. A body longer than `limit` bytes is also read to its end, so that the client reads the
 * response.
 * @returns the body; undefined when it is longer than `limit`.
 */
export const readBody = async (request: IncomingMessage, limit: number): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= limit) chunks.push(chunk);
  }
  return length <= limit ? Buffer.concat(chunks) : undefined;
};

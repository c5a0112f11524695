import { Agent as HttpAgent, request as requestHttp, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

/** A request as the emulator is to get it. */
export type Forwarded = {
  readonly method: string;
  /** Path and query, as they stand in the request line. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
};

export type Upstream = {
  /** @throws UpstreamError when no answer begins within `timeout` milliseconds. */
  send(request: Forwarded, timeout: number): Promise<IncomingMessage>;
  /** A request that asks for another protocol; who calls it listens for `upgrade` and `response`. */
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

/** Of one connection only (RFC 9110 §7.6.1); each side has its own. */
const hopByHop = ['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'];

export const endToEnd = (headers: IncomingHttpHeaders): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.includes(name)));

/** The emulator's side of the front door: connections are kept, and a request that met one which had just been closed goes again. */
export const upstreamAt = (endpoint: string): Upstream => {
  const isTls = endpoint.startsWith('https:');
  const agent = isTls ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const { hostname, port } = new URL(endpoint);
  const begin = (options: { method: string; path: string; headers: OutgoingHttpHeaders; agent?: HttpAgent | HttpsAgent | false }): ClientRequest =>
    // The certificate is the emulator's own; without a server name, Node would look for the Host header's in it.
    isTls ? requestHttps({ host: hostname, port, setHost: false, servername: '', ...options }) : requestHttp({ host: hostname, port, setHost: false, ...options });
  const attempt = ({ method, path, headers, body }: Forwarded, timeout: number): Promise<IncomingMessage> => new Promise((answer, fail) => {
    const asked = begin({ method, path, agent, headers: { ...headers, ...(body.length > 0 || headers['content-length'] !== undefined ? { 'content-length': body.length } : {}) } });
    const timer = setTimeout(() => asked.destroy(new UpstreamError('timeout')), timeout);
    asked.once('response', (response) => { clearTimeout(timer); answer(response); });
    asked.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      fail(error instanceof UpstreamError ? error : Object.assign(new UpstreamError('silent', error), { again: asked.reusedSocket && error.code === 'ECONNRESET' }));
    });
    asked.end(body);
  });
  return {
    endpoint,
    async send(request, timeout) {
      try {
        return await attempt(request, timeout);
      } catch (error) {
        if ((error as { again?: boolean }).again) return attempt(request, timeout);
        throw error;
      }
    },
    upgrade: (path, headers) => begin({ method: 'GET', path, headers, agent: false }),
    close: () => agent.destroy(),
  };
};

/** Answers with JSON, as API Gateway does for what it refuses by itself. */
export const answer = (response: ServerResponse, status: number, body: unknown, headers: OutgoingHttpHeaders = {}): void => {
  const text = body === undefined ? '' : JSON.stringify(body);
  response.writeHead(status, { ...(text ? { 'content-type': 'application/json' } : {}), 'content-length': Buffer.byteLength(text), ...headers });
  response.end(text);
};

/** Passes the emulator's answer on, status, headers and bytes. */
export const relay = (from: IncomingMessage, to: ServerResponse, change: OutgoingHttpHeaders = {}): void => {
  const { date: _, server: __, ...headers } = endToEnd(from.headers);
  to.writeHead(from.statusCode ?? 502, { ...headers, ...change });
  from.pipe(to);
  from.once('error', () => to.destroy());
};

/**
 * The body of a request. @returns undefined when it is longer than `limit` bytes; it is read to its end all the same, so that the client
 * comes to read the answer.
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

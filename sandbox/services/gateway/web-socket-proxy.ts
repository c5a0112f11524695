import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { DeployedApi } from './deployed-apis.ts';
import type { EmulatorUpstream } from './emulator-upstream.ts';
import { frameMeter } from './frame-limits.ts';
import { apiHostName, notDeployed } from './http-api-proxy.ts';

/** Timeouts of a socket, in milliseconds. */
export type SocketTimeouts = {
  /** Maximum milliseconds without a frame. */
  readonly idle: number;
  /** Maximum milliseconds of a connection. */
  readonly total: number;
};

/** The timeouts of API Gateway (Amazon API Gateway quotas: WebSocket APIs). */
export const socketTimeouts: SocketTimeouts = { idle: 10 * 60_000, total: 2 * 60 * 60_000 };

/**
 * Close codes (RFC 6455 §7.4.1). API Gateway also closes a connection that sends binary frames:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/websocket-api-develop-binary-media-types.html
 */
const closeCodes = { goingAway: 1001, binary: 1003, tooBig: 1009 } as const;

const closeFrame = (code: number): Buffer => Buffer.from([0x88, 2, code >> 8, code & 0xff]);

const writeHead = (socket: Duplex, status: number, text: string, rawHeaders: readonly string[]): void => {
  const lines = [`HTTP/1.1 ${status} ${text}`];
  for (let index = 0; index < rawHeaders.length; index += 2) lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
};

const refuse = (socket: Duplex, status: number, text: string, body: unknown): void => {
  const content = JSON.stringify(body);
  writeHead(socket, status, text, ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(content)), 'connection', 'close']);
  socket.end(content);
};

/** The query of the URL, in which browsers send their token. The path is ignored, because the API has one stage. */
const queryOf = (url: string): string => {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at);
};

/** Forwards frames in both directions, and closes the connection at API Gateway's limits. */
const connect = (client: Duplex, upstream: Duplex, timeouts: SocketTimeouts): void => {
  const meter = frameMeter();
  const end = (code: number): void => {
    if (client.writable) client.end(closeFrame(code));
    upstream.destroy();
  };
  const longest = setTimeout(() => end(closeCodes.goingAway), timeouts.total);
  const idle = setTimeout(() => end(closeCodes.goingAway), timeouts.idle);
  const restartIdleTimer = (): void => {
    idle.refresh();
  };
  client.on('data', (bytes: Buffer) => {
    restartIdleTimer();
    const violation = meter.nextViolation(bytes);
    if (!violation) {
      upstream.write(bytes);
      return;
    }
    client.removeAllListeners('data');
    client.resume();
    end(closeCodes[violation]);
  });
  upstream.on('data', restartIdleTimer);
  upstream.pipe(client);
  const clearTimers = (): void => {
    clearTimeout(longest);
    clearTimeout(idle);
  };
  client.once('close', () => {
    clearTimers();
    upstream.destroy();
  });
  client.once('end', () => upstream.end());
  upstream.once('close', () => {
    clearTimers();
    client.end();
  });
  client.once('error', () => upstream.destroy());
  upstream.once('error', () => client.destroy());
};

/** Headers of the handshake, without extensions: API Gateway does not support compression. */
const handshakeHeaders = (request: IncomingMessage, api: DeployedApi): Record<string, string | string[] | undefined> => {
  const { 'sec-websocket-extensions': _, ...headers } = request.headers;
  return { ...headers, host: apiHostName(api), connection: 'Upgrade', upgrade: 'websocket' };
};

/**
 * Serves a WebSocket API: forwards the handshake to the emulator with its query, subprotocols and headers, then the
 * frames.
 * @param onHandshake called with the status of the response to the client.
 */
export const webSocketProxy = (
  server: Server,
  upstream: EmulatorUpstream,
  find: () => DeployedApi | undefined,
  onHandshake: (request: IncomingMessage, status: number) => void,
  timeouts: SocketTimeouts = socketTimeouts,
): { close(): void } => {
  const sockets = new Set<Duplex>();
  const handle = (request: IncomingMessage, client: Duplex, head: Buffer): void => {
    sockets.add(client);
    client.once('close', () => sockets.delete(client));
    client.once('error', () => client.destroy());
    const refuseWith = (status: number, text: string, body: unknown): void => {
      onHandshake(request, status);
      refuse(client, status, text, body);
    };
    const api = find();
    if (!api) return refuseWith(503, 'Service Unavailable', notDeployed);
    const path = `/_aws/execute-api/${api.id}/${api.stage}${queryOf(request.url ?? '')}`;
    const handshake = upstream.upgrade(path, handshakeHeaders(request, api));
    handshake.once('error', () => refuseWith(503, 'Service Unavailable', { message: 'The AWS emulator does not answer.' }));
    handshake.once('response', (response) => {
      onHandshake(request, response.statusCode!);
      writeHead(client, response.statusCode!, response.statusMessage ?? '', [...response.rawHeaders.filter(isEndToEnd), 'connection', 'close']);
      response.pipe(client);
    });
    handshake.once('upgrade', (response, socket, rest) => {
      onHandshake(request, 101);
      writeHead(client, 101, 'Switching Protocols', response.rawHeaders);
      if (rest.length > 0) client.write(rest);
      if (head.length > 0) client.unshift(head);
      connect(client, socket, timeouts);
    });
    handshake.end();
  };
  server.on('upgrade', handle);
  return {
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
};

/** Whether a header in a raw list (name, value, name, …) is forwarded: it does not concern only one connection. */
const isEndToEnd = (_: string, index: number, all: readonly string[]): boolean =>
  !['connection', 'transfer-encoding', 'keep-alive'].includes(all[index - (index % 2)]!.toLowerCase());

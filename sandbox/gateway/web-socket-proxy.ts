import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { DeployedApi } from './deployed-apis.ts';
import { frameMeter } from './frame-limits.ts';
import { hostOf, nothingDeployed } from './http-api-proxy.ts';
import { throttle } from './token-bucket.ts';
import type { Upstream } from './emulator-upstream.ts';

/** How long a socket is kept, in milliseconds. */
export type SocketPatience = {
  /** Without a frame. */
  readonly idle: number;
  /** At most. */
  readonly all: number;
};

/** API Gateway's (Amazon API Gateway quotas: WebSocket APIs). */
export const socketPatience: SocketPatience = { idle: 10 * 60_000, all: 2 * 60 * 60_000 };

/**
 * Close codes of RFC 6455 §7.4.1. Binary frames end a connection as too large ones do:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/websocket-api-develop-binary-media-types.html
 */
const closing = { goingAway: 1001, binary: 1003, tooBig: 1009 } as const;

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

/** Whatever the path, there is one stage; what matters is the query, where a browser puts its token. */
const queryOf = (url: string): string => {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at);
};

/** Carries frames both ways and ends the connection where API Gateway would. */
const connect = (client: Duplex, upstream: Duplex, patience: SocketPatience): void => {
  const meter = frameMeter();
  const end = (code: number): void => {
    if (client.writable) client.end(closeFrame(code));
    upstream.destroy();
  };
  const longest = setTimeout(() => end(closing.goingAway), patience.all);
  const idle = setTimeout(() => end(closing.goingAway), patience.idle);
  const notIdle = (): void => { idle.refresh(); };
  client.on('data', (bytes: Buffer) => {
    notIdle();
    const violation = meter.violationIn(bytes);
    if (!violation) {
      upstream.write(bytes);
      return;
    }
    client.removeAllListeners('data');
    client.resume();
    end(closing[violation]);
  });
  upstream.on('data', notIdle);
  upstream.pipe(client);
  const over = (): void => {
    clearTimeout(longest);
    clearTimeout(idle);
  };
  client.once('close', () => { over(); upstream.destroy(); });
  client.once('end', () => upstream.end());
  upstream.once('close', () => { over(); client.end(); });
  client.once('error', () => upstream.destroy());
  upstream.once('error', () => client.destroy());
};

/** Compression is not offered: API Gateway has none, and sizes are those of the frames. */
const handshakeHeaders = (request: IncomingMessage, api: DeployedApi): Record<string, string | string[] | undefined> => {
  const { 'sec-websocket-extensions': _, ...headers } = request.headers;
  return { ...headers, host: hostOf(api), connection: 'Upgrade', upgrade: 'websocket' };
};

/**
 * A WebSocket API: the handshake goes to the emulator with its query, subprotocols and headers, and its answer comes back.
 * @param told Called with the status that the client got.
 */
export const openWebSocketDoor = (
  server: Server, upstream: Upstream, find: () => DeployedApi | undefined, told: (request: IncomingMessage, status: number) => void, patience: SocketPatience = socketPatience,
): { close(): void } => {
  const throttled = throttle();
  const sockets = new Set<Duplex>();
  const handle = (request: IncomingMessage, client: Duplex, head: Buffer): void => {
    sockets.add(client);
    client.once('close', () => sockets.delete(client));
    client.once('error', () => client.destroy());
    const refuseWith = (status: number, text: string, body: unknown): void => {
      told(request, status);
      refuse(client, status, text, body);
    };
    const api = find();
    if (!api) return refuseWith(503, 'Service Unavailable', nothingDeployed);
    if (!throttled.admits(api.id, api.throttlingOf('$connect'))) return refuseWith(429, 'Too Many Requests', { message: 'Too Many Requests' });
    const path = `/_aws/execute-api/${api.id}/${api.stage}${queryOf(request.url ?? '')}`;
    const asked = upstream.upgrade(path, handshakeHeaders(request, api));
    asked.once('error', () => refuseWith(503, 'Service Unavailable', { message: 'The AWS emulator does not answer.' }));
    asked.once('response', (response) => {
      told(request, response.statusCode!);
      writeHead(client, response.statusCode!, response.statusMessage ?? '', [...response.rawHeaders.filter(isEndToEnd), 'connection', 'close']);
      response.pipe(client);
    });
    asked.once('upgrade', (response, socket, rest) => {
      told(request, 101);
      writeHead(client, 101, 'Switching Protocols', response.rawHeaders);
      if (rest.length > 0) client.write(rest);
      if (head.length > 0) client.unshift(head);
      connect(client, socket, patience);
    });
    asked.end();
  };
  server.on('upgrade', handle);
  return {
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
};

/** Of a raw header list: leaves out the fields of one connection, name and value. */
const isEndToEnd = (_: string, index: number, all: readonly string[]): boolean =>
  !['connection', 'transfer-encoding', 'keep-alive'].includes(all[index - (index % 2)]!.toLowerCase());

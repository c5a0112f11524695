import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { SandboxError } from '../sandbox-error.ts';
import { findDeployment, type Deployment } from './deployed-apis.ts';
import { httpDoor } from './http-api-proxy.ts';
import { identityProviderDoor } from './identity-provider-proxy.ts';
import { signInDoor } from './sign-in-proxy.ts';
import { upstreamAt } from './emulator-upstream.ts';
import { openWebSocketDoor, type SocketPatience } from './web-socket-proxy.ts';

/** One door for each host name that the deployment would have on AWS. */
export type DoorName = 'admin' | 'jmap' | 'webSocket' | 'auth' | 'identityProvider';

export type RequestSeen = {
  readonly door: DoorName;
  readonly method: string;
  /** Without the query, which may carry a token. */
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
};

export type FrontDoorOptions = {
  readonly ports: { readonly [name in DoorName]: number };
  /** The emulator's endpoint. */
  readonly emulator: string;
  readonly stackName: string;
  readonly onRequest?: (request: RequestSeen) => void;
  /** How long WebSockets are kept; API Gateway's patience without it. */
  readonly socketPatience?: SocketPatience;
};

export type FrontDoor = {
  /** Looks up again what is deployed; to be called after each deploy. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
};

const listen = (server: Server, port: number): Promise<void> => new Promise((done, fail) => {
  server.once('error', (error: NodeJS.ErrnoException) => fail(error.code === 'EADDRINUSE'
    ? new SandboxError(`Port ${port} is taken by another program.`, 'End that program, or choose other ports with --port.')
    : error));
  server.listen({ port, host: '127.0.0.1', exclusive: true }, () => done());
});

const closed = (server: Server): Promise<void> => new Promise((done) => {
  if (!server.listening) return done();
  server.close(() => done());
  server.closeAllConnections();
});

const pathOf = (request: IncomingMessage): string => (request.url ?? '').split('?', 1)[0] ?? '';

const watched = (door: DoorName, listener: RequestListener, onRequest: FrontDoorOptions['onRequest']): RequestListener => (request, response) => {
  const begun = performance.now();
  response.once('close', () => onRequest?.({
    door, method: request.method ?? '', path: pathOf(request), status: response.statusCode, milliseconds: Math.round(performance.now() - begun),
  }));
  listener(request, response);
};

/** What API Gateway says to a request for a WebSocket API that asks for no socket. */
const socketsOnly: RequestListener = (request, response) => {
  request.resume();
  response.writeHead(403, { 'content-type': 'application/json' }).end('{"message":"Forbidden"}');
};

/**
 * Stands where API Gateway and Cognito's domains stand on AWS: a port of 127.0.0.1 for each, before the emulator. It keeps their limits and
 * throttles, and answers 503 while nothing is deployed.
 * @throws SandboxError in words when a port is taken.
 */
export const startFrontDoor = async ({ ports, emulator, stackName, onRequest, socketPatience }: FrontDoorOptions): Promise<FrontDoor> => {
  const upstream = upstreamAt(emulator);
  let deployment: Deployment | undefined;
  const refresh = async (): Promise<void> => { deployment = await findDeployment(emulator, stackName); };
  const urls = { auth: `http://127.0.0.1:${ports.auth}`, identityProvider: `http://127.0.0.1:${ports.identityProvider}` };
  const listeners: { readonly [name in DoorName]: RequestListener } = {
    admin: httpDoor(upstream, () => deployment?.adminApi),
    jmap: httpDoor(upstream, () => deployment?.jmapApi),
    webSocket: socketsOnly,
    auth: signInDoor(upstream, urls.auth, () => deployment),
    identityProvider: identityProviderDoor(upstream, urls, () => deployment),
  };
  const servers = (Object.entries(listeners) as [DoorName, RequestListener][])
    .map(([name, listener]) => ({ name, server: createServer({ keepAliveTimeout: 65_000 }, watched(name, listener, onRequest)) }));
  const sockets = openWebSocketDoor(servers.find(({ name }) => name === 'webSocket')!.server, upstream, () => deployment?.webSocketApi,
    (request, status) => onRequest?.({ door: 'webSocket', method: 'GET', path: pathOf(request), status, milliseconds: 0 }), socketPatience);
  const stop = async (): Promise<void> => {
    sockets.close();
    await Promise.all(servers.map(({ server }) => closed(server)));
    upstream.close();
  };
  try {
    for (const { name, server } of servers) await listen(server, ports[name]);
    await refresh();
  } catch (error) {
    await stop();
    throw error;
  }
  return { refresh, stop };
};

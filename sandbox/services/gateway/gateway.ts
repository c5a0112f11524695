import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { entriesOf } from '../../../contract/values/typed-entries.ts';
import { SandboxError } from '../../process/sandbox-error.ts';
import { strictBehaviour, type UndocumentedBehaviour } from '../undocumented-behaviour.ts';
import { findDeployedStack, type DeployedApi, type DeployedStack } from './deployed-apis.ts';
import { emulatorUpstream } from './emulator-upstream.ts';
import { httpApiProxy, type Changes } from './http-api-proxy.ts';
import { identityProviderProxy } from './identity-provider-proxy.ts';
import { receiveMessagesFrom } from './queue-long-poll.ts';
import { signInProxy } from './sign-in-proxy.ts';
import { webSocketProxy, type SocketTimeouts } from './web-socket-proxy.ts';

/** The gateway's endpoints: one for each host name of a deployment on AWS. */
export type EndpointName = 'admin' | 'console' | 'webmail' | 'jmap' | 'webSocket' | 'auth' | 'identityProvider';

export type GatewayRequest = {
  readonly endpoint: EndpointName;
  readonly method: string;
  /** The path without the query, which may contain a token. */
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
};

export type GatewayOptions = {
  readonly ports: { readonly [name in EndpointName]: number };
  /** The URL of the emulator's endpoint. */
  readonly emulator: string;
  readonly stackName: string;
  /** Default: strict. */
  readonly undocumented?: UndocumentedBehaviour;
  readonly onRequest?: (request: GatewayRequest) => void;
  /** Timeouts of WebSockets; by default those of API Gateway. */
  readonly socketTimeouts?: SocketTimeouts;
};

export type Gateway = {
  /** Finds the deployed APIs again. Must be called after each deployment. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
};

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((done, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      fail(
        error.code === 'EADDRINUSE'
          ? new SandboxError(`Port ${port} is taken by another program.`, 'End that program, or choose other ports with --port.')
          : error,
      ),
    );
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => done());
  });

const closed = (server: Server): Promise<void> =>
  new Promise((done) => {
    if (!server.listening) return done();
    server.close(() => done());
    server.closeAllConnections();
  });

const pathOf = (request: IncomingMessage): string => (request.url ?? '').split('?', 1)[0] ?? '';

const observed =
  (endpoint: EndpointName, listener: RequestListener, onRequest: GatewayOptions['onRequest']): RequestListener =>
  (request, response) => {
    const startedAt = performance.now();
    response.once('close', () =>
      onRequest?.({
        endpoint,
        method: request.method ?? '',
        path: pathOf(request),
        status: response.statusCode,
        milliseconds: Math.round(performance.now() - startedAt),
      }),
    );
    listener(request, response);
  };

/** API Gateway's response to a normal HTTP request for a WebSocket API. */
const socketsOnly: RequestListener = (request, response) => {
  request.resume();
  response.writeHead(403, { 'content-type': 'application/json' }).end('{"message":"Forbidden"}');
};

/** The API that serves a path of the JMAP API's host name, by API mappings. */
const jmapApiOf = (deployment: DeployedStack | undefined, path: string): DeployedApi | undefined =>
  deployment?.mappedApis.find(({ basePath }) => path === basePath || path.startsWith(`${basePath}/`)) ?? deployment?.jmapApi;

/**
 * Starts the reverse proxy that replaces the host names of API Gateway and Cognito: one port of 127.0.0.1 for each, in
 * front of the emulator. It enforces their limits of size and time, and responds with 503 while nothing is deployed.
 * @throws SandboxError for a port that is taken.
 */
export const startGateway = async ({
  ports,
  emulator,
  stackName,
  undocumented = strictBehaviour(),
  onRequest,
  socketTimeouts,
}: GatewayOptions): Promise<Gateway> => {
  const upstream = emulatorUpstream(emulator);
  // The guide of REST APIs documents that they rename WWW-Authenticate, encode % and split at ;. How they do it, it does not.
  const isStrict = (name: keyof UndocumentedBehaviour): boolean => undocumented[name] === 'strict';
  const changes = ({ rest, basePath }: DeployedApi): Changes => ({
    renamed: [
      ...(basePath !== undefined || isStrict('challenge-header') ? ['www-authenticate'] : []),
      ...(rest === 'streamed' && isStrict('content-length') ? ['content-length'] : []),
    ],
    encodesPercent: rest !== undefined && isStrict('query-percent'),
    splitsSemicolons: rest !== undefined && isStrict('query-semicolon'),
  });
  let deployment: DeployedStack | undefined;
  const refresh = async (): Promise<void> => {
    deployment = await findDeployedStack(emulator, stackName);
  };
  const urls = { auth: `http://127.0.0.1:${ports.auth}`, identityProvider: `http://127.0.0.1:${ports.identityProvider}` };
  const listeners: { readonly [name in EndpointName]: RequestListener } = {
    admin: httpApiProxy(upstream, () => deployment?.adminApi, changes),
    console: httpApiProxy(upstream, () => deployment?.consoleApi, changes),
    webmail: httpApiProxy(upstream, () => deployment?.webmailApi, changes),
    jmap: httpApiProxy(upstream, (request) => jmapApiOf(deployment, pathOf(request)), changes, receiveMessagesFrom(emulator)),
    webSocket: socketsOnly,
    auth: signInProxy(upstream, urls.auth, () => deployment),
    identityProvider: identityProviderProxy(upstream, urls, () => deployment),
  };
  const servers = entriesOf(listeners).map(([name, listener]) => ({
    name,
    server: createServer({ keepAliveTimeout: 65_000 }, observed(name, listener, onRequest)),
  }));
  const sockets = webSocketProxy(
    servers.find(({ name }) => name === 'webSocket')!.server,
    upstream,
    () => deployment?.webSocketApi,
    (request, status) => onRequest?.({ endpoint: 'webSocket', method: 'GET', path: pathOf(request), status, milliseconds: 0 }),
    socketTimeouts,
  );
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

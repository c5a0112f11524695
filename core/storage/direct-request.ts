import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { requestSigner, type AwsCredentials, type SignableRequest } from './request-signature.ts';

/** Timeouts of one attempt of a call in milliseconds, well under a Lambda's own timeout. */
export const requestTimeouts = { connectionTimeout: 1_000, requestTimeout: 5_000 } as const;

/** A response as it arrived, of any status. */
export type DirectResponse = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** 2 when the service had closed the kept connection: the request was sent again on a new one. */
  readonly attempts: number;
};

/**
 * A call to a service of AWS: signed, over a kept connection, without the SDK. The SDK takes six times as long for the
 * same call (DECISIONS.md, "Calls to DynamoDB and S3 are sent without the SDK").
 * @throws Error when no response came in time.
 */
export type SendDirectly = (request: Omit<SignableRequest, 'host'>) => Promise<DirectResponse>;

/** The endpoint and the keys for calls to a service. */
export type DirectTarget = {
  readonly service: 'dynamodb' | 's3';
  readonly region: string;
  readonly endpoint: URL;
  readonly credentials: () => AwsCredentials;
};

/** Regions of the partition `aws`, whose endpoints are `<service>.<region>.amazonaws.com`. */
const commercialRegion = /^(?:af|ap|ca|eu|il|me|mx|sa|us)-[a-z]+-\d+$/;

/** Settings of the SDK that choose another endpoint or other keys than those below. */
const settingsOfSdk = ['AWS_USE_FIPS_ENDPOINT', 'AWS_USE_DUALSTACK_ENDPOINT', 'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS', 'AWS_PROFILE'] as const;

/**
 * The endpoint and the keys of a Lambda, from the environment variables that Lambda and the SDK define.
 * @returns undefined where only the SDK knows them: in other partitions than `aws`, and with keys from elsewhere.
 */
export const lambdaTarget = (service: DirectTarget['service'], variables: NodeJS.ProcessEnv = process.env): DirectTarget | undefined => {
  const region = variables['AWS_REGION'];
  const custom = variables[`AWS_ENDPOINT_URL_${service.toUpperCase()}`] || variables['AWS_ENDPOINT_URL'];
  if (!region || !variables['AWS_ACCESS_KEY_ID'] || settingsOfSdk.some((name) => variables[name])) return undefined;
  if (!custom && !commercialRegion.test(region)) return undefined;
  const endpoint = new URL(custom || `https://${service}.${region}.amazonaws.com`);
  return endpoint.pathname !== '/' ? undefined : {
    service, region, endpoint,
    credentials: () => ({
      accessKeyId: variables['AWS_ACCESS_KEY_ID']!,
      secretAccessKey: variables['AWS_SECRET_ACCESS_KEY']!,
      sessionToken: variables['AWS_SESSION_TOKEN'] || undefined,
    }),
  };
};

const timeoutError = (message: string): Error => Object.assign(new Error(message), { name: 'TimeoutError' });

/**
 * Ends the request unless it connects and responds in time, and each part of the body follows in time. @returns a
 * function that stops the clock.
 */
const limitTime = (request: ClientRequest): (() => void) => {
  const responseTimer = setTimeout(() => request.destroy(timeoutError('no response in time')), requestTimeouts.requestTimeout);
  request.once('response', (response) => response.on('data', () => responseTimer.refresh()));
  let connectionTimer: NodeJS.Timeout | undefined;
  request.once('socket', (socket) => {
    if (!socket.connecting) return;
    connectionTimer = setTimeout(() => request.destroy(timeoutError('no connection in time')), requestTimeouts.connectionTimeout);
    socket.once('connect', () => clearTimeout(connectionTimer));
  });
  return () => {
    clearTimeout(responseTimer);
    clearTimeout(connectionTimer);
  };
};

/** Reads the response of a request. @throws Error when there is none, or when it ends early. */
const readResponse = (request: ClientRequest): Promise<Omit<DirectResponse, 'attempts'>> => new Promise((resolve, reject) => {
  request.once('error', reject);
  request.once('response', (response: IncomingMessage) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.once('error', reject);
    response.once('end', () => resolve({
      status: response.statusCode!, headers: response.headers, body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks),
    }));
  });
});

/** Whether the service had closed the kept connection, as it does after a while without requests. */
const wasStale = (request: ClientRequest, error: unknown): boolean =>
  request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Closes the connections that wait for a request. */
const closeIdle = ({ freeSockets }: HttpAgent): void => {
  for (const socket of Object.values(freeSockets).flat()) socket?.destroy();
};

/** Sends requests to one service. The connections are kept for the next ones. */
export const directSender = ({ service, region, endpoint, credentials }: DirectTarget): SendDirectly => {
  const isHttps = endpoint.protocol === 'https:';
  const [agent, send] = isHttps ? [new HttpsAgent({ keepAlive: true }), httpsRequest] : [new HttpAgent({ keepAlive: true }), httpRequest];
  const { hostname, host } = endpoint;
  const port = endpoint.port || (isHttps ? 443 : 80);
  const sign = requestSigner(service, region, credentials);
  return async ({ method, path, headers, body = '' }) => {
    const signed = await sign({ method, host, path, headers, body }, new Date());
    if (method === 'POST') signed['content-length'] = String(Buffer.byteLength(body));
    for (let attempts = 1; ; attempts++) {
      const request = send({ hostname, port, method, path, headers: signed, agent });
      const stopClock = limitTime(request);
      const reading = readResponse(request);
      request.end(body);
      try {
        return { ...await reading, attempts };
      } catch (error) {
        if (attempts > 1 || !wasStale(request, error)) throw error;
        closeIdle(agent);
      } finally {
        stopClock();
      }
    }
  };
};

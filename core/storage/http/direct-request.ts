import { httpConnections, type Exchanged, type HttpTimeouts } from './http-connections.ts';
import { requestSigner, type AwsCredentials, type SignableRequest } from './request-signature.ts';

/** Timeouts of one attempt of a call in milliseconds, well under a Lambda's own timeout. */
export const requestTimeouts: HttpTimeouts = { connectionTimeout: 1_000, requestTimeout: 5_000 };

/**
 * A call to a service of AWS: signed, over a kept connection, without the SDK. The SDK takes six times as long for the
 * same call (`docs/decisions/dynamodb-and-s3-without-the-sdk.md`).
 * @throws Error when no response came in time.
 */
export type SendDirectly = (request: Omit<SignableRequest, 'host'>) => Promise<Exchanged>;

/** The endpoint and the keys for calls to a service. */
export type DirectTarget = { readonly service: 'dynamodb' | 's3'; readonly region: string; readonly endpoint: URL; readonly credentials: () => AwsCredentials };

/** Regions of the partition `aws`, whose endpoints are `<service>.<region>.amazonaws.com`. */
const commercialRegion = /^(?:af|ap|ca|eu|il|me|mx|sa|us)-[a-z]+-\d+$/;

/** Settings of the SDK that choose a different endpoint or other keys, so that direct calls are not possible. */
const settingsOfSdk = ['AWS_USE_FIPS_ENDPOINT', 'AWS_USE_DUALSTACK_ENDPOINT', 'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS', 'AWS_PROFILE'] as const;

/**
 * The endpoint and the keys of a Lambda, from the environment variables that Lambda and the SDK define.
 * @returns undefined when only the SDK can find them: in another partition than `aws`, and with keys from another
 * source.
 */
export const lambdaTarget = (service: DirectTarget['service'], variables: NodeJS.ProcessEnv = process.env): DirectTarget | undefined => {
  const region = variables['AWS_REGION'];
  const custom = variables[`AWS_ENDPOINT_URL_${service.toUpperCase()}`] || variables['AWS_ENDPOINT_URL'];
  if (!region || !variables['AWS_ACCESS_KEY_ID'] || settingsOfSdk.some((name) => variables[name])) return undefined;
  if (!custom && !commercialRegion.test(region)) return undefined;
  const endpoint = new URL(custom || `https://${service}.${region}.amazonaws.com`);
  return endpoint.pathname !== '/'
    ? undefined
    : {
        service,
        region,
        endpoint,
        credentials: () => ({
          accessKeyId: variables['AWS_ACCESS_KEY_ID']!,
          secretAccessKey: variables['AWS_SECRET_ACCESS_KEY']!,
          sessionToken: variables['AWS_SESSION_TOKEN'] || undefined,
        }),
      };
};

/** The text of a request. @throws Error for a path or a header with a line break. */
const requestText = (method: string, path: string, headers: Readonly<Record<string, string>>, body: string): string => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  if (/[\r\n]/.test(path) || lines.some((line) => /[\r\n]/.test(line))) throw new Error('the path or a header of the request has a line break');
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
};

/** Sends requests to one service. The connections are kept for the next ones. */
export const directSender = ({ service, region, endpoint, credentials }: DirectTarget, timeouts: HttpTimeouts = requestTimeouts): SendDirectly => {
  const exchange = httpConnections(endpoint, timeouts);
  const sign = requestSigner(service, region, credentials);
  return async ({ method, path, headers, body = '' }) => {
    const signed = sign({ method, host: endpoint.host, path, headers, body }, new Date());
    if (method === 'POST') signed['content-length'] = String(Buffer.byteLength(body));
    return exchange(requestText(method, path, signed, body));
  };
};

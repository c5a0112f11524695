import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';

/** The emulator treats these credentials as the account's root user. They are valid on this machine only. */
export const emulatorCredentials = { accessKeyId: '000000000000', secretAccessKey: 'test' } as const;
export const emulatorAccount = '000000000000';
export const sandboxRegion = 'us-east-1';

/** The AWS of a deployment: an emulator's endpoint, or none for AWS itself. */
export type AwsTarget = {
  readonly awsEndpointUrl?: string;
  /** PEM file of the certificate to trust for the endpoint. */
  readonly caCertificate?: string;
  readonly region: string;
};

/**
 * Configuration of an AWS SDK client. Without an endpoint the client calls AWS itself, with the environment's
 * credentials.
 */
export const awsClientConfig = ({ awsEndpointUrl, caCertificate, region }: AwsTarget) => ({
  region,
  ...(awsEndpointUrl ? { endpoint: awsEndpointUrl, credentials: emulatorCredentials } : {}),
  ...(caCertificate ? { requestHandler: { httpsAgent: new Agent({ ca: readFileSync(caCertificate), keepAlive: true }) } } : {}),
});

/** Environment variables with which the AWS CLI and SDKs of a child process call the emulator. */
export const emulatorEnvironment = (endpoint: string): Record<string, string> => ({
  AWS_ENDPOINT_URL: endpoint,
  AWS_ACCESS_KEY_ID: emulatorCredentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: emulatorCredentials.secretAccessKey,
  AWS_REGION: sandboxRegion,
  AWS_DEFAULT_REGION: sandboxRegion,
});

export type EmulatorAddress = {
  /** The base URL of the emulator: `http://127.0.0.1:4808`. */
  readonly endpoint: string;
  readonly region: string;
};

/**
 * Configuration of an AWS SDK client that always calls the emulator, regardless of the environment. When the emulator
 * is down, a call fails within seconds, because an SMTP client may be waiting for the response.
 */
export const emulatorClientConfig = ({ endpoint, region }: EmulatorAddress) => ({
  endpoint,
  region,
  credentials: emulatorCredentials,
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 2000, requestTimeout: 15_000 },
});

import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';

/** What the emulator takes for the account's owner. They open nothing outside this machine. */
export const emulatorCredentials = { accessKeyId: '000000000000', secretAccessKey: 'test' } as const;
export const emulatorAccount = '000000000000';
export const sandboxRegion = 'us-east-1';

/** Where AWS is for a deployment: an endpoint for an emulator, none for AWS itself. */
export type AwsPlace = {
  readonly awsEndpointUrl?: string;
  /** PEM file with which the endpoint's certificate is trusted. */
  readonly caCertificate?: string;
  readonly region: string;
};

/** Settings for an AWS client. Without an endpoint it is AWS itself, with whatever credentials the environment has. */
export const awsOf = ({ awsEndpointUrl, caCertificate, region }: AwsPlace) => ({
  region,
  ...(awsEndpointUrl ? { endpoint: awsEndpointUrl, credentials: emulatorCredentials } : {}),
  ...(caCertificate ? { requestHandler: { httpsAgent: new Agent({ ca: readFileSync(caCertificate), keepAlive: true }) } } : {}),
});

/** The emulator for a child process, as the AWS CLI and SDKs read it from the environment. */
export const awsEnvironment = (endpoint: string): Record<string, string> => ({
  AWS_ENDPOINT_URL: endpoint,
  AWS_ACCESS_KEY_ID: emulatorCredentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: emulatorCredentials.secretAccessKey,
  AWS_REGION: sandboxRegion,
  AWS_DEFAULT_REGION: sandboxRegion,
});

export type EmulatorAddress = {
  /** `http://127.0.0.1:4808` */
  readonly endpoint: string;
  readonly region: string;
};

/**
 * Client configuration that reaches the emulator and nothing else, whatever this process's environment says.
 * An emulator that is down is an error within a few seconds: whoever sent mail is waiting for an answer.
 */
export const emulatorAccess = ({ endpoint, region }: EmulatorAddress) => ({
  endpoint,
  region,
  credentials: emulatorCredentials,
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 2000, requestTimeout: 15_000 },
});

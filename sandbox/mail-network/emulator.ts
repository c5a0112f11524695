import { emulatorCredentials } from '../aws.ts';

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

import { startTrial } from '../sandbox/emulator/trial.ts';

/** An emulator for the tests of one file; nothing of it is left after `stop`. */
export type TestEmulator = { readonly endpoint: string; stop(): Promise<void> };

/**
 * Starts an emulator on a free port and points the SDK's environment of this process at it, as a deployment's would be.
 * @throws SandboxError in words when there is no Python for it, or when it does not start.
 */
export const startTestEmulator = async (): Promise<TestEmulator> => {
  const trial = await startTrial();
  const { endpoint } = trial.emulator;
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: endpoint, AWS_ACCESS_KEY_ID: '000000000000', AWS_SECRET_ACCESS_KEY: 'test', AWS_REGION: 'us-east-1', AWS_DEFAULT_REGION: 'us-east-1',
  });
  return { endpoint, stop: () => trial.end() };
};

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareEnvironment, startEmulator } from '../../sandbox/emulator/index.ts';
import { freePort, venvDirectory } from '../sandbox/emulator/trial.ts';

/** An emulator for the tests of one file; nothing of it is left after `stop`. */
export type TestEmulator = { readonly endpoint: string; stop(): Promise<void> };

/**
 * Starts an emulator on a free port and points the SDK's environment of this process at it, as a deployment's would be.
 * @throws SandboxError in words when there is no Python for it, or when it does not start.
 */
export const startTestEmulator = async (): Promise<TestEmulator> => {
  await prepareEnvironment({ directory: venvDirectory });
  const stateDirectory = await mkdtemp(join(tmpdir(), 'postrider-test-'));
  const emulator = await startEmulator({ port: await freePort(), stateDirectory, venvDirectory });
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: emulator.endpoint, AWS_ACCESS_KEY_ID: '000000000000', AWS_SECRET_ACCESS_KEY: 'test', AWS_REGION: 'us-east-1', AWS_DEFAULT_REGION: 'us-east-1',
  });
  return {
    endpoint: emulator.endpoint,
    async stop() {
      await emulator.stop();
      await rm(stateDirectory, { recursive: true, force: true });
    },
  };
};

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** An emulator for the tests of one file; nothing of it is left after `stop`. */
export type TestEmulator = { readonly endpoint: string; stop(): Promise<void> };

/** The Python environment with the emulator: this checkout's own, made by the first start of the sandbox, or the one that is named. */
const virtualEnvironment = process.env['POSTRIDER_VENV'] ?? join(process.cwd(), '.postrider', 'venv');

const freePort = () => new Promise<number>((resolve, reject) => {
  const server = createServer().once('error', reject).listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number };
    server.close(() => resolve(port));
  });
});

const answers = async (endpoint: string): Promise<boolean> => {
  try {
    return (await fetch(`${endpoint}/_ministack/health`, { signal: AbortSignal.timeout(1000) })).ok;
  } catch {
    return false;
  }
};

/**
 * Starts an emulator on a free port and points the SDK's environment of this process at it, as a deployment's would be.
 * @throws Error when there is no Python environment to start it from, or when it does not answer within 20 seconds.
 */
export const startTestEmulator = async (): Promise<TestEmulator> => {
  const program = join(virtualEnvironment, 'bin', 'ministack');
  if (!existsSync(program)) throw new Error(`${program} is missing: \`npm start\` makes it, or name another environment in POSTRIDER_VENV`);
  const directory = await mkdtemp(join(tmpdir(), 'postrider-test-'));
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const credentials = { AWS_ACCESS_KEY_ID: '000000000000', AWS_SECRET_ACCESS_KEY: 'test', AWS_REGION: 'us-east-1', AWS_DEFAULT_REGION: 'us-east-1' };
  const child = spawn(program, [], {
    cwd: directory,
    stdio: 'ignore',
    env: {
      ...credentials, PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter), HOME: directory, TMPDIR: directory,
      BIND_HOST: '127.0.0.1', GATEWAY_PORT: String(port), MINISTACK_HOST: `127.0.0.1:${port}`, MINISTACK_REGION: 'us-east-1', IOT_MTLS_ENABLED: '0',
      STATE_DIR: join(directory, 'state'), S3_DATA_DIR: join(directory, 's3'), LOG_LEVEL: 'ERROR',
    },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    child.kill('SIGTERM');
    const patience = setTimeout(() => child.kill('SIGKILL'), 5000);
    await ended;
    clearTimeout(patience);
    await rm(directory, { recursive: true, force: true });
  };
  for (let waited = 0; !(await answers(endpoint)); waited += 100) {
    if (waited > 20_000 || child.exitCode !== null) {
      await stop();
      throw new Error(`the emulator does not answer at ${endpoint}`);
    }
    await pause(100);
  }
  Object.assign(process.env, credentials, { AWS_ENDPOINT_URL: endpoint });
  return { endpoint, stop };
};

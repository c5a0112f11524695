import type { ChildProcess } from 'node:child_process';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { createServer, Socket } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { endProcess, startProcess } from '../process/child-processes.ts';
import { SandboxError } from '../process/sandbox-error.ts';
import { debugRequestFile } from './lambda-debugger.ts';
import { assertPythonEnvironment, pythonIn } from './python-environment.ts';

const here = dirname(fileURLToPath(import.meta.url));
const projectDirectory = dirname(dirname(here));

/** The account and the region of the emulated AWS. */
export const emulated = { accountId: '000000000000', region: 'us-east-1', secretAccessKey: 'test' } as const;

export type EmulatorOptions = {
  /** The port on 127.0.0.1. */
  readonly port: number;
  /** The emulator's state, which survives restarts. One emulator per directory. */
  readonly stateDirectory: string;
  readonly venvDirectory: string;
  /** Additional environment variables, which the Lambdas inherit, such as `AWS_ENDPOINT_URL_SESV2`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether calls need IAM permissions, as on AWS. The emulator then uses TLS. */
  readonly enforceIam?: boolean;
  /** Called with each line of its output. */
  readonly onLine?: (line: string) => void;
};

export type Emulator = {
  /** The base URL of the emulator: `http://127.0.0.1:4808`; with `enforceIam` `https://…`. */
  readonly endpoint: string;
  readonly pid: number;
  /**
   * With `enforceIam`: the PEM file of the certificate to trust for `endpoint` (NODE_EXTRA_CA_CERTS). This process
   * trusts it already.
   */
  readonly caCertificate?: string;
  /** PEM files of a certificate that the Lambdas trust, and of its key, for HTTPS servers on this machine. */
  readonly trusted: { readonly certificate: string; readonly key: string };
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  /** Saves the state and ends the emulator and all Lambda processes. */
  stop(): Promise<void>;
};

/** Milliseconds for the emulator to listen, and to save its state. */
const timeouts = { start: 60_000, stop: 20_000 };

const assertPortFree = (port: number): Promise<void> =>
  new Promise((done, fail) => {
    const server = createServer();
    server.once('error', () =>
      fail(new SandboxError(`Port ${port} for the AWS emulator is taken by another program.`, 'End that program, or choose other ports with --port.')),
    );
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => done()));
  });

type EmulatorPaths = {
  readonly state: string;
  readonly objects: string;
  readonly temporary: string;
  readonly certificate: string;
  readonly key: string;
  readonly debugRequest: string;
  readonly refusedRequests: string;
  readonly itemAccesses: string;
};

/** The file in an emulator's state directory that has a line for each way in which requests broke a service's model. */
export const refusedRequestsFile = (stateDirectory: string): string => join(resolve(stateDirectory), 'refused-requests.txt');

/** The file in an emulator's state directory that has a line for each kind of access to items (gaps/leading_keys.py). */
export const itemAccessesFile = (stateDirectory: string): string => join(resolve(stateDirectory), 'item-accesses.txt');

const emulatorPaths = (stateDirectory: string): EmulatorPaths => {
  const root = resolve(stateDirectory);
  return {
    state: join(root, 'services'),
    objects: join(root, 'objects'),
    temporary: join(root, 'tmp'),
    certificate: join(root, 'tls', 'certificate.pem'),
    key: join(root, 'tls', 'key.pem'),
    debugRequest: debugRequestFile(root),
    refusedRequests: refusedRequestsFile(root),
    itemAccesses: itemAccessesFile(root),
  };
};

/** The whole environment of the emulator and its Lambdas. Nothing is inherited from the user's environment. */
const emulatorProcessEnvironment = ({ port, environment, enforceIam }: EmulatorOptions, paths: EmulatorPaths): Record<string, string> => ({
  PATH: [join(projectDirectory, 'node_modules', 'node', 'bin'), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
  // CDK's custom resources import the SDK, which AWS's runtime provides.
  NODE_PATH: join(projectDirectory, 'node_modules'),
  HOME: paths.temporary,
  TMPDIR: paths.temporary,
  LANG: 'C.UTF-8',
  PYTHONUNBUFFERED: '1',
  LOG_LEVEL: 'WARNING',
  BIND_HOST: '127.0.0.1',
  MINISTACK_HOST: '127.0.0.1',
  GATEWAY_PORT: String(port),
  MINISTACK_REGION: emulated.region,
  AWS_DEFAULT_REGION: emulated.region,
  AWS_REGION: emulated.region,
  AWS_ACCESS_KEY_ID: emulated.accountId,
  AWS_SECRET_ACCESS_KEY: emulated.secretAccessKey,
  // Turn off listeners and tools that are not needed.
  IOT_MTLS_ENABLED: '0',
  SFTP_ENABLED: '0',
  DOCKER_HOST: `unix://${join(paths.temporary, 'no-docker')}`,
  PERSIST_STATE: '1',
  STATE_DIR: paths.state,
  S3_PERSIST: '1',
  S3_DATA_DIR: paths.objects,
  CLOUDTRAIL_RECORDING: '1',
  POSTRIDER_SANDBOX_DEBUG_REQUEST: paths.debugRequest,
  POSTRIDER_SANDBOX_REFUSED_REQUESTS: paths.refusedRequests,
  POSTRIDER_SANDBOX_ITEM_ACCESSES: paths.itemAccesses,
  MINISTACK_SSL_CERT: paths.certificate,
  MINISTACK_SSL_KEY: paths.key,
  NODE_EXTRA_CA_CERTS: paths.certificate,
  ...(enforceIam ? { AUTH: 'true', USE_SSL: '1', AWS_CA_BUNDLE: paths.certificate } : {}),
  ...environment,
});

const isReady = (endpoint: string): Promise<boolean> =>
  new Promise((resolve) => {
    const request = endpoint.startsWith('https') ? requestHttps : requestHttp;
    const clientRequest = request(`${endpoint}/_ministack/ready`, { rejectUnauthorized: false, timeout: 2000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    clientRequest.on('timeout', () => clientRequest.destroy());
    clientRequest.on('error', () => resolve(false));
    clientRequest.end();
  });

const waitUntilReady = async (endpoint: string, child: ChildProcess, lastLines: readonly string[]): Promise<void> => {
  const deadline = Date.now() + timeouts.start;
  while (!(await isReady(endpoint))) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new SandboxError(`The AWS emulator ended while it started:\n${lastLines.join('\n')}`);
    }
    if (Date.now() > deadline) throw new SandboxError(`The AWS emulator does not answer at ${endpoint}:\n${lastLines.join('\n')}`);
    await delay(30);
  }
};

/** Makes this process trust the emulator's certificate. */
const trustCertificate = async (certificate: string): Promise<void> => {
  setDefaultCACertificates([...getCACertificates('default'), await readFile(certificate, 'utf8')]);
};

/**
 * Creates the emulator's directories. The emulator writes S3 objects at once and all other state when it ends. If its
 * first run was killed, there are objects without buckets, which would make the next deployment fail. They are deleted.
 */
const makeDirectories = async (paths: EmulatorPaths): Promise<void> => {
  const saved = await readdir(paths.state).catch(() => []);
  // Debugging ends with the sandbox.
  await rm(paths.debugRequest, { force: true });
  for (const record of [paths.refusedRequests, paths.itemAccesses]) await rm(record, { force: true });
  const outdated = saved.some((name) => name.endsWith('.json')) ? [paths.temporary] : [paths.temporary, paths.objects];
  for (const place of outdated) await rm(place, { recursive: true, force: true, maxRetries: 3 });
  for (const place of [paths.state, paths.objects, paths.temporary]) await mkdir(place, { recursive: true });
  // Lambdas run in this directory as CommonJS, although the project's modules are ES modules.
  await writeFile(join(paths.temporary, 'package.json'), '{}');
};

/** Lets this process exit while the child runs. The child then ends too. */
const unrefChild = (child: ChildProcess): void => {
  child.unref();
  for (const stream of child.stdio) if (stream instanceof Socket) stream.unref();
};

/** Keeps the last lines of a process's output, for error messages. */
const keepLastLines = (child: ChildProcess, onLine?: (line: string) => void): readonly string[] => {
  const last: string[] = [];
  for (const stream of [child.stdout!, child.stderr!]) {
    createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) => {
      last.push(line);
      if (last.length > 12) last.shift();
      onLine?.(line);
    });
  }
  return last;
};

/**
 * Starts the AWS emulator, including the patches for its gaps, and resolves when it responds. It ends with this
 * process, however this process ends.
 * @throws SandboxError when the port is taken, the Python environment is missing or the emulator does not start.
 */
export const startEmulator = async (options: EmulatorOptions): Promise<Emulator> => {
  await assertPythonEnvironment(options.venvDirectory);
  await assertPortFree(options.port);
  const paths = emulatorPaths(options.stateDirectory);
  await makeDirectories(paths);
  const child = startProcess(pythonIn(options.venvDirectory), [join(here, 'launcher.py')], {
    cwd: resolve(options.stateDirectory),
    env: emulatorProcessEnvironment(options, paths),
    // The emulator ends when its standard input is closed, which happens when this process ends.
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  const lastLines = keepLastLines(child, options.onLine);
  unrefChild(child);
  const endpoint = `${options.enforceIam ? 'https' : 'http'}://127.0.0.1:${options.port}`;
  const stop = async (): Promise<void> => {
    child.ref();
    await endProcess(child, timeouts.stop);
    await rm(paths.temporary, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    await waitUntilReady(endpoint, child, lastLines);
    if (options.enforceIam) await trustCertificate(paths.certificate);
  } catch (error) {
    await stop();
    throw error;
  }
  const { certificate, key } = paths;
  return { endpoint, pid: child.pid!, caCertificate: options.enforceIam ? certificate : undefined, trusted: { certificate, key }, ended, stop };
};

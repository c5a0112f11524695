import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { createServer, type Socket } from 'node:net';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { endProcess, startProcess } from '../child-processes.ts';
import { SandboxError } from '../sandbox-error.ts';
import { assertPrepared, pythonOf } from './python-environment.ts';

const here = dirname(fileURLToPath(import.meta.url));
const projectDirectory = dirname(dirname(here));

/** The one account and region of the emulated cloud. */
export const emulated = { accountId: '000000000000', region: 'us-east-1', secretAccessKey: 'test' } as const;

export type EmulatorOptions = {
  /** Where it listens, on 127.0.0.1. */
  readonly port: number;
  /** What it stores is found here again at the next start. One emulator at a time. */
  readonly stateDirectory: string;
  readonly venvDirectory: string;
  /** More for the environment, which the Lambdas inherit: `AWS_ENDPOINT_URL_SESV2`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether calls need permissions, as on AWS. It listens with TLS then. */
  readonly enforceIam?: boolean;
  /** Each line that it writes. */
  readonly onLine?: (line: string) => void;
};

export type Emulator = {
  /** `http://127.0.0.1:4808`; with `enforceIam` `https://…`. */
  readonly endpoint: string;
  readonly pid: number;
  /** With `enforceIam`: the PEM file that makes `endpoint` trusted, for NODE_EXTRA_CA_CERTS of other processes. This one trusts it already. */
  readonly caCertificate?: string;
  /** PEM files of a certificate that the Lambdas trust, and its key: for servers on this machine that they call by https. */
  readonly trusted: { readonly certificate: string; readonly key: string };
  /** Resolves when it ended by itself. */
  readonly ended: Promise<void>;
  /** Saves its state and ends it and all Lambdas. */
  stop(): Promise<void>;
};

/** How long it may take to listen, and to save its state at the end, in milliseconds. */
const patience = { start: 60_000, stop: 20_000 };

const assertFree = (port: number): Promise<void> => new Promise((done, fail) => {
  const server = createServer();
  server.once('error', () => fail(new SandboxError(
    `Port ${port}, where the AWS emulator listens, is taken by another program.`,
    'End that program, or choose other ports with --port.',
  )));
  server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => done()));
});

type Places = { readonly state: string; readonly objects: string; readonly temporary: string; readonly certificate: string; readonly key: string };

const placesIn = (stateDirectory: string): Places => {
  const root = resolve(stateDirectory);
  return {
    state: join(root, 'services'),
    objects: join(root, 'objects'),
    temporary: join(root, 'tmp'),
    certificate: join(root, 'tls', 'certificate.pem'),
    key: join(root, 'tls', 'key.pem'),
  };
};

/** From nothing, so that what a person has in the environment changes nothing. Lambdas inherit it. */
const environmentOf = ({ port, environment, enforceIam }: EmulatorOptions, places: Places): Record<string, string> => ({
  PATH: [join(projectDirectory, 'node_modules', 'node', 'bin'), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
  // CDK's own custom resources find the SDK here, as they find it in the runtime on AWS.
  NODE_PATH: join(projectDirectory, 'node_modules'),
  HOME: places.temporary,
  TMPDIR: places.temporary,
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
  // Listeners and tools that we have no use for.
  IOT_MTLS_ENABLED: '0',
  SFTP_ENABLED: '0',
  DOCKER_HOST: `unix://${join(places.temporary, 'no-docker')}`,
  PERSIST_STATE: '1',
  STATE_DIR: places.state,
  S3_PERSIST: '1',
  S3_DATA_DIR: places.objects,
  CLOUDTRAIL_RECORDING: '1',
  MINISTACK_SSL_CERT: places.certificate,
  MINISTACK_SSL_KEY: places.key,
  NODE_EXTRA_CA_CERTS: places.certificate,
  ...(enforceIam ? { AUTH: 'true', USE_SSL: '1', AWS_CA_BUNDLE: places.certificate } : {}),
  ...environment,
});

const isReady = (endpoint: string): Promise<boolean> => new Promise((answer) => {
  const request = endpoint.startsWith('https') ? requestHttps : requestHttp;
  const asked = request(`${endpoint}/_ministack/ready`, { rejectUnauthorized: false, timeout: 2000 }, (response) => {
    response.resume();
    answer(response.statusCode === 200);
  });
  asked.on('timeout', () => asked.destroy());
  asked.on('error', () => answer(false));
  asked.end();
});

const waitUntilReady = async (endpoint: string, child: ChildProcess, lastLines: readonly string[]): Promise<void> => {
  const deadline = Date.now() + patience.start;
  while (!await isReady(endpoint)) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new SandboxError(`The AWS emulator ended while it started:\n${lastLines.join('\n')}`);
    }
    if (Date.now() > deadline) throw new SandboxError(`The AWS emulator does not answer at ${endpoint}:\n${lastLines.join('\n')}`);
    await delay(30);
  }
};

/** This process trusts the emulator's certificate from now on, besides those that it trusted. */
const trust = async (certificate: string): Promise<void> => {
  setDefaultCACertificates([...getCACertificates('default'), await readFile(certificate, 'utf8')]);
};

/**
 * Makes the places it stores in. It writes objects at once and all else when it ends; one that was killed in its first life left objects
 * of buckets that no stack has, in whose way the next deploy would find them.
 */
const makePlaces = async (places: Places): Promise<void> => {
  const saved = await readdir(places.state).catch(() => []);
  const outdated = saved.some((name) => name.endsWith('.json')) ? [places.temporary] : [places.temporary, places.objects];
  for (const place of outdated) await rm(place, { recursive: true, force: true, maxRetries: 3 });
  for (const place of [places.state, places.objects, places.temporary]) await mkdir(place, { recursive: true });
  // Lambdas run from here as CommonJS, whatever the project around it says that its modules are.
  await writeFile(join(places.temporary, 'package.json'), '{}');
};

/** The child does not keep this process alive: when nothing else does, both end. */
const letGo = (child: ChildProcess): void => {
  child.unref();
  for (const stream of child.stdio) (stream as Socket | null)?.unref();
};

/** The last lines that a process wrote, kept while they may be needed for an explanation. */
const follow = (child: ChildProcess, onLine?: (line: string) => void): readonly string[] => {
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
 * Starts the AWS emulator with its gaps closed and resolves when it answers. It ends with this process, however that ends.
 * @throws SandboxError in words when the port is taken, the Python environment is missing or the emulator does not start.
 */
export const startEmulator = async (options: EmulatorOptions): Promise<Emulator> => {
  await assertPrepared(options.venvDirectory);
  await assertFree(options.port);
  const places = placesIn(options.stateDirectory);
  await makePlaces(places);
  const child = startProcess(pythonOf(options.venvDirectory), [join(here, 'launcher.py')], {
    cwd: resolve(options.stateDirectory),
    env: environmentOf(options, places),
    // Its standard input is ours to hold: it ends when we do.
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  const lastLines = follow(child, options.onLine);
  letGo(child);
  const endpoint = `${options.enforceIam ? 'https' : 'http'}://127.0.0.1:${options.port}`;
  const stop = async (): Promise<void> => {
    child.ref();
    await endProcess(child, patience.stop);
    await rm(places.temporary, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    await waitUntilReady(endpoint, child, lastLines);
    if (options.enforceIam) await trust(places.certificate);
  } catch (error) {
    await stop();
    throw error;
  }
  const { certificate, key } = places;
  return { endpoint, pid: child.pid!, caCertificate: options.enforceIam ? certificate : undefined, trusted: { certificate, key }, ended, stop };
};

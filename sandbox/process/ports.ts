import { createServer } from 'node:net';
import { keysOf, recordOf } from '../../contract/values/typed-entries.ts';
import { SandboxError } from './sandbox-error.ts';

/** The first port of a sandbox. A sandbox listens on 127.0.0.1, on the base port and the ports after it. */
export const defaultBasePort = 4800;

const offsets = {
  frontPage: 0,
  adminApi: 1,
  jmap: 2,
  webSocket: 3,
  auth: 4,
  identityProvider: 5,
  outbox: 6,
  smtp: 7,
  emulator: 8,
  sesApi: 9,
  resolver: 10,
  mailRelay: 11,
  serviceQuotas: 12,
  console: 13,
  webmail: 14,
} as const;

/** The highest port of a sandbox, counted from its base port. */
export const lastOffset = Math.max(...Object.values(offsets));

export type Ports = { readonly [name in keyof typeof offsets]: number };

/** The title of the server at each port, for messages. */
const portTitles: { readonly [name in keyof Ports]: string } = {
  frontPage: 'front page',
  adminApi: 'admin API',
  jmap: 'JMAP API',
  webSocket: 'WebSocket API',
  auth: 'hosted sign-in',
  identityProvider: 'identity provider',
  outbox: 'outbox',
  smtp: 'SMTP server',
  emulator: 'AWS emulator',
  sesApi: 'SES API',
  resolver: 'DNS resolver',
  mailRelay: 'relay for mail that AWS sends',
  serviceQuotas: 'Service Quotas API',
  console: 'admin console',
  webmail: 'web mail',
};

const names = keysOf(offsets);

/** The ports of a sandbox. @throws SandboxError unless all of them are between 1024 and 65535. */
export const portsFrom = (base: number): Ports => {
  const last = base + lastOffset;
  if (!Number.isInteger(base) || base < 1024 || last > 65_535) {
    throw new SandboxError(`A sandbox cannot use the ports ${base} to ${last}.`, `Choose a base port between 1024 and ${65_535 - lastOffset}: --port 5800`);
  }
  return recordOf(names, (name) => base + offsets[name]);
};

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });

/** @throws SandboxError that names the ports on which another program listens. */
export const assertPortsFree = async (ports: Ports): Promise<void> => {
  const taken: (keyof Ports)[] = [];
  for (const name of names) if (!(await isFree(ports[name]))) taken.push(name);
  if (taken.length === 0) return;
  const list = taken.map((name) => `${ports[name]} (${portTitles[name]})`).join(', ');
  throw new SandboxError(
    `${taken.length === 1 ? 'A port is' : 'Some ports are'} taken by another program: ${list}.`,
    `End that program, or choose other ports: npm start -- --port ${ports.frontPage + 100}`,
  );
};

/** The first base port from `from` upwards whose ports are all currently free. */
export const freeBasePort = async (from: number): Promise<number> => {
  for (let base = from; base < 65_000; base += 20) {
    const free = await Promise.all(Object.values(portsFrom(base)).map(isFree));
    if (free.every(Boolean)) return base;
  }
  throw new SandboxError(`No free ports were found above ${from}.`);
};

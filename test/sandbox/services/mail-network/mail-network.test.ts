import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMailNetwork, type MailNetworkOptions } from '../../../../sandbox/services/mail-network/mail-network.ts';
import { SandboxError } from '../../../../sandbox/process/sandbox-error.ts';
import { freePort } from '../../../support/test-emulator.ts';

let stateDirectory: string;
beforeAll(async () => { stateDirectory = await mkdtemp(join(tmpdir(), 'postrider-mail-')); });
afterAll(() => rm(stateDirectory, { recursive: true, force: true }));

const options = async (): Promise<MailNetworkOptions> => ({
  ports: { smtp: await freePort(), sesApi: await freePort(), outbox: await freePort() },
  emulator: 'http://127.0.0.1:1', region: 'us-east-1', stateDirectory,
});

const occupy = (port: number): Promise<Server> => new Promise((resolve) => {
  const server = createServer();
  server.listen(port, '127.0.0.1', () => resolve(server));
});

const release = (server: Server): Promise<unknown> => new Promise((resolve) => { server.close(resolve); });

test.each(['smtp', 'sesApi', 'outbox'] as const)('a taken %s port is named in the error, and the other ports are released', async (name) => {
  const { ports, ...more } = await options();
  const other = await occupy(ports[name]);
  await expect(startMailNetwork({ ports, ...more })).rejects.toThrow(new SandboxError(`Port ${ports[name]} is taken by another program.`));
  await release(other);
  const network = await startMailNetwork({ ports, ...more });
  await network.stop();
  for (const port of Object.values(ports)) await release(await occupy(port));
});

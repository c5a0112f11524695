import { createServer, type Server } from 'node:net';
import { SandboxError } from '../../../../sandbox/process/sandbox-error.ts';
import { startMailNetwork, type MailNetworkOptions } from '../../../../sandbox/services/ses/mail-network.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { freePorts } from '../../../support/test-emulator.ts';

const stateDirectory = temporaryDirectory('file');

const options = async (): Promise<MailNetworkOptions> => ({
  ports: await freePorts('smtp', 'sesApi', 'outbox'),
  emulator: 'http://127.0.0.1:1',
  region: 'us-east-1',
  stateDirectory: stateDirectory(),
});

const occupy = (port: number): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(port, '127.0.0.1', () => resolve(server));
  });

const release = (server: Server): Promise<unknown> =>
  new Promise((resolve) => {
    server.close(resolve);
  });

test.each(['smtp', 'sesApi', 'outbox'] as const)('a taken %s port is named in the error, and the other ports are released', async (name) => {
  const { ports, ...more } = await options();
  const other = await occupy(ports[name]);
  await expect(startMailNetwork({ ports, ...more })).rejects.toThrow(new SandboxError(`Port ${ports[name]} is taken by another program.`));
  await release(other);
  const network = await startMailNetwork({ ports, ...more });
  await network.stop();
  for (const port of Object.values(ports)) await release(await occupy(port));
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMailNetwork } from '../../sandbox/services/ses/mail-network.ts';
import { freePorts, startTestEmulator } from './test-emulator.ts';

type Running = { stop(): Promise<void> };

/**
 * Starts an emulator with the sandbox's mail network before the tests of a file, and stops them after the tests. The
 * returned addresses can be read from the caller's first `beforeAll` or test.
 * @param startMore starts further servers, which are stopped first.
 */
export const withMailNetwork = (startMore: (emulator: string) => Promise<Running[]> = async () => []): { readonly sesApi: string; readonly outbox: string } => {
  const running: Running[] = [];
  const addresses = { sesApi: '', outbox: '' };
  let stateDirectory: string | undefined;

  beforeAll(async () => {
    const emulator = await startTestEmulator();
    running.push(emulator);
    stateDirectory = await mkdtemp(join(tmpdir(), 'postrider-ses-'));
    const ports = await freePorts('smtp', 'sesApi', 'outbox');
    running.push(await startMailNetwork({ ports, emulator: emulator.endpoint, region: 'us-east-1', stateDirectory }));
    Object.assign(addresses, { sesApi: `http://127.0.0.1:${ports.sesApi}`, outbox: `http://127.0.0.1:${ports.outbox}` });
    running.push(...(await startMore(emulator.endpoint)));
  });
  afterAll(async () => {
    for (const each of running.toReversed()) await each.stop();
    if (stateDirectory) await rm(stateDirectory, { recursive: true, force: true });
  });
  return addresses;
};

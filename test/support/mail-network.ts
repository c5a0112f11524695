import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMailNetwork } from '../../sandbox/mail-network/mail-network.ts';
import { freePort } from './test-emulator.ts';
import { startTestEmulator } from './test-emulator.ts';

type Running = { stop(): Promise<void> };

/**
 * An emulator with the mail network around it, for the tests of one file: started before them, and nothing is left
 * after them. The addresses are there from the first `beforeAll` or test of the caller's on.
 * @param startMore what else is to run until the tests are over, started last and stopped first.
 */
export const withMailNetwork = (startMore: (emulator: string) => Promise<Running[]> = async () => []): { readonly sesApi: string; readonly outbox: string } => {
  const running: Running[] = [];
  const addresses = { sesApi: '', outbox: '' };
  let stateDirectory: string;

  beforeAll(async () => {
    const emulator = await startTestEmulator();
    running.push(emulator);
    stateDirectory = await mkdtemp(join(tmpdir(), 'postrider-ses-'));
    const ports = { smtp: await freePort(), sesApi: await freePort(), outbox: await freePort() };
    running.push(await startMailNetwork({ ports, emulator: emulator.endpoint, region: 'us-east-1', stateDirectory }));
    Object.assign(addresses, { sesApi: `http://127.0.0.1:${ports.sesApi}`, outbox: `http://127.0.0.1:${ports.outbox}` });
    running.push(...await startMore(emulator.endpoint));
  }, 60_000);
  afterAll(async () => {
    for (const each of running.toReversed()) await each.stop();
    await rm(stateDirectory, { recursive: true, force: true });
  });
  return addresses;
};

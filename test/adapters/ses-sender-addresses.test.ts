import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { sesEmailProvider } from '../../lambdas/providers/ses.ts';
import { sesSenderAddresses } from '../../lambdas/providers/ses-sender-addresses.ts';
import { startMailNetwork } from '../../sandbox/mail-network/index.ts';
import { senderAddressesContract } from '../contracts/sender-addresses-contract.ts';
import { freePort } from '../sandbox/emulator/trial.ts';
import { startTestEmulator } from '../support/emulator.ts';
import { followLink } from '../support/verification-link.ts';

const running: { stop(): Promise<void> }[] = [];
let stateDirectory: string;
let sesApi: string;
let outbox: string;

beforeAll(async () => {
  const emulator = await startTestEmulator();
  running.push(emulator);
  stateDirectory = await mkdtemp(join(tmpdir(), 'postrider-ses-'));
  const ports = { smtp: await freePort(), sesApi: await freePort(), outbox: await freePort() };
  running.push(await startMailNetwork({ ports, emulator: emulator.endpoint, region: 'us-east-1', stateDirectory }));
  sesApi = `http://127.0.0.1:${ports.sesApi}`;
  outbox = `http://127.0.0.1:${ports.outbox}`;
}, 60_000);
afterAll(async () => {
  for (const each of running.toReversed()) await each.stop();
  await rm(stateDirectory, { recursive: true, force: true });
});

describe('single sender addresses in SES', () => {
  senderAddressesContract(async () => {
    const client = new SESv2Client({ endpoint: sesApi });
    await sesEmailProvider(client).createDomain('list.test');
    return { addresses: sesSenderAddresses(client), verify: (email) => followLink(outbox, email) };
  });

  test('what is no address is invalid_argument', async () => {
    await expect(sesSenderAddresses(new SESv2Client({ endpoint: sesApi })).register('no address')).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

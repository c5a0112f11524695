import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { SESv2Client, PutAccountDetailsCommand } from '@aws-sdk/client-sesv2';
import { quotas } from '../../../contract/admin/change-requests.ts';
import { serviceQuotasProvider } from '../../../core/aws/service-quotas-provider.ts';
import { sesSendingAccount } from '../../../core/aws/ses/ses-sending-account.ts';
import { startServiceQuotas } from '../../../sandbox/services/service-quotas/service-quotas.ts';
import { startMailNetwork } from '../../../sandbox/services/ses/mail-network.ts';
import { quotaProviderSuite } from '../../port-suites/quota-provider-suite.ts';
import { sendingAccountSuite } from '../../port-suites/sending-account-suite.ts';
import { freePort, withEmulator } from '../../support/test-emulator.ts';

const fixture = withEmulator();
const running: { stop(): Promise<void> }[] = [];
const directories: string[] = [];
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

const newDirectory = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'postrider-quotas-'));
  directories.push(directory);
  return directory;
};
const start = async (stateDirectory: string) => {
  const port = await freePort();
  const standIn = await startServiceQuotas({ port, emulator: fixture.emulator.endpoint, region: 'us-east-1', stateDirectory });
  running.push(standIn);
  return {
    ...standIn,
    provider: serviceQuotasProvider(new ServiceQuotasClient({ endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', credentials, maxAttempts: 1 })),
  };
};

afterAll(async () => {
  for (const each of running) await each.stop();
  for (const directory of directories) await rm(directory, { recursive: true, force: true });
});

describe('the quota provider over Service Quotas', () => {
  quotaProviderSuite(async () => {
    const { provider, requests } = await start(await newDirectory());
    return { provider, decide: async (id, status) => void (await requests.decide(id, status)) };
  });

  test('the sandbox approves a small request, opens a case for a large one and denies a very large one, also after a restart', async () => {
    const directory = await newDirectory();
    const first = await start(directory);
    const modest = (await first.provider.requestIncrease(quotas.LAMBDA_CONCURRENCY_INCREASE, 100))!;
    const bold = (await first.provider.requestIncrease(quotas.SES_MAX_24H_SEND_INCREASE, 10_000_000))!;
    const wild = (await first.provider.requestIncrease(quotas.SES_MAX_SEND_RATE_INCREASE, 14_001))!;
    for (const { id } of [modest, bold, wild]) expect(await first.provider.findRequest(id)).toMatchObject({ status: 'PENDING' });
    const second = await start(directory);
    expect(await second.provider.findRequest(modest.id)).toMatchObject({ status: 'APPROVED' });
    expect(await second.provider.findRequest(bold.id)).toMatchObject({ status: 'CASE_OPENED', caseId: expect.any(String) });
    expect(await second.provider.findRequest(wild.id)).toMatchObject({ status: 'DENIED' });
  });
});

describe('the sending account over SES', () => {
  sendingAccountSuite(async () => {
    const ports = { smtp: await freePort(), sesApi: await freePort(), outbox: await freePort() };
    running.push(await startMailNetwork({ ports, emulator: fixture.emulator.endpoint, region: 'us-east-1', stateDirectory: await newDirectory() }));
    const client = new SESv2Client({ endpoint: `http://127.0.0.1:${ports.sesApi}`, region: 'us-east-1', credentials, maxAttempts: 1 });
    await client.send(new PutAccountDetailsCommand({ MailType: 'TRANSACTIONAL', WebsiteURL: 'https://example.test', ProductionAccessEnabled: false }));
    const decide = async (status: string) => void (await fetch(`http://127.0.0.1:${ports.sesApi}/v2/email/account/review/${status}`, { method: 'POST' }));
    return { account: sesSendingAccount(client), decide };
  });
});

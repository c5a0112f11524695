import type { ReviewStatus } from '../../../core/aws/ses/ses-sending-account.ts';
import { memoryClientRegistrar } from '../../fakes/memory-client-registrar.ts';
import { memoryDeadLetters } from '../../fakes/memory-dead-letters.ts';
import { memoryDnsProvider } from '../../fakes/memory-dns-provider.ts';
import { memoryEmailProvider } from '../../fakes/memory-email-provider.ts';
import { memoryIdentityProvider } from '../../fakes/memory-identity-provider.ts';
import { memoryLogs } from '../../fakes/memory-logs.ts';
import { memoryMetrics } from '../../fakes/memory-metrics.ts';
import { memoryQueueDepths } from '../../fakes/memory-queue-depths.ts';
import { memoryQuotaProvider } from '../../fakes/memory-quota-provider.ts';
import { memorySenderAddresses } from '../../fakes/memory-sender-addresses.ts';
import { memorySendingAccount } from '../../fakes/memory-sending-account.ts';
import { memorySupportRoles } from '../../fakes/memory-support-roles.ts';
import { memorySystemMail } from '../../fakes/memory-system-mail.ts';
import { clientRegistrarSuite } from '../../port-suites/client-registrar-suite.ts';
import { deadLettersSuite } from '../../port-suites/dead-letters-suite.ts';
import { dnsProviderSuite } from '../../port-suites/dns-provider-suite.ts';
import { emailProviderSuite } from '../../port-suites/email-provider-suite.ts';
import { identityProviderSuite } from '../../port-suites/identity-provider-suite.ts';
import { logsSuite } from '../../port-suites/logs-suite.ts';
import { metricsSuite } from '../../port-suites/metrics-suite.ts';
import { queueDepthsSuite } from '../../port-suites/queue-depths-suite.ts';
import { quotaProviderSuite } from '../../port-suites/quota-provider-suite.ts';
import { senderAddressesSuite } from '../../port-suites/sender-addresses-suite.ts';
import { sendingAccountSuite } from '../../port-suites/sending-account-suite.ts';
import { supportRolesSuite } from '../../port-suites/support-roles-suite.ts';
import { systemMailSuite } from '../../port-suites/system-mail-suite.ts';

describe('memoryClientRegistrar', () => clientRegistrarSuite(async () => ({ registrar: memoryClientRegistrar() })));

describe('memoryDeadLetters', () => deadLettersSuite(async () => ({ deadLetters: memoryDeadLetters(), queueName: 'dead-letters' })));

describe('memoryDnsProvider', () =>
  dnsProviderSuite(async () => {
    const provider = memoryDnsProvider();
    for (const zone of ['zones.test', 'deep.zones.test']) provider.addZone(zone);
    return provider;
  }));

describe('memoryEmailProvider', () => {
  const provider = memoryEmailProvider();
  emailProviderSuite(
    async () => provider,
    async (domain) => provider.registerForeign(domain),
  );
});

describe('memoryIdentityProvider', () =>
  identityProviderSuite(async () => {
    const provider = memoryIdentityProvider();
    return {
      provider,
      invitations: () => provider.invitations,
      choosePassword: async (email) => provider.choosePassword(email),
      setUpSecondFactor: async (username) => {
        provider.authenticators.add(username);
      },
      hasSecondFactor: async (username) => provider.authenticators.has(username),
      withoutMfa: async () => {
        const without = memoryIdentityProvider('off');
        return { provider: without, username: (await without.invite('ada@example.test', undefined)).username };
      },
    };
  }));

describe('memorySystemMail', () => systemMailSuite(async () => ({ sender: memorySystemMail(), from: 'no-reply@example.test' })));

describe('memoryLogs', () => logsSuite(async () => memoryLogs()));

describe('memoryMetrics', () => metricsSuite(async () => memoryMetrics()));

describe('memoryQuotaProvider', () =>
  quotaProviderSuite(async () => {
    const provider = memoryQuotaProvider();
    return { provider, decide: (id, status) => provider.decide(id, status) };
  }));

describe('memorySenderAddresses', () => {
  const addresses = memorySenderAddresses();
  senderAddressesSuite(
    async () => ({ addresses, verify: async (email) => addresses.setStatus(email) }),
    async (email) => addresses.registerForeign(email),
  );
});

describe('memorySendingAccount', () =>
  sendingAccountSuite(async () => {
    const account = memorySendingAccount();
    account.setStatus({ hasProductionAccess: false, max24hSend: 200, maxSendRate: 1 });
    const decide = (status: ReviewStatus) =>
      account.setStatus({
        review: { status, caseId: 'case-1' },
        ...(status === 'GRANTED' && { hasProductionAccess: true, max24hSend: 50_000, maxSendRate: 14 }),
      });
    return { account, decide };
  }));

describe('memorySupportRoles', () => supportRolesSuite(async () => ({ roles: memorySupportRoles(), principal: 'arn:aws:iam::111122223333:root' })));

describe('memoryQueueDepths', () =>
  queueDepthsSuite(async (depth) => {
    const depths = memoryQueueDepths();
    depths.set('queue', depth);
    return { depths, queueName: 'queue' };
  }));

import { Route53Client } from '@aws-sdk/client-route-53';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { sesEmailProvider } from '../../../../core/aws/ses/ses-email-provider.ts';
import { InvalidInput } from '../../../../core/runtime/domain-errors.ts';
import { nodePublicDns, type PublicDns } from '../../../../core/runtime/public-dns.ts';
import { startResolver } from '../../../../sandbox/services/resolver/resolver.ts';
import { emailProviderSuite } from '../../../port-suites/email-provider-suite.ts';
import { withMailNetwork } from '../../../support/mail-network.ts';
import { dkimRecords, publishedRecords } from '../../../support/published-records.ts';
import { freePort } from '../../../support/test-emulator.ts';

let dns: PublicDns;
const network = withMailNetwork(async (emulator) => {
  const port = await freePort();
  dns = nodePublicDns([`127.0.0.1:${port}`]);
  return [await startResolver({ port, emulator })];
});

const provider = (deployment = 'Postrider') => sesEmailProvider(deployment, new SESv2Client({ endpoint: network.sesApi }));

describe('the email provider over SES', () => {
  emailProviderSuite(
    async () => provider(),
    async (domain) => void (await provider('Other').createDomain(domain)),
  );

  test('refuses a name that SES refuses, with InvalidInput', async () => {
    await expect(provider().createDomain('not a domain')).rejects.toThrow(InvalidInput);
  });
});

describe('public DNS with SES verification', () => {
  beforeAll(async () => {
    const { dkimTokens } = await provider().createDomain('dns.test');
    await publishedRecords(new Route53Client())('dns.test', [
      ['dns.test', 'MX', '10 Inbound-SMTP.us-east-1.amazonaws.com.', '20 other.test.'],
      ['dns.test', 'TXT', '"v=spf1 include:amazonses.com ~all"', '"one " "text"'],
      ...dkimRecords('dns.test', dkimTokens),
      ['alias.dns.test', 'CNAME', 'Target.DNS.test.'],
      ['_jmap._tcp.dns.test', 'SRV', '0 0 443 JMAP.dns.test.', '10 5 8443 other.test.'],
    ]);
  });

  test('returns the values of each record type in a normal form', async () => {
    expect(await dns.lookup('alias.dns.test', 'CNAME')).toEqual(['target.dns.test']);
    expect((await dns.lookup('dns.test', 'MX'))?.toSorted()).toEqual(['10 inbound-smtp.us-east-1.amazonaws.com', '20 other.test']);
    expect((await dns.lookup('_jmap._tcp.dns.test', 'SRV'))?.toSorted()).toEqual(['0 0 443 jmap.dns.test', '10 5 8443 other.test']);
    expect((await dns.lookup('dns.test', 'TXT'))?.toSorted()).toEqual(['one text', 'v=spf1 include:amazonses.com ~all']);
  });

  test('distinguishes a name without records from a lookup that failed', async () => {
    expect(await dns.lookup('none.dns.test', 'TXT')).toEqual([]);
    expect(await dns.lookup('alias.dns.test', 'MX')).toEqual([]);
    expect(await nodePublicDns([`127.0.0.1:${await freePort()}`]).lookup('dns.test', 'TXT')).toBeUndefined();
  });

  test('SES verifies a domain that has its DKIM records', async () => {
    expect(await provider().findDomain('dns.test')).toMatchObject({ verification_status: 'SUCCESS', dkim_status: 'SUCCESS' });
  });
});

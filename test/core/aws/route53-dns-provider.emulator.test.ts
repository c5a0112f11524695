import { ChangeResourceRecordSetsCommand, CreateHostedZoneCommand, Route53Client } from '@aws-sdk/client-route-53';
import { route53DnsProvider } from '../../../core/aws/route53-dns-provider.ts';
import { dnsProviderSuite } from '../../port-suites/dns-provider-suite.ts';
import { withTestEmulator } from '../../support/test-emulator.ts';

withTestEmulator();
let client: Route53Client;

const addZone = async (name: string, isPrivate = false): Promise<string> => {
  const { HostedZone: zone } = await client.send(
    new CreateHostedZoneCommand({
      Name: name,
      CallerReference: `${name} ${isPrivate}`,
      ...(isPrivate && { VPC: { VPCId: 'vpc-1', VPCRegion: 'us-east-1' }, HostedZoneConfig: { PrivateZone: true } }),
    }),
  );
  return zone?.Id ?? '';
};

beforeAll(() => {
  client = new Route53Client();
});

describe('the DNS provider over Route 53', () => {
  dnsProviderSuite(async () => {
    for (const name of ['zones.test', 'deep.zones.test']) await addZone(name);
    await addZone('private.zones.test', true);
    return route53DnsProvider(client);
  });

  test('does not find a private zone', async () => {
    expect(await route53DnsProvider(client).findZone('a.private.zones.test')).toMatchObject({ name: 'zones.test' });
  });

  test('finds the zone of a domain among many', async () => {
    for (let number = 0; number < 120; number++) await addZone(`many-${number}.test`);
    expect(await route53DnsProvider(client).findZone('www.many-119.test')).toMatchObject({ name: 'many-119.test', record_count: 2 });
  });

  test('reads all records of a zone with many', async () => {
    const Id = await addZone('large.test');
    for (let batch = 0; batch < 4; batch++) {
      const Changes = Array.from({ length: 100 }, (_, index) => ({
        Action: 'CREATE' as const,
        ResourceRecordSet: { Name: `r${batch * 100 + index}.large.test`, Type: 'TXT' as const, TTL: 60, ResourceRecords: [{ Value: '"x"' }] },
      }));
      await client.send(new ChangeResourceRecordSetsCommand({ HostedZoneId: Id, ChangeBatch: { Changes } }));
    }
    const zone = (await route53DnsProvider(client).findZone('large.test'))!;
    expect((await route53DnsProvider(client).listRecordSets(zone, 'large.test')).filter(({ type }) => type === 'TXT')).toHaveLength(400);
  });

  test('marks alias records', async () => {
    const Id = await addZone('alias.test');
    await client.send(
      new ChangeResourceRecordSetsCommand({
        HostedZoneId: Id,
        ChangeBatch: {
          Changes: [
            {
              Action: 'CREATE',
              ResourceRecordSet: {
                Name: 'alias.test',
                Type: 'A',
                AliasTarget: { HostedZoneId: 'Z2FDTNDATAQYW2', DNSName: 'd.cloudfront.net', EvaluateTargetHealth: false },
              },
            },
          ],
        },
      }),
    );
    const zone = (await route53DnsProvider(client).findZone('alias.test'))!;
    expect((await route53DnsProvider(client).listRecordSets(zone, 'alias.test')).filter(({ isAliasOrRouted }) => isAliasOrRouted)).toMatchObject([
      { type: 'A', values: [] },
    ]);
  });
});

import type { DnsProvider, DnsZone, RecordChange } from '../../core/aws/route53/dns-provider.ts';

const create = (name: string, type: string, ...values: string[]): RecordChange => ({ action: 'CREATE', name, type, ttl: 300, values });
const remove = (name: string, type: string, ...values: string[]): RecordChange => ({ action: 'DELETE', name, type, ttl: 300, values });

/**
 * The specification of the port to the keeper of our DNS: every adapter passes it.
 * @param start makes the public zones `zones.test` and `deep.zones.test`.
 */
export const dnsProviderSuite = (start: () => Promise<DnsProvider>): void => {
  let provider: DnsProvider;
  let zone: DnsZone;
  beforeAll(async () => {
    provider = await start();
    zone = (await provider.findZone('zones.test'))!;
  });
  const setsUnder = async (domain: string) =>
    (await provider.listRecordSets(zone, domain)).filter(({ type }) => type !== 'NS' && type !== 'SOA').map(({ name, type, ttl, values }) => ({ name, type, ttl, values: values.toSorted() }));

  test('the zone of a domain is the one with the longest name that holds it', async () => {
    expect(zone).toMatchObject({ name: 'zones.test', id: expect.any(String) });
    expect(await provider.findZone('a.b.zones.test')).toMatchObject({ id: zone.id });
    expect(await provider.findZone('a.deep.zones.test')).toMatchObject({ name: 'deep.zones.test' });
    expect(await provider.findZone('deep.zones.test')).toMatchObject({ name: 'deep.zones.test' });
  });

  test.each(['elsewhere.test', 'otherzones.test', 'test'])('%s has none', async (domain) => {
    expect(await provider.findZone(domain)).toBeUndefined();
  });

  test('what was created is found at and below the domain, and nothing beside it', async () => {
    await provider.changeRecordSets(zone, [
      create('found.zones.test', 'TXT', '"v=spf1 -all"', '"one " "two"'), create('x._domainkey.found.zones.test', 'CNAME', 'target.test.'),
      create('found.zones.test', 'MX', '10 mx.test.'), create('_jmap._tcp.found.zones.test', 'SRV', '0 0 443 jmap.test.'), create('notfound.zones.test', 'TXT', '"no"'), create('found-not.zones.test', 'TXT', '"no"'),
    ]);
    expect((await setsUnder('found.zones.test')).toSorted((a, b) => `${a.name} ${a.type}`.localeCompare(`${b.name} ${b.type}`))).toEqual([
      { name: '_jmap._tcp.found.zones.test', type: 'SRV', ttl: 300, values: ['0 0 443 jmap.test.'] },
      { name: 'found.zones.test', type: 'MX', ttl: 300, values: ['10 mx.test.'] },
      { name: 'found.zones.test', type: 'TXT', ttl: 300, values: ['"one " "two"', '"v=spf1 -all"'] },
      { name: 'x._domainkey.found.zones.test', type: 'CNAME', ttl: 300, values: ['target.test.'] },
    ]);
  });

  test('a set is changed by taking it away as it is and creating it anew, in one batch', async () => {
    await provider.changeRecordSets(zone, [create('moved.zones.test', 'TXT', '"a"')]);
    await provider.changeRecordSets(zone, [remove('moved.zones.test', 'TXT', '"a"'), create('moved.zones.test', 'TXT', '"a"', '"b"')]);
    expect(await setsUnder('moved.zones.test')).toMatchObject([{ values: ['"a"', '"b"'] }]);
  });

  test.each<[string, RecordChange]>([
    ['a set that is there already', create('whole.zones.test', 'TXT', '"other"')],
    ['taking away what is not there', remove('none.zones.test', 'TXT', '"a"')],
    ['taking away other values than are there', remove('whole.zones.test', 'TXT', '"other"')],
  ])('%s refuses the whole batch', async (_, change) => {
    await provider.changeRecordSets(zone, [create('whole.zones.test', 'TXT', '"a"')]).catch(() => undefined);
    await expect(provider.changeRecordSets(zone, [create('other.whole.zones.test', 'TXT', '"a"'), change])).rejects.toMatchObject({ name: 'RecordChangeRefused', reasons: [expect.any(String)] });
    expect(await setsUnder('whole.zones.test')).toEqual([{ name: 'whole.zones.test', type: 'TXT', ttl: 300, values: ['"a"'] }]);
  });
};

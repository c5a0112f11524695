import type { DnsProvider, DnsZone, RecordChange } from '../../core/aws/route53-dns-provider.ts';

const create = (name: string, type: string, ...values: string[]): RecordChange => ({ action: 'CREATE', name, type, ttl: 300, values });
const remove = (name: string, type: string, ...values: string[]): RecordChange => ({ action: 'DELETE', name, type, ttl: 300, values });

/**
 * The specification of {@link DnsProvider}, which every adapter passes.
 * @param start creates the public zones `zones.test` and `deep.zones.test`.
 */
export const dnsProviderSuite = (start: () => Promise<DnsProvider>): void => {
  let provider: DnsProvider;
  let zone: DnsZone;
  beforeAll(async () => {
    provider = await start();
    zone = (await provider.findZone('zones.test'))!;
  });
  const setsUnder = async (domain: string) =>
    (await provider.listRecordSets(zone, domain))
      .filter(({ type }) => type !== 'NS' && type !== 'SOA')
      .map(({ name, type, ttl, values }) => ({ name, type, ttl, values: values.toSorted() }));

  test('findZone returns the zone with the longest name that holds the domain', async () => {
    expect(zone).toMatchObject({ name: 'zones.test', id: expect.any(String) });
    expect(await provider.findZone('a.b.zones.test')).toMatchObject({ id: zone.id });
    expect(await provider.findZone('a.deep.zones.test')).toMatchObject({ name: 'deep.zones.test' });
    expect(await provider.findZone('deep.zones.test')).toMatchObject({ name: 'deep.zones.test' });
  });

  test.each(['elsewhere.test', 'otherzones.test', 'test'])('findZone returns undefined for %s', async (domain) => {
    expect(await provider.findZone(domain)).toBeUndefined();
  });

  test('listRecordSets returns the record sets at and below the domain only', async () => {
    await provider.changeRecordSets(zone, [
      create('found.zones.test', 'TXT', '"v=spf1 -all"', '"one " "two"'),
      create('x._domainkey.found.zones.test', 'CNAME', 'target.test.'),
      create('found.zones.test', 'MX', '10 mx.test.'),
      create('_jmap._tcp.found.zones.test', 'SRV', '0 0 443 jmap.test.'),
      create('notfound.zones.test', 'TXT', '"no"'),
      create('found-not.zones.test', 'TXT', '"no"'),
    ]);
    expect((await setsUnder('found.zones.test')).toSorted((a, b) => `${a.name} ${a.type}`.localeCompare(`${b.name} ${b.type}`))).toEqual([
      { name: '_jmap._tcp.found.zones.test', type: 'SRV', ttl: 300, values: ['0 0 443 jmap.test.'] },
      { name: 'found.zones.test', type: 'MX', ttl: 300, values: ['10 mx.test.'] },
      { name: 'found.zones.test', type: 'TXT', ttl: 300, values: ['"one " "two"', '"v=spf1 -all"'] },
      { name: 'x._domainkey.found.zones.test', type: 'CNAME', ttl: 300, values: ['target.test.'] },
    ]);
  });

  test('changeRecordSets replaces a set by a DELETE and a CREATE in one batch', async () => {
    await provider.changeRecordSets(zone, [create('moved.zones.test', 'TXT', '"a"')]);
    await provider.changeRecordSets(zone, [remove('moved.zones.test', 'TXT', '"a"'), create('moved.zones.test', 'TXT', '"a"', '"b"')]);
    expect(await setsUnder('moved.zones.test')).toMatchObject([{ values: ['"a"', '"b"'] }]);
  });

  test.each<[string, RecordChange]>([
    ['the creation of an existing set', create('whole.zones.test', 'TXT', '"other"')],
    ['the deletion of an unknown set', remove('none.zones.test', 'TXT', '"a"')],
    ['the deletion of other values than the set has', remove('whole.zones.test', 'TXT', '"other"')],
  ])('changeRecordSets refuses the whole batch for %s', async (_, change) => {
    await provider.changeRecordSets(zone, [create('whole.zones.test', 'TXT', '"a"')]).catch(() => undefined);
    await expect(provider.changeRecordSets(zone, [create('other.whole.zones.test', 'TXT', '"a"'), change])).rejects.toMatchObject({
      name: 'RecordChangeRefused',
      reasons: [expect.any(String)],
    });
    expect(await setsUnder('whole.zones.test')).toEqual([{ name: 'whole.zones.test', type: 'TXT', ttl: 300, values: ['"a"'] }]);
  });
};

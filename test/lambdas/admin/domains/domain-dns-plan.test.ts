import type { SPFMode } from '../../../../contract/admin/domains.ts';
import type { RecordSet } from '../../../../core/aws/route53-dns-provider.ts';
import type { AppliedRecord } from '../../../../core/directory/domains/domains.ts';
import { planRecords, planRemoval } from '../../../../lambdas/admin/domains/domain-dns-plan.ts';
import { expectedRecords, type DnsSettings } from '../../../../lambdas/admin/domains/domain-dns-records.ts';

const defaultSettings: DnsSettings = {
  domain: 'a.test',
  send_enabled: true,
  receive_enabled: false,
  dmarc_enabled: false,
  dmarc_policy: 'NONE',
  spf_mode: 'CREATE_IF_MISSING',
};
const dnsTargets = { region: 'eu-west-1', jmapServer: 'jmap.example.test:443' };
const set = (name: string, type: string, ...values: string[]): RecordSet => ({ name, type, ttl: 60, values, isAliasOrRouted: false });
const ourSpf = 'v=spf1 include:amazonses.com ~all';
const appliedSpf: AppliedRecord = { name: 'a.test', record_type: 'TXT', value: ourSpf };

const plan = (existing: readonly RecordSet[], settings: Partial<DnsSettings> = {}, applied: readonly AppliedRecord[] = [], dkimTokens: string[] = []) => {
  const domain = { ...defaultSettings, ...settings };
  return planRecords(expectedRecords(domain, { dkimTokens }, dnsTargets), domain.spf_mode, existing, applied);
};
const lines = ({ changes }: ReturnType<typeof plan>) =>
  changes.map(({ action, type, name, ttl, values }) => `${action} ${type} ${name} ${ttl} ${values.join(', ')}`);

test('planRecords creates missing records', () => {
  const more = { receive_enabled: true, dmarc_enabled: true, dmarc_report_email: 'dmarc@a.test' };
  const planned = plan([set('a.test', 'NS', 'ns.test.')], more, [], ['x']);
  expect(lines(planned)).toEqual([
    'CREATE CNAME x._domainkey.a.test 3600 x.dkim.amazonses.com.',
    'CREATE MX a.test 3600 10 inbound-smtp.eu-west-1.amazonaws.com.',
    'CREATE TXT _dmarc.a.test 3600 "v=DMARC1; p=none; rua=mailto:dmarc@a.test"',
    'CREATE SRV _jmap._tcp.a.test 3600 0 0 443 jmap.example.test.',
    `CREATE TXT a.test 3600 "${ourSpf}"`,
  ]);
  expect(planned.adds).toHaveLength(5);
});

test('planRecords changes nothing where a valid value exists, ours or foreign', () => {
  expect(plan([set('a.test', 'TXT', '"v=spf1 include:amazonses.com include:other.test -all"')]).changes).toEqual([]);
  expect(plan([set('x._domainkey.a.test', 'CNAME', 'X.DKIM.amazonses.com'), set('a.test', 'TXT', `"${ourSpf}"`)], {}, [], ['x']).changes).toEqual([]);
});

describe('planRecords, for the autodiscovery SRV', () => {
  const mx = set('a.test', 'MX', '10 inbound-smtp.eu-west-1.amazonaws.com.');
  const jmap = (...values: string[]) => [mx, set('_jmap._tcp.a.test', 'SRV', ...values)];
  const planned = (found: RecordSet[], ours: AppliedRecord[] = []) => plan(found, { receive_enabled: true, spf_mode: 'OFF' }, ours);
  test('accepts any priority and weight, and other servers in addition', () => {
    expect(planned(jmap('10 5 443 JMAP.example.test.'))).toMatchObject({ changes: [], conflicts: [] });
    expect(planned(jmap('0 0 443 jmap.example.test.', '20 0 443 jmap.other.test.'))).toMatchObject({ changes: [], conflicts: [] });
  });
  test('replaces a value of the deployment when the deployment’s host changes', () => {
    const old: AppliedRecord = { name: '_jmap._tcp.a.test', record_type: 'SRV', value: '0 0 443 abc.execute-api.test' };
    expect(lines(planned(jmap('0 0 443 abc.execute-api.test.'), [old]))).toEqual([
      'DELETE SRV _jmap._tcp.a.test 60 0 0 443 abc.execute-api.test.',
      'CREATE SRV _jmap._tcp.a.test 3600 0 0 443 jmap.example.test.',
    ]);
  });
  test('plans no record for a domain that does not receive', () => {
    expect(plan([], { spf_mode: 'OFF' }).changes).toEqual([]);
  });
});

describe('planRecords, for SPF beside other values of the set', () => {
  const found = [set('a.test', 'TXT', '"verification=1"', '"two " "strings"')];
  test.each<SPFMode>(['CREATE_IF_MISSING', 'FORCE_VALUE'])('adds the policy under %s and keeps the other values unchanged', (spf_mode) => {
    expect(lines(plan(found, { spf_mode, spf_value: 'v=spf1 -all' }))).toEqual([
      'DELETE TXT a.test 60 "verification=1", "two " "strings"',
      `CREATE TXT a.test 60 "verification=1", "two " "strings", "${spf_mode === 'FORCE_VALUE' ? 'v=spf1 -all' : ourSpf}"`,
    ]);
  });
  test.each<SPFMode>(['OFF', 'CHECK_ONLY'])('plans no change under %s', (spf_mode) => {
    expect(plan(found, { spf_mode })).toEqual({ changes: [], adds: [], removes: [], conflicts: [], kept: [] });
  });
});

describe('planRecords, for a foreign SPF policy', () => {
  const found = [set('a.test', 'TXT', '"v=spf1 include:other.test -all"', '"verification=1"')];
  test('keeps the policy under CREATE_IF_MISSING, without a conflict', () => {
    expect(plan(found)).toEqual({ changes: [], adds: [], removes: [], conflicts: [], kept: [{ name: 'a.test', record_type: 'TXT' }] });
  });
  test('replaces the policy under FORCE_VALUE', () => {
    expect(lines(plan(found, { spf_mode: 'FORCE_VALUE', spf_value: 'v=spf1 -all' }))[1]).toBe('CREATE TXT a.test 60 "verification=1", "v=spf1 -all"');
  });
  test('replaces the policy under FORCE_VALUE even if the expected policy exists too', () => {
    const two = [set('a.test', 'TXT', '"v=spf1 -all"', '"v=spf1 +all"')];
    expect(lines(plan(two, { spf_mode: 'FORCE_VALUE', spf_value: 'v=spf1 -all' }))[1]).toBe('CREATE TXT a.test 3600 "v=spf1 -all"');
  });
});

test('planRecords replaces a value that we wrote when the settings change', () => {
  const dmarc: AppliedRecord = { name: '_dmarc.a.test', record_type: 'TXT', value: 'v=DMARC1; p=none;' };
  const found = [set('_dmarc.a.test', 'TXT', '"v=DMARC1; p=none;"', '"note"'), set('a.test', 'TXT', `"${ourSpf}"`)];
  const planned = plan(found, { dmarc_enabled: true, dmarc_policy: 'REJECT' }, [dmarc]);
  expect(lines(planned)[1]).toBe('CREATE TXT _dmarc.a.test 60 "note", "v=DMARC1; p=reject;"');
  expect(planned.removes).toEqual([dmarc]);
});

describe('planRecords reports a conflict', () => {
  test.each<[string, RecordSet[], Partial<DnsSettings>, string[], string]>([
    [
      'another DMARC policy',
      [set('_dmarc.a.test', 'TXT', '"v=DMARC1; p=reject"')],
      { dmarc_enabled: true },
      [],
      'DNS has "v=DMARC1; p=reject", which Postrider did not write',
    ],
    [
      'another MX',
      [set('a.test', 'MX', '10 mx.other.test.'), set('_jmap._tcp.a.test', 'SRV', '0 0 443 jmap.example.test.')],
      { receive_enabled: true },
      [],
      'DNS has "10 mx.other.test", which Postrider did not write',
    ],
    ['another target of a DKIM name', [set('x._domainkey.a.test', 'CNAME', 'other.test.')], {}, ['x'], 'DNS has "other.test", which Postrider did not write'],
    ['other records at a DKIM name', [set('x._domainkey.a.test', 'TXT', '"v=DKIM1"')], {}, ['x'], 'the name has other records'],
    ['a CNAME at the name of a TXT record', [set('_dmarc.a.test', 'CNAME', 'other.test.')], { dmarc_enabled: true }, [], 'the name is a CNAME'],
    [
      'an SRV record of another JMAP server',
      [set('_jmap._tcp.a.test', 'SRV', '0 0 443 jmap.other.test.'), set('a.test', 'MX', '10 inbound-smtp.eu-west-1.amazonaws.com.')],
      { receive_enabled: true },
      [],
      'DNS has "0 0 443 jmap.other.test", which Postrider did not write',
    ],
    [
      'a record set with a routing policy',
      [{ ...set('_dmarc.a.test', 'TXT', '"x"'), isAliasOrRouted: true }],
      { dmarc_enabled: true },
      [],
      'it is an alias or has a routing policy',
    ],
  ])('for %s', (_, found, more, tokens, reason) => {
    expect(plan(found, { ...more, spf_mode: 'OFF' }, [], tokens)).toMatchObject({ changes: [], conflicts: [{ reason }] });
  });
});

test('planRecords writes long text as strings of at most 255 octets, and octets beyond ASCII in octal', () => {
  const value = `v=spf1 ${'a'.repeat(400)} "q" \\ ü`;
  const [created] = plan([], { spf_mode: 'FORCE_VALUE', spf_value: value }).changes;
  const strings = created!.values[0]!.match(/"((?:[^"\\]|\\.)*)"/g)!;
  expect(strings).toHaveLength(2);
  expect(created!.values[0]).toContain('\\"q\\" \\\\ \\303\\274');
  expect(plan([set('a.test', 'TXT', ...created!.values)], { spf_mode: 'FORCE_VALUE', spf_value: value }).changes).toEqual([]);
});

describe('planRemoval', () => {
  test('removes our value and keeps the others', () => {
    expect(planRemoval(set('a.test', 'TXT', '"x"', `"${ourSpf}"`), [appliedSpf]).map(({ action, values }) => [action, ...values])).toEqual([
      ['DELETE', '"x"', `"${ourSpf}"`],
      ['CREATE', '"x"'],
    ]);
  });
  test('deletes the set when all its values are ours', () => {
    expect(planRemoval(set('a.test', 'TXT', `"${ourSpf}"`), [appliedSpf])).toHaveLength(1);
  });
  test.each([[undefined], [set('a.test', 'TXT', '"v=spf1 -all"')], [{ ...set('a.test', 'TXT', `"${ourSpf}"`), isAliasOrRouted: true }]])(
    'plans nothing when no value is ours: %j',
    (found) => {
      expect(planRemoval(found, [appliedSpf])).toEqual([]);
    },
  );
});

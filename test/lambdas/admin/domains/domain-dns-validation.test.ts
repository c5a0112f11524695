import { expectedRecords, type DnsSettings } from '../../../../lambdas/admin/domains/domain-dns-records.ts';
import { validateDns } from '../../../../lambdas/admin/domains/domain-dns-validation.ts';
import { memoryPublicDns } from '../../../fakes/memory-public-dns.ts';

const defaultSettings: DnsSettings = {
  domain: 'a.test',
  send_enabled: true,
  receive_enabled: true,
  dmarc_enabled: true,
  dmarc_policy: 'QUARANTINE',
  spf_mode: 'CREATE_IF_MISSING',
};
const dnsTargets = { region: 'eu-west-1', jmapServer: 'jmap.example.test:443' };
const provider = { dkimTokens: ['x', 'y', 'z'], mail_from_domain: 'bounce.a.test' };

const validate = (records: { [key: string]: string[] }, settings: Partial<DnsSettings> = {}) => {
  const dns = memoryPublicDns();
  for (const [key, values] of Object.entries(records)) dns.set(key.split(' ')[1]!, key.split(' ')[0] as 'TXT', ...values);
  return validateDns(dns, expectedRecords({ ...defaultSettings, ...settings }, provider, dnsTargets));
};

describe('validateDns, for SPF', () => {
  test.each([
    [['v=spf1 include:amazonses.com ~all'], true, true],
    [['v=spf1 include:_spf.other.test include:amazonses.com -all', 'verification=1'], true, true],
    [['v=spf1 include:_spf.other.test -all'], true, false],
    [['v=spf1 include:notamazonses.com -all'], true, false],
    [['v=spf1 -include:amazonses.com'], true, false],
    [['v=spf1 include:amazonses.com -all', 'v=spf1 a -all'], true, false],
    [['verification=1'], false, false],
    [[], false, false],
  ])('%j: exists %s, valid %s', async (values, exists, valid) => {
    expect((await validate({ 'TXT a.test': values })).spf_record).toMatchObject({ exists, valid });
  });
  test('accepts the exact spf_value only under FORCE_VALUE', async () => {
    const forced = { spf_mode: 'FORCE_VALUE', spf_value: 'v=spf1 ip4:192.0.2.0/24 -all' } as const;
    expect((await validate({ 'TXT a.test': ['v=spf1 include:amazonses.com ~all'] }, forced)).spf_record).toMatchObject({
      value: forced.spf_value,
      exists: true,
      valid: false,
    });
    expect((await validate({ 'TXT a.test': ['v=spf1  ip4:192.0.2.0/24 -ALL'] }, forced)).spf_record).toMatchObject({ valid: true });
  });
  test('expects no record under OFF, or for a domain that does not send', async () => {
    expect((await validate({}, { spf_mode: 'OFF' })).spf_record).toBeUndefined();
    const silent = await validate({}, { send_enabled: false });
    expect(silent).toMatchObject({ spf_record: undefined, mail_from_records: [] });
  });
});

describe('validateDns, for DMARC', () => {
  test.each([
    ['v=DMARC1; p=quarantine;', true],
    ['v=DMARC1;p=Quarantine; pct=50', true],
    ['v=DMARC1; p=none', false],
    ['v=DMARC1; sp=quarantine; p=reject', false],
    ['p=quarantine', false],
  ])('%s: valid %s', async (value, valid) => {
    expect((await validate({ 'TXT _dmarc.a.test': [value] })).dmarc_record).toMatchObject({ valid });
  });
  test('requires the report address of the settings', async () => {
    const more = { dmarc_report_email: 'dmarc@a.test' };
    expect((await validate({ 'TXT _dmarc.a.test': ['v=DMARC1; p=quarantine'] }, more)).dmarc_record).toMatchObject({ exists: true, valid: false });
    expect((await validate({ 'TXT _dmarc.a.test': ['v=DMARC1; p=quarantine; rua=mailto:x@b.test,mailto:dmarc@a.test'] }, more)).dmarc_record).toMatchObject({
      valid: true,
    });
  });
  test('expects no record unless dmarc_enabled is set', async () => {
    expect((await validate({}, { dmarc_enabled: false })).dmarc_record).toBeUndefined();
  });
});

describe('validateDns, for MX', () => {
  test.each([
    [['10 inbound-smtp.eu-west-1.amazonaws.com'], true],
    [['5 mx.other.test', '20 inbound-smtp.eu-west-1.amazonaws.com'], true],
    [['10 inbound-smtp.us-east-1.amazonaws.com'], false],
  ])('%j: valid %s', async (values, valid) => {
    expect((await validate({ 'MX a.test': values })).mx_record).toMatchObject({ exists: true, valid, requirement: 'REQUIRED' });
  });
  test('expects no record for a domain that does not receive', async () => {
    expect((await validate({}, { receive_enabled: false })).mx_record).toBeUndefined();
  });
});

describe('validateDns, for autodiscovery', () => {
  test.each([
    [['0 0 443 jmap.example.test'], true, true],
    [['10 5 443 jmap.example.test', '20 0 443 jmap.other.test'], true, true],
    [['0 0 8443 jmap.example.test'], true, false],
    [['0 0 443 jmap.other.test'], true, false],
    [[], false, false],
  ])('%j: exists %s, valid %s', async (values, exists, valid) => {
    expect((await validate({ 'SRV _jmap._tcp.a.test': values })).autodiscovery_records).toEqual([
      {
        name: '_jmap._tcp.a.test',
        record_type: 'SRV',
        value: '0 0 443 jmap.example.test',
        ttl: 3600,
        exists,
        valid,
        applied: false,
        found_values: values,
        requirement: 'RECOMMENDED',
      },
    ]);
  });
  test('counts the record as recommended', async () => {
    const rest = {
      ...Object.fromEntries(['x', 'y', 'z'].map((token) => [`CNAME ${token}._domainkey.a.test`, [`${token}.dkim.amazonses.com`]])),
      'MX a.test': ['10 inbound-smtp.eu-west-1.amazonaws.com'],
      'MX bounce.a.test': ['10 feedback-smtp.eu-west-1.amazonses.com'],
      'TXT bounce.a.test': ['v=spf1 include:amazonses.com ~all'],
      'TXT a.test': ['v=spf1 include:amazonses.com ~all'],
      'TXT _dmarc.a.test': ['v=DMARC1; p=quarantine;'],
    };
    expect(await validate(rest)).toMatchObject({ required_valid: true, recommended_valid: false });
    expect(await validate({ ...rest, 'SRV _jmap._tcp.a.test': ['0 0 443 jmap.example.test'] })).toMatchObject({
      required_valid: true,
      recommended_valid: true,
    });
  });
  test('expects no record for a domain that does not receive, because its people have their mail elsewhere', async () => {
    expect((await validate({}, { receive_enabled: false })).autodiscovery_records).toEqual([]);
  });
});

test('validateDns computes required_valid and recommended_valid separately', async () => {
  const dkim = Object.fromEntries(['x', 'y', 'z'].map((token) => [`CNAME ${token}._domainkey.a.test`, [`${token}.dkim.amazonses.com`]]));
  expect(await validate(dkim, { receive_enabled: false })).toMatchObject({ required_valid: true, recommended_valid: false });
  expect(await validate({ ...dkim, 'CNAME z._domainkey.a.test': ['elsewhere.test'] }, { receive_enabled: false })).toMatchObject({ required_valid: false });
  expect(await validate(dkim)).toMatchObject({ required_valid: false });
});

test('validateDns sets required_valid to false without DKIM tokens', async () => {
  expect(await validateDns(memoryPublicDns(), expectedRecords({ ...defaultSettings, receive_enabled: false }, { dkimTokens: [] }, dnsTargets))).toMatchObject({
    dkim_records: [],
    required_valid: false,
  });
});

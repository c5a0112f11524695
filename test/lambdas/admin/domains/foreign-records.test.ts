import type { DNSRecord, DNSValidationResult, Domain } from '../../../../contract/admin/domains.ts';
import { RecordChangeRefused } from '../../../../core/aws/route53-dns-provider.ts';
import { adminApiPerTest } from '../../../support/admin-api.ts';

const api = adminApiPerTest({ clock: () => now });
let id: string;
const now = new Date('2026-11-21T08:38:00Z');

beforeEach(async () => {
  api.dnsProvider.addZone('other.test');
  id = ((await api.ok('/domains/AddDomain', { domain: 'other.test', receive_enabled: true }))['domain'] as Domain).id;
});

const validation = async () =>
  ((await api.ok('/domains/GetDomain', { id, include_dns_validation: true }))['domain'] as Domain).dns_validation as DNSValidationResult;
const spfRecord = async () => (await validation()).spf_record as DNSRecord;
const apply = () => api.call('/domains/ApplyDomainRecords', { id });
const applyState = async () => ((await api.ok('/domains/GetDomain', { id }))['domain'] as Domain).dns_apply_state;
/** Puts a foreign TXT record into the zone and into public DNS. */
const publish = (name: string, ...values: string[]) => {
  api.dnsProvider.put('other.test', { name, type: 'TXT', values: values.map((value) => `"${value}"`) });
  api.dns.set(name, 'TXT', ...values);
};

describe('a foreign SPF policy in DNS', () => {
  test.each([
    ['before all', ['v=spf1 include:_spf.google.test -all'], 'v=spf1 include:_spf.google.test include:amazonses.com -all'],
    ['before redirect', ['v=spf1 ip4:192.0.2.1 redirect=_spf.google.test'], 'v=spf1 ip4:192.0.2.1 include:amazonses.com redirect=_spf.google.test'],
    ['at the end', ['v=spf1 mx'], 'v=spf1 mx include:amazonses.com'],
    ['instead of an include that does not pass', ['v=spf1 ?include:amazonses.com a ~ALL'], 'v=spf1 a include:amazonses.com ~ALL'],
    ['beside other texts', ['verification=1', 'v=spf1 a ~all'], 'v=spf1 a include:amazonses.com ~all'],
    [
      'in one of two policies',
      ['v=spf1 a mx -all', 'v=spf1 mx ip4:192.0.2.1 redirect=_spf.b.test ~all'],
      'v=spf1 a mx ip4:192.0.2.1 include:amazonses.com -all',
    ],
  ])('is published merged with ours, %s', async (_, found, value) => {
    api.dns.set('other.test', 'TXT', ...found);
    const spf = await spfRecord();
    expect(spf).toMatchObject({ exists: true, valid: false, applied: false, value, found_values: found.filter((text) => text.startsWith('v=spf1')) });
    api.dns.set('other.test', 'TXT', spf.value);
    expect(await spfRecord()).toMatchObject({ valid: true });
  });

  test('of the MAIL FROM domain is merged as well, but a forced value is not', async () => {
    api.dns.set('bounce.other.test', 'TXT', 'v=spf1 a -all');
    api.dns.set('other.test', 'TXT', 'v=spf1 a -all');
    await api.ok('/domains/UpdateDomain', { id, spf_mode: 'FORCE_VALUE', spf_value: 'v=spf1 ip4:192.0.2.1 -all' });
    const { mail_from_records: mailFrom, spf_record: spf } = await validation();
    expect(mailFrom?.[1]).toMatchObject({ value: 'v=spf1 a include:amazonses.com -all', found_values: ['v=spf1 a -all'] });
    expect(spf).toMatchObject({ value: 'v=spf1 ip4:192.0.2.1 -all', found_values: ['v=spf1 a -all'] });
  });

  const hosts = (count: number) => Array.from({ length: count }, (_, index) => `a:h${index}.test`).join(' ');

  test('with nine look-ups has room for SES', async () => {
    api.dns.set('other.test', 'TXT', `v=spf1 ip4:192.0.2.1 ip6:2001:db8::1 ${hosts(9)} exp=why.test -all`);
    expect(await spfRecord()).toMatchObject({ value: expect.stringContaining('include:amazonses.com -all') });
    expect(await spfRecord()).not.toHaveProperty('problem');
  });

  test.each([
    ['ten of its own', `v=spf1 ${hosts(10)} -all`],
    ['those of the policies that it includes', 'v=spf1 include:one.test mx ptr exists:%{i}.x.test -all'],
    ['those of the policy that it redirects to', 'v=spf1 a mx redirect=two.test'],
    ['an include of itself', 'v=spf1 include:other.test -all'],
  ])('that leaves no room among ten look-ups is not merged, and the problem is told: %s', async (_, found) => {
    api.dns.set('one.test', 'TXT', 'v=spf1 include:two.test -all');
    api.dns.set('two.test', 'TXT', 'other', `v=spf1 ${hosts(7)} -all`);
    api.dns.set('other.test', 'TXT', found);
    expect(await spfRecord()).toMatchObject({
      valid: false,
      value: found,
      found_values: [found],
      problem:
        'The policy needs more than 10 DNS look-ups with include:amazonses.com, so that receivers would ignore it (RFC 7208 §4.6.4). Remove entries that are not needed any more.',
    });
  });

  test('is kept by ApplyDomainRecords, which reports it and the written records', async () => {
    publish('other.test', 'v=spf1 a -all');
    const answer = await apply();
    expect(answer).toMatchObject({ status: 200, body: { records_failed: [], records_kept: [{ name: 'other.test', record_type: 'TXT' }] } });
    expect(answer.body['records_written']).toContainEqual({ name: 'other.test', record_type: 'MX' });
    expect(answer.body['records_written']).not.toContainEqual({ name: 'other.test', record_type: 'TXT' });
    expect(answer.body['dns_validation']).toMatchObject({ spf_record: { value: 'v=spf1 a include:amazonses.com -all', found_values: ['v=spf1 a -all'] } });
    expect(api.dnsProvider.values('other.test', 'other.test', 'TXT')).toEqual(['"v=spf1 a -all"']);
  });

  test('is not taken for the deployment’s when it wrote another record with this name', async () => {
    publish('other.test', 'v=spf1 a -all');
    await apply();
    api.dns.set('other.test', 'MX', '10 inbound-smtp.eu-west-1.amazonaws.com');
    const { mx_record: mx, spf_record: spf } = await validation();
    expect(spf).toMatchObject({ exists: true, valid: false, applied: false });
    expect(mx).toMatchObject({ exists: true, valid: false, applied: false, found_values: ['10 inbound-smtp.eu-west-1.amazonaws.com'] });
    api.dns.set('other.test', 'MX', '10 inbound-smtp.us-east-1.amazonaws.com');
    expect((await validation()).mx_record).toMatchObject({ valid: true, applied: true });
    expect(await apply()).toMatchObject({ body: { records_written: [], records_kept: [{ name: 'other.test', record_type: 'TXT' }] } });
  });
});

describe('a conflicting foreign record', () => {
  const message =
    'these records were not written, because others are there: TXT _dmarc.other.test (DNS has "v=DMARC1; p=reject", which Postrider did not write)';

  test('is reported with its value, and the other records are written in one batch', async () => {
    publish('_dmarc.other.test', 'v=DMARC1; p=reject');
    const answer = await apply();
    expect(answer).toMatchObject({ status: 409, body: { code: 'already_exists', message: `${message}. The other records were written: 8` } });
    expect(api.dnsProvider.calls['changeRecordSets']).toBe(1);
    expect(api.dnsProvider.values('other.test', 'other.test', 'MX')).toEqual(['10 inbound-smtp.us-east-1.amazonaws.com.']);
    expect(api.dnsProvider.values('other.test', 'token110._domainkey.other.test', 'CNAME')).toHaveLength(1);
    expect(api.dnsProvider.values('other.test', '_dmarc.other.test', 'TXT')).toEqual(['"v=DMARC1; p=reject"']);
    const state = await applyState();
    expect(state).toMatchObject({ status: 'APPLY_FAILED', last_error: answer.body.message });
    expect(state?.applied_record_names).toContain('bounce.other.test');
    expect(state?.applied_record_names).not.toContain('_dmarc.other.test');
    expect(await api.auditLogs('domains/ApplyDomainRecords')).toEqual([
      expect.objectContaining({
        status: 'failure',
        error_msg: answer.body.message,
        changes: expect.arrayContaining([expect.objectContaining({ field: 'MX other.test' })]),
      }),
    ]);
  });

  test('is refused again by the next call, which writes no other record', async () => {
    publish('_dmarc.other.test', 'v=DMARC1; p=reject');
    await apply();
    expect(await apply()).toMatchObject({ status: 409, body: { message } });
    expect(api.dnsProvider.calls['changeRecordSets']).toBe(1);
    api.dnsProvider.put('other.test', { name: '_dmarc.other.test', type: 'TXT', values: ['"other"'] });
    expect(await apply()).toMatchObject({ status: 200, body: { records_written: [{ name: '_dmarc.other.test', record_type: 'TXT' }] } });
    expect(api.dnsProvider.values('other.test', '_dmarc.other.test', 'TXT')).toEqual(['"other"', '"v=DMARC1; p=none;"']);
  });

  test('is reported together with Route 53’s refusal', async () => {
    publish('_dmarc.other.test', 'v=DMARC1; p=reject');
    api.dnsProvider.beforeChange = () => {
      throw new RecordChangeRefused(['InvalidDomainName: not this one']);
    };
    expect(await apply()).toMatchObject({ status: 409, body: { message: `${message}. Route 53 refused the others: InvalidDomainName: not this one` } });
    expect((await applyState())?.applied_record_names).toEqual([]);
  });

  test('is shown with the values in DNS, even if none of them has the record’s purpose', async () => {
    publish('_dmarc.other.test', 'v=DMARC1; p=reject');
    api.dns.set('other.test', 'TXT', 'verification=1');
    const { dmarc_record: dmarc, spf_record: spf } = await validation();
    expect(dmarc).toMatchObject({ exists: true, valid: false, applied: false, found_values: ['v=DMARC1; p=reject'] });
    expect(spf).toMatchObject({ exists: false, found_values: [] });
  });
});

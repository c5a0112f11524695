import type { DNSRecord, Domain } from '../../../../contract/admin/domains.ts';
import { adminApiPerTest } from '../../../support/admin-api.ts';

const now = new Date('2026-11-21T08:38:00Z');
const api = adminApiPerTest({ clock: () => now });

const add = async (domain: string, settings: object = {}) => (await api.ok('/domains/AddDomain', { domain, ...settings }))['domain'] as Domain;
const get = async (id: string, include_dns_validation?: boolean) => (await api.ok('/domains/GetDomain', { id, include_dns_validation }))['domain'] as Domain;

describe('GetDomain', () => {
  test('returns the provider’s status at the time of the call', async () => {
    const { id } = await add('other.test');
    api.emailProvider.verify('other.test');
    expect(await get(id)).toMatchObject({ verification_status: 'SUCCESS', dkim_status: 'SUCCESS' });
    expect((await api.ok('/domains/VerifyDomain', { domain_id: id }))['domain']).toMatchObject({ verification_status: 'SUCCESS' });
    expect(await get(id)).not.toHaveProperty('dns_validation');
  });

  test('returns FAILED for a domain that the provider does not know', async () => {
    const { id } = await add('other.test');
    await api.emailProvider.removeDomain('other.test');
    expect(await get(id)).toMatchObject({ verification_status: 'FAILED', dkim_status: 'FAILED', dkim_enabled: false });
  });

  test('does not change the reports by mail of an adopted domain', async () => {
    api.emailProvider.registerForeign('adopted.test');
    const { id } = await add('adopted.test', { adopt_existing: true });
    await get(id);
    expect(await api.emailProvider.findDomain('adopted.test')).toMatchObject({ forwardsFeedback: true });
  });

  test.each(['GetDomain', 'GetDomainVerification', 'VerifyDomain'])('%s refuses an unknown domain with not_found', async (method) => {
    const key = method === 'GetDomain' ? 'id' : 'domain_id';
    expect(await api.call(`/domains/${method}`, { [key]: 'dom_unknown' })).toMatchObject({
      status: 404,
      body: { code: 'not_found', message: 'there is no such domain' },
    });
  });

  test('returns the required and recommended DNS records with include_dns_validation', async () => {
    const { id } = await add('other.test', { receive_enabled: true, dmarc_report_email: 'dmarc@other.test' });
    const { dns_validation: validation } = await get(id, true);
    const lines = (records: readonly (DNSRecord | undefined)[] = []) =>
      records.map((record) => record && `${record.requirement} ${record.name} ${record.ttl} ${record.record_type} ${record.value}`);
    expect(lines(validation?.dkim_records)).toEqual(
      [1, 2, 3].map((index) => `REQUIRED token${index}10._domainkey.other.test 3600 CNAME token${index}10.dkim.amazonses.com`),
    );
    expect(lines(validation?.mail_from_records)).toEqual([
      'RECOMMENDED bounce.other.test 3600 MX 10 feedback-smtp.us-east-1.amazonses.com',
      'RECOMMENDED bounce.other.test 3600 TXT v=spf1 include:amazonses.com ~all',
    ]);
    expect(lines([validation?.mx_record, validation?.spf_record, validation?.dmarc_record])).toEqual([
      'REQUIRED other.test 3600 MX 10 inbound-smtp.us-east-1.amazonaws.com',
      'RECOMMENDED other.test 3600 TXT v=spf1 include:amazonses.com ~all',
      'RECOMMENDED _dmarc.other.test 3600 TXT v=DMARC1; p=none; rua=mailto:dmarc@other.test',
    ]);
    expect(lines(validation?.autodiscovery_records)).toEqual(['RECOMMENDED _jmap._tcp.other.test 3600 SRV 0 0 443 jmap.example.test']);
    expect(validation).toMatchObject({ required_valid: false, recommended_valid: false, mx_record: { exists: false, valid: false } });
  });

  test('with include_dns_validation has the alias GetDomainVerification', async () => {
    const { id } = await add('other.test');
    expect((await api.ok('/domains/GetDomainVerification', { domain_id: id }))['domain']).toEqual(await get(id, true));
  });

  test('returns every record as valid once public DNS has it', async () => {
    const { id } = await add('other.test', { receive_enabled: true });
    const { dns_validation: expected } = await get(id, true);
    const records = [
      ...(expected?.dkim_records ?? []),
      ...(expected?.mail_from_records ?? []),
      expected?.mx_record,
      expected?.spf_record,
      expected?.dmarc_record,
      ...(expected?.autodiscovery_records ?? []),
    ].filter((record) => record !== undefined);
    for (const { name, record_type: type, value } of records) api.dns.set(name, type as 'TXT', value);
    const { dns_validation: validation } = await get(id, true);
    expect(validation).toMatchObject({ required_valid: true, recommended_valid: true, mx_record: { exists: true, valid: true } });
  });

  test('returns the domain with every record as invalid while DNS lookups fail', async () => {
    const { id } = await add('other.test');
    api.dns.fail();
    expect(await get(id, true)).toMatchObject({ domain: 'other.test', dns_validation: { required_valid: false, recommended_valid: false } });
  });
});

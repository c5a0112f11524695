import type { DNSApplyState, Domain } from '../../../../contract/admin/domains.ts';
import { RecordChangeRefused } from '../../../../core/aws/route53-dns-provider.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi, adminApiPerTest, type AdminApi } from '../../../support/admin-api.ts';
import { failingTable } from '../../../support/failing-table.ts';

const api = adminApiPerTest({ clock: () => now });
let id: string;
const now = new Date('2026-11-21T08:38:00Z');
const ourSpf = '"v=spf1 include:amazonses.com ~all"';

const addDomain = async (to: AdminApi) => ((await to.ok('/domains/AddDomain', { domain: 'other.test' }))['domain'] as Domain).id;
const applyState = async () => ((await api.ok('/domains/GetDomain', { id }))['domain'] as Domain).dns_apply_state as DNSApplyState;
const apply = (to: AdminApi = api) => to.call('/domains/ApplyDomainRecords', { id });
const deleteRecord = (record_name: string, record_type: string, to: AdminApi = api) => to.call('/domains/DeleteDomainRecord', { id, record_name, record_type });
const txtValues = (name = 'other.test') => api.dnsProvider.values('other.test', name, 'TXT');
const appliedNames = [
  '_dmarc.other.test',
  'bounce.other.test',
  'other.test',
  'token110._domainkey.other.test',
  'token210._domainkey.other.test',
  'token310._domainkey.other.test',
];

beforeEach(async () => {
  api.dnsProvider.addZone('other.test');
  id = await addDomain(api);
});

describe('ApplyDomainRecords', () => {
  test('writes every expected record in one batch', async () => {
    const answer = await apply();
    expect(answer).toMatchObject({ status: 200, body: { records_failed: [], dns_validation: { required_valid: false } } });
    const state = {
      status: 'APPLIED',
      provider_type: 'ROUTE53',
      last_attempt_at: now.toISOString(),
      last_success_at: now.toISOString(),
      applied_record_names: appliedNames,
    };
    expect(answer.body['dns_apply_state']).toEqual(state);
    expect(await applyState()).toEqual(state);
    expect(api.dnsProvider.calls['changeRecordSets']).toBe(1);
    expect(txtValues()).toEqual([ourSpf]);
    expect(txtValues('_dmarc.other.test')).toEqual(['"v=DMARC1; p=none;"']);
    expect(api.dnsProvider.values('other.test', 'bounce.other.test', 'MX')).toEqual(['10 feedback-smtp.us-east-1.amazonses.com.']);
    expect(api.dnsProvider.values('other.test', 'token110._domainkey.other.test', 'CNAME')).toEqual(['token110.dkim.amazonses.com.']);
  });

  test('writes the autodiscovery record of a domain that receives mail, until DeleteDomainRecord removes it', async () => {
    await api.ok('/domains/UpdateDomain', { id, receive_enabled: true });
    await apply();
    const srv = () => api.dnsProvider.values('other.test', '_jmap._tcp.other.test', 'SRV');
    expect(srv()).toEqual(['0 0 443 jmap.example.test.']);
    expect((await applyState()).applied_record_names).toEqual(['_dmarc.other.test', '_jmap._tcp.other.test', ...appliedNames.slice(1)]);
    expect(await deleteRecord('_jmap._tcp.other.test', 'SRV')).toMatchObject({ status: 200, body: { deleted: true } });
    expect(srv()).toBeUndefined();
  });

  test('writes to the most specific zone', async () => {
    api.dnsProvider.addZone('mail.other.test');
    id = ((await api.ok('/domains/AddDomain', { domain: 'mail.other.test' }))['domain'] as Domain).id;
    await apply();
    expect(api.dnsProvider.values('mail.other.test', 'mail.other.test', 'TXT')).toEqual([ourSpf]);
    expect(api.dnsProvider.values('other.test', 'mail.other.test', 'TXT')).toBeUndefined();
  });

  test('changes nothing when it is called again', async () => {
    await apply();
    expect(await apply()).toMatchObject({
      status: 200,
      body: { records_failed: [], dns_apply_state: { status: 'APPLIED', applied_record_names: appliedNames } },
    });
    expect(api.dnsProvider.calls['changeRecordSets']).toBe(1);
  });

  test('keeps foreign values of the same record set', async () => {
    api.dnsProvider.put('other.test', { name: 'other.test', type: 'TXT', values: ['"verification=1"'] });
    await apply();
    expect(txtValues()).toEqual(['"verification=1"', ourSpf]);
  });

  test('keeps a foreign SPF policy, and replaces it under FORCE_VALUE', async () => {
    api.dnsProvider.put('other.test', { name: 'other.test', type: 'TXT', values: ['"v=spf1 include:other.test -all"', '"verification=1"'] });
    await apply();
    expect(txtValues()).toEqual(['"v=spf1 include:other.test -all"', '"verification=1"']);
    expect((await applyState()).applied_record_names).not.toContain('other.test');
    await api.ok('/domains/UpdateDomain', { id, spf_mode: 'FORCE_VALUE', spf_value: 'v=spf1 ip4:192.0.2.1 -all' });
    await apply();
    expect(txtValues()).toEqual(['"verification=1"', '"v=spf1 ip4:192.0.2.1 -all"']);
  });

  test('updates records that it wrote when the settings change', async () => {
    await apply();
    await api.ok('/domains/UpdateDomain', { id, dmarc_policy: 'REJECT', dmarc_report_email: 'dmarc@other.test' });
    expect(await apply()).toMatchObject({ status: 200 });
    expect(txtValues('_dmarc.other.test')).toEqual(['"v=DMARC1; p=reject; rua=mailto:dmarc@other.test"']);
  });

  test('keeps a foreign record that appears during the call', async () => {
    api.dnsProvider.put('other.test', { name: 'other.test', type: 'TXT', values: ['"one"'] });
    api.dnsProvider.beforeChange = () => {
      api.dnsProvider.beforeChange = () => undefined;
      api.dnsProvider.put('other.test', { name: 'other.test', type: 'TXT', values: ['"one"', '"two"'] });
    };
    expect(await apply()).toMatchObject({ status: 200, body: { records_failed: [] } });
    expect(txtValues()).toEqual(['"one"', '"two"', ourSpf]);
  });

  test('returns the names of the records that the provider refuses, with the reason', async () => {
    await apply();
    await api.ok('/domains/UpdateDomain', { id, dmarc_policy: 'REJECT' });
    api.dnsProvider.beforeChange = () => {
      throw new RecordChangeRefused(['InvalidDomainName: not this one']);
    };
    const answer = await apply();
    expect(answer).toMatchObject({
      status: 200,
      body: { records_failed: ['_dmarc.other.test'], dns_apply_state: { status: 'APPLY_FAILED', last_error: 'InvalidDomainName: not this one' } },
    });
    expect(await applyState()).toMatchObject({ last_success_at: now.toISOString(), applied_record_names: appliedNames });
    expect(await api.auditLogs('domains/ApplyDomainRecords')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ entity_name: 'other.test', metadata: { records_failed: '_dmarc.other.test', reason: 'InvalidDomainName: not this one' } }),
      ]),
    );
  });

  test('refuses a domain without a hosted zone with failed_precondition', async () => {
    id = ((await api.ok('/domains/AddDomain', { domain: 'elsewhere.test' }))['domain'] as Domain).id;
    expect(await apply()).toMatchObject({
      status: 400,
      body: { code: 'failed_precondition', message: 'no hosted zone of this AWS account holds the domain: its DNS is managed elsewhere' },
    });
  });

  test('writes each record once in five concurrent calls', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => apply()));
    expect(answers.map(({ status, body }) => [status, (body['records_failed'] as string[]).length])).toEqual(Array.from({ length: 5 }, () => [200, 0]));
    expect(txtValues()).toEqual([ourSpf]);
    expect((await applyState()).applied_record_names).toEqual(appliedNames);
  });

  test.each([0, 1])('stores every record that it wrote before a crash at write %d', async (write) => {
    const directory = failingTable(memoryTable());
    const crashing = await adminApi({ directory });
    crashing.dnsProvider.addZone('other.test');
    id = await addDomain(crashing);
    directory.crashAtWrite(write);
    expect(await apply(crashing)).toMatchObject({ status: 500 });
    directory.recover();
    expect(await apply(crashing)).toMatchObject({ status: 200, body: { dns_apply_state: { status: 'APPLIED', applied_record_names: appliedNames } } });
    expect(await deleteRecord('other.test', 'TXT', crashing)).toMatchObject({ body: { deleted: true } });
  });

  test('writes its changes to the audit log', async () => {
    await apply();
    expect(await api.auditLogs('domains/ApplyDomainRecords')).toMatchObject([
      { status: 'success', entity_id: id, entity_name: 'other.test', changes: expect.arrayContaining([{ field: 'TXT other.test', new_value: ourSpf }]) },
    ]);
  });
});

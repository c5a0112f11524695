import type { DNSApplyState, Domain } from '../../../../contract/admin/domains.ts';
import { RecordChangeRefused } from '../../../../core/aws/route53/dns-provider.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi } from '../../../support/admin-api.ts';
import { failingTable } from '../../../support/failing-table.ts';

type Api = Awaited<ReturnType<typeof adminApi>>;
let api: Api;
let id: string;
const now = new Date('2026-11-21T08:38:00Z');
const ourSpf = '"v=spf1 include:amazonses.com ~all"';

const add = async (to: Api, more: object = {}) => ((await to.ok('/domains/AddDomain', { domain: 'other.test', ...more }))['domain'] as Domain).id;
const applyState = async (to: Api = api) => ((await to.ok('/domains/GetDomain', { id }))['domain'] as Domain).dns_apply_state as DNSApplyState;
const apply = (to: Api = api) => to.call('/domains/ApplyDomainRecords', { id });
const deleteRecord = (record_name: string, record_type = 'TXT', to: Api = api) => to.call('/domains/DeleteDomainRecord', { id, record_name, record_type });
const txt = (name = 'other.test', to: Api = api) => to.dnsProvider.values('other.test', name, 'TXT');
const allNames = ['_dmarc.other.test', 'bounce.other.test', 'other.test', 'token110._domainkey.other.test', 'token210._domainkey.other.test', 'token310._domainkey.other.test'];

beforeEach(async () => {
  api = await adminApi({ now: () => now });
  api.dnsProvider.addZone('other.test');
  id = await add(api);
});

describe('CheckDNSProvider', () => {
  test('tells the zone that holds the domain', async () => {
    expect(await api.ok('/domains/CheckDNSProvider', { id })).toEqual({ has_access: true, provider_type: 'ROUTE53', hosted_zone: { id: 'Z-other.test', name: 'other.test', record_count: 0 } });
  });
  test('without one there is no access', async () => {
    const { domain } = await api.ok('/domains/AddDomain', { domain: 'elsewhere.test' });
    expect(await api.ok('/domains/CheckDNSProvider', { id: (domain as Domain).id })).toEqual({ has_access: false });
  });
  test('an unknown domain is not_found', async () => {
    expect(await api.call('/domains/CheckDNSProvider', { id: 'dom_unknown' })).toMatchObject({ status: 404 });
  });
});

describe('ApplyDomainRecords', () => {
  test('writes every record in one batch', async () => {
    const answer = await apply();
    expect(answer).toMatchObject({ status: 200, body: { records_failed: [], dns_validation: { required_valid: false } } });
    const state = { status: 'APPLIED', provider_type: 'ROUTE53', last_attempt_at: now.toISOString(), last_success_at: now.toISOString(), applied_record_names: allNames };
    expect(answer.body['dns_apply_state']).toEqual(state);
    expect(await applyState()).toEqual(state);
    expect(api.dnsProvider.calls['changeRecordSets']).toBe(1);
    expect(txt()).toEqual([ourSpf]);
    expect(txt('_dmarc.other.test')).toEqual(['"v=DMARC1; p=none;"']);
    expect(api.dnsProvider.values('other.test', 'bounce.other.test', 'MX')).toEqual(['10 feedback-smtp.us-east-1.amazonses.com.']);
    expect(api.dnsProvider.values('other.test', 'token110._domainkey.other.test', 'CNAME')).toEqual(['token110.dkim.amazonses.com.']);
  });

  test('a domain that receives leads mail clients to JMAP, until the record is taken away', async () => {
    await api.ok('/domains/UpdateDomain', { id, receive_enabled: true });
    await apply();
    const srv = () => api.dnsProvider.values('other.test', '_jmap._tcp.other.test', 'SRV');
    expect(srv()).toEqual(['0 0 443 jmap.example.test.']);
    expect((await applyState()).applied_record_names).toEqual(['_dmarc.other.test', '_jmap._tcp.other.test', ...allNames.slice(1)]);
    expect(await deleteRecord('_jmap._tcp.other.test', 'SRV')).toMatchObject({ status: 200, body: { deleted: true } });
    expect(srv()).toBeUndefined();
  });

  test('the most specific zone is written', async () => {
    api.dnsProvider.addZone('mail.other.test');
    id = ((await api.ok('/domains/AddDomain', { domain: 'mail.other.test' }))['domain'] as Domain).id;
    await apply();
    expect(api.dnsProvider.values('mail.other.test', 'mail.other.test', 'TXT')).toEqual([ourSpf]);
    expect(api.dnsProvider.values('other.test', 'mail.other.test', 'TXT')).toBeUndefined();
  });

  test('again, it changes nothing and says the same', async () => {
    await apply();
    expect(await apply()).toMatchObject({ status: 200, body: { records_failed: [], dns_apply_state: { status: 'APPLIED', applied_record_names: allNames } } });
    expect(api.dnsProvider.calls['changeRecordSets']).toBe(1);
  });

  test('keeps what others have in the same set', async () => {
    api.dnsProvider.put('other.test', { name: 'other.test', type: 'TXT', values: ['"verification=1"'] });
    await apply();
    expect(txt()).toEqual(['"verification=1"', ourSpf]);
  });

  test('somebody else’s SPF stays, and FORCE_VALUE replaces it', async () => {
    api.dnsProvider.put('other.test', { name: 'other.test', type: 'TXT', values: ['"v=spf1 include:other.test -all"', '"verification=1"'] });
    await apply();
    expect(txt()).toEqual(['"v=spf1 include:other.test -all"', '"verification=1"']);
    expect((await applyState()).applied_record_names).not.toContain('other.test');
    await api.ok('/domains/UpdateDomain', { id, spf_mode: 'FORCE_VALUE', spf_value: 'v=spf1 ip4:192.0.2.1 -all' });
    await apply();
    expect(txt()).toEqual(['"verification=1"', '"v=spf1 ip4:192.0.2.1 -all"']);
  });

  test('what we wrote follows what is wanted', async () => {
    await apply();
    await api.ok('/domains/UpdateDomain', { id, dmarc_policy: 'REJECT', dmarc_report_email: 'dmarc@other.test' });
    expect(await apply()).toMatchObject({ status: 200 });
    expect(txt('_dmarc.other.test')).toEqual(['"v=DMARC1; p=reject; rua=mailto:dmarc@other.test"']);
  });

  test('somebody else’s record in the way is a conflict: nothing is written, and it is named', async () => {
    api.dnsProvider.put('other.test', { name: '_dmarc.other.test', type: 'TXT', values: ['"v=DMARC1; p=reject"'] });
    const answer = await apply();
    const words = 'nothing was written, because of what is there already: TXT _dmarc.other.test (a record that Postrider did not write is there)';
    expect(answer).toMatchObject({ status: 409, body: { code: 'already_exists', message: words } });
    expect(txt()).toBeUndefined();
    expect(api.dnsProvider.calls['changeRecordSets']).toBeUndefined();
    expect(await applyState()).toEqual({ status: 'APPLY_FAILED', provider_type: 'ROUTE53', last_attempt_at: now.toISOString(), last_error: words, applied_record_names: [] });
  });

  test('a record that appears while it is at work is not lost', async () => {
    api.dnsProvider.put('other.test', { name: 'other.test', type: 'TXT', values: ['"one"'] });
    api.dnsProvider.beforeChange = () => {
      api.dnsProvider.beforeChange = () => undefined;
      api.dnsProvider.put('other.test', { name: 'other.test', type: 'TXT', values: ['"one"', '"two"'] });
    };
    expect(await apply()).toMatchObject({ status: 200, body: { records_failed: [] } });
    expect(txt()).toEqual(['"one"', '"two"', ourSpf]);
  });

  test('what the provider does not take is told, record by record and with its reason', async () => {
    await apply();
    await api.ok('/domains/UpdateDomain', { id, dmarc_policy: 'REJECT' });
    api.dnsProvider.beforeChange = () => {
      throw new RecordChangeRefused(['InvalidDomainName: not this one']);
    };
    const answer = await apply();
    expect(answer).toMatchObject({ status: 200, body: { records_failed: ['_dmarc.other.test'], dns_apply_state: { status: 'APPLY_FAILED', last_error: 'InvalidDomainName: not this one' } } });
    expect(await applyState()).toMatchObject({ last_success_at: now.toISOString(), applied_record_names: allNames });
    expect((await api.ok('/audit/ListAuditLogs', { operation: 'domains/ApplyDomainRecords' }))['audit_logs']).toEqual(expect.arrayContaining([
      expect.objectContaining({ entity_name: 'other.test', metadata: { records_failed: '_dmarc.other.test', reason: 'InvalidDomainName: not this one' } }),
    ]));
  });

  test('without a zone it is failed_precondition', async () => {
    id = ((await api.ok('/domains/AddDomain', { domain: 'elsewhere.test' }))['domain'] as Domain).id;
    expect(await apply()).toMatchObject({ status: 400, body: { code: 'failed_precondition', message: 'no hosted zone of this AWS account holds the domain: its DNS is managed elsewhere' } });
  });

  test('of five at once all succeed, and the records are there once', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => apply()));
    expect(answers.map(({ status, body }) => [status, (body['records_failed'] as string[]).length])).toEqual(Array.from({ length: 5 }, () => [200, 0]));
    expect(txt()).toEqual([ourSpf]);
    expect((await applyState()).applied_record_names).toEqual(allNames);
  });

  test.each([0, 1])('a crash at write %d leaves no record that is not known to be ours', async (write) => {
    const directory = failingTable(memoryTable());
    const crashing = await adminApi({ directory });
    crashing.dnsProvider.addZone('other.test');
    id = await add(crashing);
    directory.crashAtWrite(write);
    expect(await apply(crashing)).toMatchObject({ status: 500 });
    directory.recover();
    expect(await apply(crashing)).toMatchObject({ status: 200, body: { dns_apply_state: { status: 'APPLIED', applied_record_names: allNames } } });
    expect(await deleteRecord('other.test', 'TXT', crashing)).toMatchObject({ body: { deleted: true } });
  });

  test('what it changed is in the audit log', async () => {
    await apply();
    expect((await api.ok('/audit/ListAuditLogs', { operation: 'domains/ApplyDomainRecords' }))['audit_logs']).toMatchObject([{
      status: 'success', entity_id: id, entity_name: 'other.test', changes: expect.arrayContaining([{ field: 'TXT other.test', new_value: ourSpf }]),
    }]);
  });
});

describe('DeleteDomainRecord', () => {
  test('removes a record that was applied, once', async () => {
    await apply();
    expect(await deleteRecord('Token110._domainkey.other.test.', 'CNAME')).toMatchObject({ status: 200, body: { deleted: true } });
    expect(api.dnsProvider.values('other.test', 'token110._domainkey.other.test', 'CNAME')).toBeUndefined();
    expect((await applyState()).applied_record_names).toEqual(allNames.filter((name) => !name.startsWith('token110')));
    expect(await deleteRecord('token110._domainkey.other.test', 'CNAME')).toMatchObject({ status: 200, body: { deleted: false } });
  });

  test('leaves what others have in the same set', async () => {
    api.dnsProvider.put('other.test', { name: 'other.test', type: 'TXT', values: ['"verification=1"'] });
    await apply();
    expect(await deleteRecord('other.test')).toMatchObject({ body: { deleted: true } });
    expect(txt()).toEqual(['"verification=1"']);
  });

  test('somebody else’s record is none of ours, and neither is one that was changed by hand', async () => {
    api.dnsProvider.put('other.test', { name: 'www.other.test', type: 'TXT', values: ['"x"'] });
    expect(await deleteRecord('www.other.test')).toMatchObject({ body: { deleted: false } });
    await apply();
    api.dnsProvider.put('other.test', { name: 'other.test', type: 'TXT', values: ['"v=spf1 -all"'] });
    expect(await deleteRecord('other.test')).toMatchObject({ body: { deleted: false } });
    expect(txt()).toEqual(['"v=spf1 -all"']);
  });

  test('what was removed can be applied again', async () => {
    await apply();
    await deleteRecord('_dmarc.other.test');
    expect(await apply()).toMatchObject({ body: { dns_apply_state: { applied_record_names: allNames } } });
  });

  test('a type that can not be deleted is invalid_argument', async () => {
    expect(await deleteRecord('other.test', 'A')).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
  });

  test('a set that changes all the time is aborted', async () => {
    await apply();
    api.dnsProvider.beforeChange = () => {
      throw new RecordChangeRefused(['moved']);
    };
    expect(await deleteRecord('other.test')).toMatchObject({ status: 409, body: { code: 'aborted' } });
  });
});

test('a domain that is removed leaves its records where they are, and nothing that says they are ours', async () => {
  await apply();
  await api.ok('/domains/RemoveDomain', { id });
  expect(txt()).toEqual([ourSpf]);
  expect(await api.directory.query({ pk: `domain-records#${id}` })).toEqual([]);
});

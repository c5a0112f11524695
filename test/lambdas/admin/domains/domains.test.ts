import type { DNSRecord, Domain } from '../../../../contract/admin/domains.ts';
import { adminApi } from '../../../support/admin-api.ts';
import { failingTable } from '../../../support/failing-table.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';

type Api = Awaited<ReturnType<typeof adminApi>>;
let now = new Date('2026-11-21T08:38:00Z');
let api: Api;
beforeEach(async () => {
  now = new Date('2026-11-21T08:38:00Z');
  api = await adminApi({ now: () => now });
});

const add = async (domain: string, more: object = {}) => (await api.ok('/domains/AddDomain', { domain, ...more }))['domain'] as Domain;
const get = async (id: string, include_dns_validation?: boolean) => (await api.ok('/domains/GetDomain', { id, include_dns_validation }))['domain'] as Domain;

describe('AddDomain', () => {
  test('registers the domain with the provider, with the defaults of the specification', async () => {
    expect(await add('Other.Test')).toEqual({
      id: expect.stringMatching(/^dom_[A-Za-z0-9_-]{21}$/), domain: 'other.test', verification_status: 'PENDING', dkim_status: 'PENDING', dkim_enabled: true,
      mail_from_domain: 'bounce.other.test', send_enabled: true, receive_enabled: false, dmarc_enabled: true, dmarc_policy: 'NONE', spf_mode: 'CREATE_IF_MISSING', is_primary: false,
      created_at: '2026-11-21T08:38:00.000Z', updated_at: '2026-11-21T08:38:00.000Z',
    });
    expect(await api.emailProvider.findDomain('other.test')).toMatchObject({ mail_from_domain: 'bounce.other.test' });
  });

  test('the deployment’s own mail domain is the primary one', async () => {
    expect(await add('example.test')).toMatchObject({ is_primary: true });
  });

  test('everything that is wanted of it is kept', async () => {
    const desired = { dmarc_policy: 'REJECT', dmarc_report_email: 'dmarc@example.test', send_enabled: false, receive_enabled: true, dmarc_enabled: false, spf_mode: 'FORCE_VALUE', spf_value: 'v=spf1 -all' };
    const { id } = await add('other.test', desired);
    expect(await get(id)).toMatchObject(desired);
  });

  test('CreateDomain is another name of it', async () => {
    const { domain } = await api.ok('/domains/CreateDomain', { domain: 'other.test' });
    expect(domain).toEqual(await get((domain as Domain).id));
  });

  test.each(['other.test', 'OTHER.test'])('the same name as %s is already_exists', async (name) => {
    await add('other.test');
    expect(await api.call('/domains/AddDomain', { domain: name })).toMatchObject({ status: 409, body: { code: 'already_exists' } });
  });

  test('a U-label and its A-label are the same name', async () => {
    expect(await add('bücher.test')).toMatchObject({ domain: 'xn--bcher-kva.test' });
    expect((await api.call('/domains/AddDomain', { domain: 'XN--BCHER-KVA.test' })).status).toBe(409);
  });

  test('of ten at once one wins', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => api.call('/domains/AddDomain', { domain: 'other.test' })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    expect((await api.ok('/domains/ListDomains'))['domains']).toHaveLength(1);
  });

  test.each([
    ['FORCE_VALUE without a value', { spf_mode: 'FORCE_VALUE' }, 'spf_value is required with FORCE_VALUE'],
    ['an SPF value that is none', { spf_value: 'v=spf2 -all' }, 'spf_value must begin with v=spf1'],
    ['a name too long for its MAIL FROM', { domain: `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.tests` }, 'domain is too long for its MAIL FROM subdomain'],
  ])('%s is refused before anything is made', async (_, more, message) => {
    expect(await api.call('/domains/AddDomain', { domain: 'other.test', ...more })).toMatchObject({ status: 400, body: { code: 'invalid_argument', message } });
    expect(api.emailProvider.calls['createDomain']).toBeUndefined();
  });

  test.each(['createDomain', 'setMailFrom'] as const)('what the provider could not do (%s) is done by the next call', async (operation) => {
    const { [operation]: real } = api.emailProvider;
    api.emailProvider[operation] = async () => {
      throw Object.assign(new Error('another operation is at work'), { name: 'ConcurrentModificationException', $fault: 'server' });
    };
    expect(await api.call('/domains/AddDomain', { domain: 'other.test' })).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect((await api.ok('/domains/ListDomains'))['domains']).toEqual([]);
    Object.assign(api.emailProvider, { [operation]: real });
    expect(await add('other.test')).toMatchObject({ mail_from_domain: 'bounce.other.test' });
    expect((await api.ok('/domains/ListDomains'))['domains']).toHaveLength(1);
  });

  test('a name that the provider does not take is invalid_argument, and free again', async () => {
    expect(await api.call('/domains/AddDomain', { domain: 'no.invalid' })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
    expect(await api.directory.get({ pk: 'domain-name', sk: 'no.invalid' })).toBeUndefined();
  });

  test.each([[0, 'before'], [0, 'after'], [1, 'before'], [1, 'after']] as const)('a crash %d, %s a write, is repaired by the next call', async (write, when) => {
    const directory = failingTable(memoryTable());
    const crashing = await adminApi({ directory });
    directory.endProcessAtWrite(write, when);
    expect((await crashing.call('/domains/AddDomain', { domain: 'other.test' })).status).toBe(500);
    directory.recover();
    expect((await crashing.call('/domains/AddDomain', { domain: 'other.test' })).status).toBe(write === 1 && when === 'after' ? 409 : 200);
    expect((await crashing.ok('/domains/ListDomains'))['domains']).toMatchObject([{ domain: 'other.test', mail_from_domain: 'bounce.other.test' }]);
  });
});

describe('GetDomain', () => {
  test('shows what the provider says now', async () => {
    const { id } = await add('other.test');
    api.emailProvider.verify('other.test');
    expect(await get(id)).toMatchObject({ verification_status: 'SUCCESS', dkim_status: 'SUCCESS' });
    expect((await api.ok('/domains/VerifyDomain', { domain_id: id }))['domain']).toMatchObject({ verification_status: 'SUCCESS' });
    expect(await get(id)).not.toHaveProperty('dns_validation');
  });

  test('a domain that the provider has lost is FAILED', async () => {
    const { id } = await add('other.test');
    await api.emailProvider.removeDomain('other.test');
    expect(await get(id)).toMatchObject({ verification_status: 'FAILED', dkim_status: 'FAILED', dkim_enabled: false });
  });

  test.each(['GetDomain', 'GetDomainVerification', 'VerifyDomain'])('%s: an unknown domain is not_found', async (method) => {
    const key = method === 'GetDomain' ? 'id' : 'domain_id';
    expect(await api.call(`/domains/${method}`, { [key]: 'dom_unknown' })).toMatchObject({ status: 404, body: { code: 'not_found', message: 'there is no such domain' } });
  });

  test('with include_dns_validation it names the records that are needed', async () => {
    const { id } = await add('other.test', { receive_enabled: true, dmarc_report_email: 'dmarc@other.test' });
    const { dns_validation: validation } = await get(id, true);
    const lines = (records: readonly (DNSRecord | undefined)[] = []) => records.map((record) => record && `${record.requirement} ${record.name} ${record.ttl} ${record.record_type} ${record.value}`);
    expect(lines(validation?.dkim_records)).toEqual([1, 2, 3].map((index) => `REQUIRED token${index}10._domainkey.other.test 3600 CNAME token${index}10.dkim.amazonses.com`));
    expect(lines(validation?.mail_from_records)).toEqual([
      'RECOMMENDED bounce.other.test 3600 MX 10 feedback-smtp.us-east-1.amazonses.com', 'RECOMMENDED bounce.other.test 3600 TXT v=spf1 include:amazonses.com ~all',
    ]);
    expect(lines([validation?.mx_record, validation?.spf_record, validation?.dmarc_record])).toEqual([
      'REQUIRED other.test 3600 MX 10 inbound-smtp.us-east-1.amazonaws.com', 'RECOMMENDED other.test 3600 TXT v=spf1 include:amazonses.com ~all',
      'RECOMMENDED _dmarc.other.test 3600 TXT v=DMARC1; p=none; rua=mailto:dmarc@other.test',
    ]);
    expect(lines(validation?.autodiscovery_records)).toEqual(['RECOMMENDED _jmap._tcp.other.test 3600 SRV 0 0 443 jmap.example.test']);
    expect(validation).toMatchObject({ required_valid: false, recommended_valid: false, mx_record: { exists: false, valid: false } });
  });

  test('GetDomainVerification is another name of it', async () => {
    const { id } = await add('other.test');
    expect((await api.ok('/domains/GetDomainVerification', { domain_id: id }))['domain']).toEqual(await get(id, true));
  });

  test('once public DNS says what it should, everything is valid', async () => {
    const { id } = await add('other.test', { receive_enabled: true });
    const { dns_validation: wanted } = await get(id, true);
    const records = [...wanted?.dkim_records ?? [], ...wanted?.mail_from_records ?? [], wanted?.mx_record, wanted?.spf_record, wanted?.dmarc_record, ...wanted?.autodiscovery_records ?? []].filter((record) => record !== undefined);
    for (const { name, record_type: type, value } of records) api.dns.set(name, type as 'TXT', value);
    const { dns_validation: validation } = await get(id, true);
    expect(validation).toMatchObject({ required_valid: true, recommended_valid: true, mx_record: { exists: true, valid: true } });
  });

  test('while DNS can not be asked nothing is valid, and the domain is still shown', async () => {
    const { id } = await add('other.test');
    api.dns.fail();
    expect(await get(id, true)).toMatchObject({ domain: 'other.test', dns_validation: { required_valid: false, recommended_valid: false } });
  });
});

describe('ListDomains', () => {
  test('pages, and shows the standing of each', async () => {
    for (const name of ['a.test', 'b.test', 'c.test']) await add(name);
    api.emailProvider.verify('b.test');
    const first = await api.ok('/domains/ListDomains', { page_size: 2 });
    const second = await api.ok('/domains/ListDomains', { page_size: 2, page_token: first['next_page_token'] });
    const all = [...first['domains'] as Domain[], ...second['domains'] as Domain[]];
    expect(Object.fromEntries(all.map(({ domain, verification_status: status }) => [domain, status]))).toEqual({ 'a.test': 'PENDING', 'b.test': 'SUCCESS', 'c.test': 'PENDING' });
    expect(second['next_page_token']).toBe('');
  });

  test('asks the provider about what has settled only once an hour', async () => {
    await add('a.test');
    api.emailProvider.verify('a.test');
    const asked = () => api.emailProvider.calls['findDomain'] ?? 0;
    await api.ok('/domains/ListDomains');
    await api.ok('/domains/ListDomains');
    expect(asked()).toBe(1);
    now = new Date(now.getTime() + 3_600_001);
    await api.ok('/domains/ListDomains');
    expect(asked()).toBe(2);
  });

  test('shows what it knows while the provider can not be asked', async () => {
    await add('a.test');
    api.emailProvider.findDomain = async () => {
      throw Object.assign(new Error('Rate exceeded'), { name: 'TooManyRequestsException' });
    };
    expect((await api.ok('/domains/ListDomains'))['domains']).toMatchObject([{ domain: 'a.test', verification_status: 'PENDING' }]);
    const [{ id }] = (await api.ok('/domains/ListDomains'))['domains'] as [Domain];
    expect(await api.call('/domains/GetDomain', { id })).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  });
});

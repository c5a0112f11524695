import type { Domain } from '../../../../contract/admin/domains.ts';
import { InvalidInput } from '../../../../core/runtime/domain-errors.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi, adminApiPerTest } from '../../../support/admin-api.ts';
import { failingTable } from '../../../support/failing-table.ts';

const now = new Date('2026-11-21T08:38:00Z');
const api = adminApiPerTest({ clock: () => now });

const add = async (domain: string, settings: object = {}) => (await api.ok('/domains/AddDomain', { domain, ...settings }))['domain'] as Domain;
const get = async (id: string) => (await api.ok('/domains/GetDomain', { id }))['domain'] as Domain;

describe('AddDomain', () => {
  test('registers the domain with the provider and fills in the default settings', async () => {
    expect(await add('Other.Test')).toEqual({
      id: expect.stringMatching(/^dom_[A-Za-z0-9_-]{21}$/),
      domain: 'other.test',
      verification_status: 'PENDING',
      dkim_status: 'PENDING',
      dkim_enabled: true,
      mail_from_domain: 'bounce.other.test',
      send_enabled: true,
      receive_enabled: false,
      dmarc_enabled: true,
      dmarc_policy: 'NONE',
      spf_mode: 'CREATE_IF_MISSING',
      is_primary: false,
      adopted: false,
      role_mail: [],
      created_at: '2026-11-21T08:38:00.000Z',
      updated_at: '2026-11-21T08:38:00.000Z',
    });
    expect(await api.emailProvider.findDomain('other.test')).toMatchObject({ mail_from_domain: 'bounce.other.test' });
  });

  test('sets is_primary for the deployment’s own mail domain', async () => {
    expect(await add('example.test')).toMatchObject({ is_primary: true });
  });

  test('stores every given setting', async () => {
    const desired = {
      dmarc_policy: 'REJECT',
      dmarc_report_email: 'dmarc@example.test',
      send_enabled: false,
      receive_enabled: true,
      dmarc_enabled: false,
      spf_mode: 'FORCE_VALUE',
      spf_value: 'v=spf1 -all',
    };
    const { id } = await add('other.test', desired);
    expect(await get(id)).toMatchObject(desired);
  });

  test('has the alias CreateDomain', async () => {
    const { domain } = await api.ok('/domains/CreateDomain', { domain: 'other.test' });
    expect(domain).toEqual(await get((domain as Domain).id));
  });

  test.each(['other.test', 'OTHER.test'])('refuses %s when the domain exists, with already_exists', async (name) => {
    await add('other.test');
    expect(await api.call('/domains/AddDomain', { domain: name })).toMatchObject({ status: 409, body: { code: 'already_exists' } });
  });

  test('treats a U-label and its A-label as the same domain', async () => {
    expect(await add('bücher.test')).toMatchObject({ domain: 'xn--bcher-kva.test' });
    expect((await api.call('/domains/AddDomain', { domain: 'XN--BCHER-KVA.test' })).status).toBe(409);
  });

  test('of ten concurrent calls, one succeeds', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => api.call('/domains/AddDomain', { domain: 'other.test' })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    expect((await api.ok('/domains/ListDomains'))['domains']).toHaveLength(1);
  });

  test.each([
    ['FORCE_VALUE without spf_value', { spf_mode: 'FORCE_VALUE' }, 'spf_value is required with FORCE_VALUE'],
    ['an spf_value that is not an SPF policy', { spf_value: 'v=spf2 -all' }, 'spf_value must begin with v=spf1'],
    [
      'a name too long for its MAIL FROM subdomain',
      { domain: `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.tests` },
      'domain is too long for its MAIL FROM subdomain',
    ],
  ])('refuses %s before the domain is registered', async (_, more, message) => {
    expect(await api.call('/domains/AddDomain', { domain: 'other.test', ...more })).toMatchObject({ status: 400, body: { code: 'invalid_argument', message } });
    expect(api.emailProvider.calls['createDomain']).toBeUndefined();
  });

  test.each(['createDomain', 'setMailFrom', 'stopFeedbackForwarding'] as const)(
    'completes on the next call when the provider’s %s failed',
    async (operation) => {
      const { [operation]: real } = api.emailProvider;
      api.emailProvider[operation] = async () => {
        throw Object.assign(new Error('another operation is at work'), { name: 'ConcurrentModificationException', $fault: 'server' });
      };
      expect(await api.call('/domains/AddDomain', { domain: 'other.test' })).toMatchObject({ status: 503, body: { code: 'unavailable' } });
      expect((await api.ok('/domains/ListDomains'))['domains']).toEqual([]);
      Object.assign(api.emailProvider, { [operation]: real });
      expect(await add('other.test')).toMatchObject({ mail_from_domain: 'bounce.other.test' });
      expect((await api.ok('/domains/ListDomains'))['domains']).toHaveLength(1);
    },
  );

  describe('when something else registered the identity at SES', () => {
    const foreign = { verification_status: 'SUCCESS', mail_from_domain: 'mail.other.test' } as const;
    beforeEach(() => api.emailProvider.registerForeign('other.test', foreign));
    const identity = () => api.emailProvider.findDomain('other.test');

    test('is refused with failed_precondition that describes the identity, and changes nothing', async () => {
      const before = await identity();
      const { status, body } = await api.call('/domains/AddDomain', { domain: 'other.test' });
      expect([status, body.code]).toEqual([400, 'failed_precondition']);
      expect(body.message).toContain('verification SUCCESS, DKIM signing on, MAIL FROM mail.other.test');
      expect(body.message).toContain('adopt_existing');
      expect(await identity()).toEqual(before);
      expect(await api.directory.get({ pk: 'domain-name', sk: 'other.test' })).toBeUndefined();
      expect((await api.ok('/domains/ListDomains'))['domains']).toEqual([]);
    });

    test('uses the identity unchanged with adopt_existing', async () => {
      const before = await identity();
      const { id } = await add('other.test', { adopt_existing: true });
      expect(await get(id)).toMatchObject({ ...foreign, adopted: true });
      expect(await identity()).toEqual(before);
      expect(api.emailProvider.calls['setMailFrom']).toBeUndefined();
    });
  });

  test('disables reports of bounces by mail, because the sender gets those of the deployment', async () => {
    await add('other.test');
    expect(await api.emailProvider.findDomain('other.test')).toMatchObject({ forwardsFeedback: false });
  });

  test('registers a domain that SES does not have, also with adopt_existing', async () => {
    expect(await add('other.test', { adopt_existing: true })).toMatchObject({ adopted: false, mail_from_domain: 'bounce.other.test' });
  });

  test('removes the identity and releases the name when the provider refuses MAIL FROM', async () => {
    const refusal = new InvalidInput('the sending provider refuses this domain name');
    const refusing = jest.spyOn(api.emailProvider, 'setMailFrom').mockRejectedValue(refusal);
    expect(await api.call('/domains/AddDomain', { domain: 'other.test' })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
    expect(await api.emailProvider.findDomain('other.test')).toBeUndefined();
    expect(await api.directory.get({ pk: 'domain-name', sk: 'other.test' })).toBeUndefined();
    refusing.mockRestore();
    expect(await add('other.test')).toMatchObject({ adopted: false });
  });

  test('releases a name that the provider refuses, with invalid_argument', async () => {
    expect(await api.call('/domains/AddDomain', { domain: 'refused.test' })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
    expect(await api.directory.get({ pk: 'domain-name', sk: 'refused.test' })).toBeUndefined();
  });

  test.each([
    [0, 'before'],
    [0, 'after'],
    [1, 'before'],
    [1, 'after'],
  ] as const)('completes on the next call after a crash at write %d, %s it', async (write, when) => {
    const directory = failingTable(memoryTable());
    const crashing = await adminApi({ directory });
    directory.endProcessAtWrite(write, when);
    expect((await crashing.call('/domains/AddDomain', { domain: 'other.test' })).status).toBe(500);
    directory.recover();
    expect((await crashing.call('/domains/AddDomain', { domain: 'other.test' })).status).toBe(write === 1 && when === 'after' ? 409 : 200);
    expect((await crashing.ok('/domains/ListDomains'))['domains']).toMatchObject([{ domain: 'other.test', mail_from_domain: 'bounce.other.test' }]);
  });
});

import type { Domain } from '../../../../contract/admin/domains.ts';
import { addressesIn } from '../../../../core/directory/aliases/addresses.ts';
import { adminApiPerTest } from '../../../support/admin-api.ts';

let now = new Date('2026-11-21T08:38:00Z');
const api = adminApiPerTest({ clock: () => now });
beforeEach(() => {
  now = new Date('2026-11-21T08:38:00Z');
});

const add = async (domain: string, settings: object = {}) => (await api.ok('/domains/AddDomain', { domain, ...settings }))['domain'] as Domain;
const get = async (id: string) => (await api.ok('/domains/GetDomain', { id }))['domain'] as Domain;

describe('UpdateDomain', () => {
  test('changes the given settings and keeps the others', async () => {
    const { id, ...before } = await add('other.test', { dmarc_report_email: 'dmarc@other.test' });
    now = new Date('2026-11-21T09:00:00Z');
    const changes = { dmarc_policy: 'REJECT', receive_enabled: true, spf_mode: 'FORCE_VALUE', spf_value: 'v=spf1 -all' };
    const { domain } = await api.ok('/domains/UpdateDomain', { id, ...changes });
    expect(domain).toEqual({ id, ...before, ...changes, updated_at: '2026-11-21T09:00:00.000Z' });
    expect(await get(id)).toEqual(domain);
  });

  test('removes an optional setting that is given as an empty string', async () => {
    const { id } = await add('other.test', { dmarc_report_email: 'dmarc@other.test', spf_value: 'v=spf1 -all' });
    const { domain } = await api.ok('/domains/UpdateDomain', { id, dmarc_report_email: '' });
    expect(domain).not.toHaveProperty('dmarc_report_email');
    expect(domain).toMatchObject({ spf_value: 'v=spf1 -all' });
    await api.ok('/domains/UpdateDomain', { id, spf_value: '' });
    for (const field of ['dmarc_report_email', 'spf_value']) expect(await get(id)).not.toHaveProperty(field);
    expect(await api.auditLogs('domains/UpdateDomain')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ changes: [{ field: 'dmarc_report_email', old_value: 'dmarc@other.test' }] }),
        expect.objectContaining({ changes: [{ field: 'spf_value', old_value: 'v=spf1 -all' }] }),
      ]),
    );
  });

  test('refuses to remove a forced spf_value, and refuses null', async () => {
    const { id } = await add('other.test', { spf_mode: 'FORCE_VALUE', spf_value: 'v=spf1 -all', dmarc_report_email: 'dmarc@other.test' });
    expect(await api.call('/domains/UpdateDomain', { id, spf_value: '' })).toMatchObject({
      status: 400,
      body: { message: 'spf_value is required with FORCE_VALUE' },
    });
    expect(await api.call('/domains/UpdateDomain', { id, dmarc_report_email: null })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
    expect(await get(id)).toMatchObject({ spf_value: 'v=spf1 -all', dmarc_report_email: 'dmarc@other.test' });
    expect((await api.ok('/domains/UpdateDomain', { id, spf_value: '', spf_mode: 'OFF' }))['domain']).not.toHaveProperty('spf_value');
  });

  test('changes nothing when no setting is given', async () => {
    const { updated_at: _, ...before } = await add('other.test');
    expect((await api.ok('/domains/UpdateDomain', { id: before.id }))['domain']).toMatchObject(before);
  });

  test('returns the provider’s status at the time of the call', async () => {
    const { id } = await add('other.test');
    api.emailProvider.verify('other.test');
    expect((await api.ok('/domains/UpdateDomain', { id, dmarc_enabled: false }))['domain']).toMatchObject({ verification_status: 'SUCCESS' });
  });

  test('makes addresses of the domain receive mail while receive_enabled is set', async () => {
    const { id } = await add('other.test');
    await api.ok('/accounts/CreateAccount', { user_id: 'user_person', name: 'n', local_part: 'a', domain_id: id });
    const receivesMail = async () => (await addressesIn(api.directory).resolve(['a@other.test'])).size === 1;
    expect(await receivesMail()).toBe(false);
    await api.ok('/domains/UpdateDomain', { id, receive_enabled: true });
    expect(await receivesMail()).toBe(true);
    await api.ok('/domains/UpdateDomain', { id, receive_enabled: false });
    expect(await receivesMail()).toBe(false);
  });

  test.each([
    [{ spf_mode: 'FORCE_VALUE' }, 'spf_value is required with FORCE_VALUE'],
    [{ spf_value: 'v=spf2 -all' }, 'spf_value must begin with v=spf1'],
  ])('refuses %j and changes nothing', async (changes, message) => {
    const before = await add('other.test');
    expect(await api.call('/domains/UpdateDomain', { id: before.id, dmarc_policy: 'REJECT', ...changes })).toMatchObject({
      status: 400,
      body: { code: 'invalid_argument', message },
    });
    expect(await get(before.id)).toEqual(before);
  });

  test('accepts FORCE_VALUE with a stored spf_value', async () => {
    const { id } = await add('other.test', { spf_value: 'v=spf1 -all' });
    expect((await api.ok('/domains/UpdateDomain', { id, spf_mode: 'FORCE_VALUE' }))['domain']).toMatchObject({
      spf_mode: 'FORCE_VALUE',
      spf_value: 'v=spf1 -all',
    });
  });

  test('keeps the changes of several concurrent calls', async () => {
    const { id } = await add('other.test');
    const settings = [{ dmarc_policy: 'QUARANTINE' }, { receive_enabled: true }, { send_enabled: false }, { dmarc_enabled: false }];
    const answers = await Promise.all(settings.map((setting) => api.call('/domains/UpdateDomain', { id, ...setting })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await get(id)).toMatchObject(Object.assign({}, ...settings) as object);
  });

  test('refuses an unknown domain with not_found', async () => {
    expect(await api.call('/domains/UpdateDomain', { id: 'dom_unknown' })).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test('writes its changes and its failures to the audit log', async () => {
    const { id } = await add('other.test');
    await api.ok('/domains/UpdateDomain', { id, dmarc_policy: 'REJECT' });
    await api.call('/domains/UpdateDomain', { id, spf_mode: 'FORCE_VALUE' });
    expect(await api.auditLogs('domains/UpdateDomain')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          entity_id: id,
          entity_name: 'other.test',
          status: 'success',
          changes: [{ field: 'dmarc_policy', old_value: 'NONE', new_value: 'REJECT' }],
        }),
        expect.objectContaining({ entity_id: id, status: 'failure', error_msg: 'spf_value is required with FORCE_VALUE' }),
      ]),
    );
  });
});

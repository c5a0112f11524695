import type { Domain } from '../../../../contract/admin/domains.ts';
import { addressesIn } from '../../../../core/directory/addresses.ts';
import type { Table } from '../../../../core/storage/table.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi } from '../../../support/admin-api.ts';
import { failingTable } from '../../../support/failing-table.ts';

type Api = Awaited<ReturnType<typeof adminApi>>;
let now = new Date('2026-11-21T08:38:00Z');
let api: Api;
beforeEach(async () => {
  now = new Date('2026-11-21T08:38:00Z');
  api = await adminApi({ now: () => now });
});

const add = async (domain: string, more: object = {}, to: Api = api) => (await to.ok('/domains/AddDomain', { domain, ...more }))['domain'] as Domain;
const get = async (id: string) => (await api.ok('/domains/GetDomain', { id }))['domain'] as Domain;
const newAccount = (domain_id: string, local_part = 'a', to: Api = api) => ({ user_id: 'user_person', name: 'n', local_part, domain_id, to });
const createAccount = ({ to, ...request }: ReturnType<typeof newAccount>) => to.call('/accounts/CreateAccount', request);
const entries = async (operation: string) => (await api.ok('/audit/ListAuditLogs', { operation }))['audit_logs'] as object[];

describe('UpdateDomain', () => {
  test('changes what is given, and nothing else', async () => {
    const { id, ...before } = await add('other.test', { dmarc_report_email: 'dmarc@other.test' });
    now = new Date('2026-11-21T09:00:00Z');
    const wanted = { dmarc_policy: 'REJECT', receive_enabled: true, spf_mode: 'FORCE_VALUE', spf_value: 'v=spf1 -all' };
    const { domain } = await api.ok('/domains/UpdateDomain', { id, ...wanted });
    expect(domain).toEqual({ id, ...before, ...wanted, updated_at: '2026-11-21T09:00:00.000Z' });
    expect(await get(id)).toEqual(domain);
  });

  test('an empty text takes away what was given before', async () => {
    const { id } = await add('other.test', { dmarc_report_email: 'dmarc@other.test', spf_value: 'v=spf1 -all' });
    const { domain } = await api.ok('/domains/UpdateDomain', { id, dmarc_report_email: '' });
    expect(domain).not.toHaveProperty('dmarc_report_email');
    expect(domain).toMatchObject({ spf_value: 'v=spf1 -all' });
    await api.ok('/domains/UpdateDomain', { id, spf_value: '' });
    for (const field of ['dmarc_report_email', 'spf_value']) expect(await get(id)).not.toHaveProperty(field);
    expect(await entries('domains/UpdateDomain')).toEqual(expect.arrayContaining([
      expect.objectContaining({ changes: [{ field: 'dmarc_report_email', old_value: 'dmarc@other.test' }] }), expect.objectContaining({ changes: [{ field: 'spf_value', old_value: 'v=spf1 -all' }] }),
    ]));
  });

  test('a value that is forced can not be taken away, and null is no value', async () => {
    const { id } = await add('other.test', { spf_mode: 'FORCE_VALUE', spf_value: 'v=spf1 -all', dmarc_report_email: 'dmarc@other.test' });
    expect(await api.call('/domains/UpdateDomain', { id, spf_value: '' })).toMatchObject({ status: 400, body: { message: 'spf_value is required with FORCE_VALUE' } });
    expect(await api.call('/domains/UpdateDomain', { id, dmarc_report_email: null })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
    expect(await get(id)).toMatchObject({ spf_value: 'v=spf1 -all', dmarc_report_email: 'dmarc@other.test' });
    expect((await api.ok('/domains/UpdateDomain', { id, spf_value: '', spf_mode: 'OFF' }))['domain']).not.toHaveProperty('spf_value');
  });

  test('nothing given changes nothing', async () => {
    const { updated_at: _, ...before } = await add('other.test');
    expect((await api.ok('/domains/UpdateDomain', { id: before.id }))['domain']).toMatchObject(before);
  });

  test('shows what the provider says now', async () => {
    const { id } = await add('other.test');
    api.emailProvider.verify('other.test');
    expect((await api.ok('/domains/UpdateDomain', { id, dmarc_enabled: false }))['domain']).toMatchObject({ verification_status: 'SUCCESS' });
  });

  test('mail is taken as soon as receiving is enabled, and no longer than that', async () => {
    const { id } = await add('other.test');
    await createAccount(newAccount(id));
    const takesMail = async () => (await addressesIn(api.directory).resolve(['a@other.test'])).size === 1;
    expect(await takesMail()).toBe(false);
    await api.ok('/domains/UpdateDomain', { id, receive_enabled: true });
    expect(await takesMail()).toBe(true);
    await api.ok('/domains/UpdateDomain', { id, receive_enabled: false });
    expect(await takesMail()).toBe(false);
  });

  test.each([
    [{ spf_mode: 'FORCE_VALUE' }, 'spf_value is required with FORCE_VALUE'],
    [{ spf_value: 'v=spf2 -all' }, 'spf_value must begin with v=spf1'],
  ])('%j is refused, and changes nothing', async (wanted, message) => {
    const before = await add('other.test');
    expect(await api.call('/domains/UpdateDomain', { id: before.id, dmarc_policy: 'REJECT', ...wanted })).toMatchObject({ status: 400, body: { code: 'invalid_argument', message } });
    expect(await get(before.id)).toEqual(before);
  });

  test('FORCE_VALUE takes the value that was given before', async () => {
    const { id } = await add('other.test', { spf_value: 'v=spf1 -all' });
    expect((await api.ok('/domains/UpdateDomain', { id, spf_mode: 'FORCE_VALUE' }))['domain']).toMatchObject({ spf_mode: 'FORCE_VALUE', spf_value: 'v=spf1 -all' });
  });

  test('changes of many at once are all kept', async () => {
    const { id } = await add('other.test');
    const wishes = [{ dmarc_policy: 'QUARANTINE' }, { receive_enabled: true }, { send_enabled: false }, { dmarc_enabled: false }];
    const answers = await Promise.all(wishes.map((wish) => api.call('/domains/UpdateDomain', { id, ...wish })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await get(id)).toMatchObject(Object.assign({}, ...wishes) as object);
  });

  test('an unknown domain is not_found', async () => {
    expect(await api.call('/domains/UpdateDomain', { id: 'dom_unknown' })).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test('is in the audit log with what changed', async () => {
    const { id } = await add('other.test');
    await api.ok('/domains/UpdateDomain', { id, dmarc_policy: 'REJECT' });
    await api.call('/domains/UpdateDomain', { id, spf_mode: 'FORCE_VALUE' });
    expect(await entries('domains/UpdateDomain')).toEqual(expect.arrayContaining([
      expect.objectContaining({ entity_id: id, entity_name: 'other.test', status: 'success', changes: [{ field: 'dmarc_policy', old_value: 'NONE', new_value: 'REJECT' }] }),
      expect.objectContaining({ entity_id: id, status: 'failure', error_msg: 'spf_value is required with FORCE_VALUE' }),
    ]));
  });
});

describe('RemoveDomain', () => {
  test('takes the domain and its identity at the provider', async () => {
    const { id } = await add('other.test');
    expect(await api.ok('/domains/RemoveDomain', { id })).toEqual({});
    expect(await api.emailProvider.findDomain('other.test')).toBeUndefined();
    expect(await api.call('/domains/GetDomain', { id })).toMatchObject({ status: 404 });
    expect(await api.call('/domains/RemoveDomain', { id })).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await entries('domains/RemoveDomain')).toEqual(expect.arrayContaining([
      expect.objectContaining({ entity_id: id, entity_name: 'other.test', status: 'success', changes: [{ field: 'domain', old_value: 'other.test' }] }),
    ]));
  });

  test('its name can be added again', async () => {
    const { id } = await add('other.test');
    await api.ok('/domains/RemoveDomain', { id });
    expect(await add('other.test')).toMatchObject({ verification_status: 'PENDING', id: expect.not.stringMatching(id) });
  });

  test('is refused while accounts and aliases use it, and says how many do', async () => {
    const [{ id }, { id: elsewhere }] = [await add('other.test'), await add('elsewhere.test')];
    const { account_id } = (await createAccount(newAccount(id))).body['account'] as { account_id: string };
    const { alias_id } = (await api.ok('/aliases/CreateAlias', { account_id, local_part: 'b', domain_id: id }))['alias'] as { alias_id: string };
    await api.ok('/aliases/CreateAlias', { account_id, local_part: 'b', domain_id: elsewhere });
    const refused = (count: string) => ({ status: 400, body: { code: 'failed_precondition', message: `${count} of accounts and aliases ${count === '1 address' ? 'is' : 'are'} at this domain; delete them first` } });
    expect(await api.call('/domains/RemoveDomain', { id })).toMatchObject(refused('2 addresses'));
    await api.ok('/aliases/DeleteAlias', { alias_id });
    expect(await api.call('/domains/RemoveDomain', { id })).toMatchObject(refused('1 address'));
    expect(await get(id)).toMatchObject({ domain: 'other.test', send_enabled: true });
    expect(await api.emailProvider.findDomain('other.test')).toBeDefined();
  });

  test('racing CreateAccount, there is either the account or no domain', async () => {
    for (let round = 0; round < 20; round++) {
      const { id } = await add(`r${round}.test`);
      const [removed, ...created] = await Promise.all([
        api.call('/domains/RemoveDomain', { id }), ...['a', 'b', 'c'].map((local) => createAccount(newAccount(id, local))),
      ]);
      const made = created.filter(({ status }) => status === 200).length;
      const isThere = (await api.call('/domains/GetDomain', { id })).status === 200;
      expect({ isThere, removed: removed.status }).toEqual(made > 0 ? { isThere: true, removed: 400 } : { isThere: false, removed: 200 });
      expect(await api.emailProvider.findDomain(`r${round}.test`) !== undefined).toBe(isThere);
    }
  });

  test('an account that is made between the look and the first step keeps the domain', async () => {
    const stored = memoryTable();
    let beforeFirstStep: (() => Promise<unknown>) | undefined;
    const write: Table['write'] = async (writes) => {
      if (writes.some((each) => 'update' in each && each.set?.['state'] === 'removing')) {
        const somebodyElse = beforeFirstStep;
        beforeFirstStep = undefined;
        await somebodyElse?.();
      }
      await stored.write(writes);
    };
    const racing = await adminApi({ directory: { ...stored, write } });
    const { id } = await add('other.test', {}, racing);
    beforeFirstStep = () => createAccount(newAccount(id, 'a', racing));
    expect(await racing.call('/domains/RemoveDomain', { id })).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
    expect(await racing.ok('/accounts/ListAccounts')).toMatchObject({ accounts: [{ email: 'a@other.test' }] });
    expect(await racing.call('/domains/UpdateDomain', { id, dmarc_policy: 'REJECT' })).toMatchObject({ status: 200 });
    expect(await createAccount(newAccount(id, 'b', racing))).toMatchObject({ status: 200 });
  });

  test('of five at once one removes it', async () => {
    const { id } = await add('other.test');
    const answers = await Promise.all(Array.from({ length: 5 }, () => api.call('/domains/RemoveDomain', { id })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404, 404, 404]);
  });

  test.each([[0, 'before'], [0, 'after'], [1, 'before'], [1, 'after']] as const)('a crash %d, %s a write, is repaired by the next call', async (write, when) => {
    const directory = failingTable(memoryTable());
    const crashing = await adminApi({ directory });
    const { id } = await add('other.test', {}, crashing);
    directory.endProcessAtWrite(write, when);
    expect((await crashing.call('/domains/RemoveDomain', { id })).status).toBe(500);
    directory.recover();
    expect((await crashing.call('/domains/RemoveDomain', { id })).status).toBe(write === 1 && when === 'after' ? 404 : 200);
    expect((await crashing.ok('/domains/ListDomains'))['domains']).toEqual([]);
    expect(await crashing.emailProvider.findDomain('other.test')).toBeUndefined();
    await add('other.test', {}, crashing);
  });

  test('a provider that can not be asked leaves it to the next call; until then nothing is made with the domain', async () => {
    const { id } = await add('other.test');
    const busy = jest.spyOn(api.emailProvider, 'removeDomain').mockRejectedValue(Object.assign(new Error('Rate exceeded'), { name: 'TooManyRequestsException' }));
    expect(await api.call('/domains/RemoveDomain', { id })).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(await createAccount(newAccount(id))).toMatchObject({ status: 400, body: { message: 'the domain is being removed' } });
    for (const method of ['UpdateDomain', 'ApplyDomainRecords']) {
      expect(await api.call(`/domains/${method}`, { id })).toMatchObject({ status: 400, body: { code: 'failed_precondition', message: 'the domain is being removed' } });
    }
    busy.mockRestore();
    expect(await api.call('/domains/RemoveDomain', { id })).toMatchObject({ status: 200 });
  });
});

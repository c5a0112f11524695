import { addressesIn } from '../../../../core/directory/addresses.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi } from '../../../support/admin-api.ts';
import { failingTable } from '../../../support/failing-table.ts';

type Api = Awaited<ReturnType<typeof adminApi>>;
type Alias = { alias_id: string; email: string; is_primary: boolean };

let api: Api;
let domain_id: string;
let account_id: string;

const prepare = async (to: Api) => {
  const domain = (await to.ok('/domains/AddDomain', { domain: 'example.test', receive_enabled: true }))['domain'] as { id: string };
  const account = (await to.ok('/accounts/CreateAccount', { user_id: 'user_person', name: 'Alice', local_part: 'alice', domain_id: domain.id }))['account'] as { account_id: string };
  return { domain_id: domain.id, account_id: account.account_id };
};

beforeEach(async () => {
  api = await adminApi();
  ({ domain_id, account_id } = await prepare(api));
});

const create = (more: object = {}) => api.call('/aliases/CreateAlias', { account_id, local_part: 'sales', domain_id, ...more });
const created = async (more: object = {}) => (await create(more)).body['alias'] as Alias;
const update = (alias_id: string, more: object) => api.call('/aliases/UpdateAlias', { alias_id, ...more });
const remove = (alias_id: string) => api.call('/aliases/DeleteAlias', { alias_id });
const list = async (to = api) => (await to.ok('/aliases/ListAccountAliases', { account_id }))['aliases'] as Alias[];
const primary = async () => (await list()).find(({ is_primary }) => is_primary)!;
const accountOf = async (email: string, to = api) => (await addressesIn(to.directory).resolve([email])).get(email)?.accountId;
const silent = async (more: object) => ((await api.ok('/domains/AddDomain', { domain: 'silent.test', send_enabled: false, receive_enabled: true, ...more }))['domain'] as { id: string }).id;

describe('CreateAlias', () => {
  test('gives the account another address, which takes mail', async () => {
    const { alias } = (await create({ local_part: 'Sales', name: 'Sales team', reply_to: 'Help@Example.Test', bcc: 'archive@example.test', is_visible: false, can_send_from: true })).body;
    expect(alias).toEqual({
      alias_id: expect.stringMatching(/^alias_[A-Za-z0-9_-]{21}$/), account_id, email: 'sales@example.test', domain_id, is_primary: false, is_active: true, is_visible: false, can_send_from: true,
      name: 'Sales team', reply_to: 'help@example.test', bcc: 'archive@example.test', created_at: expect.any(String), updated_at: expect.any(String),
    });
    expect(await list()).toContainEqual(alias);
    expect(await list()).toHaveLength(2);
    expect(await accountOf('sales@example.test')).toBe(account_id);
  });

  test('made inactive it rejects mail', async () => {
    await create({ is_active: false });
    expect(await accountOf('sales@example.test')).toBeUndefined();
  });

  test.each([
    ['an unknown account', { account_id: 'acc_unknown' }, 404, 'not_found'],
    ['an id of another kind', { account_id: 'user_person' }, 404, 'not_found'],
    ['an unknown domain', { domain_id: 'dom_unknown' }, 404, 'not_found'],
    ['an address that is taken, in any case', { local_part: 'ALICE' }, 409, 'already_exists'],
  ])('%s is refused and changes nothing', async (_, more, status, code) => {
    expect(await create(more)).toMatchObject({ status, body: { code } });
    expect(await list()).toHaveLength(1);
    expect(await accountOf('sales@example.test')).toBeUndefined();
    expect((await api.ok('/audit/ListAuditLogs', { operation: 'aliases/' }))['audit_logs']).toMatchObject([{ action: 'aliases/CreateAlias', status: 'failure' }]);
  });

  test('sending from a domain that does not send is failed_precondition; receiving on it is not', async () => {
    const other = await silent({});
    expect(await create({ domain_id: other, can_send_from: true })).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
    expect((await create({ domain_id: other })).status).toBe(200);
  });

  test('of ten at once for one address one wins, and one is audited as made', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => create()));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    expect(await list()).toHaveLength(2);
    const logs = (await api.ok('/audit/ListAuditLogs', { operation: 'aliases/CreateAlias' }))['audit_logs'] as { status: string }[];
    expect(logs.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 9 }, () => 'failure'), 'success']);
  });

  test.each(['before', 'after'] as const)('a crash %s its write leaves all of it or nothing', async (when) => {
    const directory = failingTable(memoryTable());
    const crashing = await adminApi({ directory });
    const made = await prepare(crashing);
    directory.endProcessAtWrite(0, when);
    expect((await crashing.call('/aliases/CreateAlias', { ...made, local_part: 'sales' })).status).toBe(500);
    directory.recover();
    expect((await crashing.call('/aliases/CreateAlias', { ...made, local_part: 'sales' })).status).toBe(when === 'before' ? 200 : 409);
    expect(await accountOf('sales@example.test', crashing)).toBe(made.account_id);
  });
});

describe('UpdateAlias', () => {
  test('changes what is given and leaves the rest', async () => {
    const alias = await created({ name: 'Sales' });
    expect((await update(alias.alias_id, { is_visible: false, bcc: 'x@example.test' })).body['alias']).toEqual({ ...alias, is_visible: false, bcc: 'x@example.test', updated_at: expect.any(String) });
    expect(await list()).toContainEqual({ ...alias, is_visible: false, bcc: 'x@example.test', updated_at: expect.any(String) });
    expect((await api.ok('/audit/ListAuditLogs', { operation: 'aliases/UpdateAlias' }))['audit_logs']).toMatchObject([
      { entity_id: alias.alias_id, entity_name: 'sales@example.test', changes: [{ field: 'is_visible', old_value: 'true', new_value: 'false' }, { field: 'bcc', new_value: 'x@example.test' }] },
    ]);
  });

  test('an empty text takes away what was given before', async () => {
    const alias = await created({ name: 'Sales', reply_to: 'reply@example.test', bcc: 'x@example.test' });
    const { name: _, bcc: __, ...left } = alias as typeof alias & { name: string; bcc: string };
    expect((await update(alias.alias_id, { name: '', bcc: '' })).body['alias']).toEqual({ ...left, updated_at: expect.any(String) });
    expect(await list()).toContainEqual({ ...left, updated_at: expect.any(String) });
    expect((await update(alias.alias_id, { bcc: '' })).body['alias']).toMatchObject({ reply_to: 'reply@example.test' });
  });

  test('an inactive alias rejects mail, the primary one too, until it is active again', async () => {
    for (const { alias_id, email } of [await created(), await primary()]) {
      expect((await update(alias_id, { is_active: false })).status).toBe(200);
      expect(await accountOf(email)).toBeUndefined();
      expect((await update(alias_id, { is_active: true })).status).toBe(200);
      expect(await accountOf(email)).toBe(account_id);
    }
  });

  test('nothing to change is a success', async () => {
    const alias = await created();
    expect(await update(alias.alias_id, {})).toMatchObject({ status: 200, body: { alias } });
    expect(await update(alias.alias_id, { is_active: true })).toMatchObject({ status: 200, body: { alias } });
  });

  test('sending from a domain that does not send is failed_precondition', async () => {
    const alias = await created({ domain_id: await silent({}) });
    expect(await update(alias.alias_id, { can_send_from: true })).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
    expect((await update((await primary()).alias_id, { can_send_from: false })).status).toBe(200);
    expect((await update((await primary()).alias_id, { can_send_from: true })).status).toBe(200);
  });

  test('changes of different things at once are all made', async () => {
    const { alias_id, email } = await created();
    const answers = await Promise.all([{ is_visible: false }, { name: 'Sales' }, { is_active: false }, { can_send_from: true }].map((more) => update(alias_id, more)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await list()).find((alias) => alias.alias_id === alias_id)).toMatchObject({ is_visible: false, name: 'Sales', is_active: false, can_send_from: true });
    expect(await accountOf(email)).toBeUndefined();
  });
});

describe('DeleteAlias', () => {
  test('takes the address away, which is free then', async () => {
    const { alias_id } = await created();
    expect(await remove(alias_id)).toMatchObject({ status: 200, body: {} });
    expect(await accountOf('sales@example.test')).toBeUndefined();
    expect(await remove(alias_id)).toMatchObject({ status: 404, body: { code: 'not_found', message: 'there is no such alias' } });
    expect((await create()).status).toBe(200);
  });

  test('a primary alias goes only with its account', async () => {
    const { alias_id } = await primary();
    expect(await remove(alias_id)).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
    expect(await accountOf('alice@example.test')).toBe(account_id);
  });

  test('deleted and changed at once, nothing is left of it or all', async () => {
    for (let round = 0; round < 10; round++) {
      const { alias_id, email } = await created();
      await Promise.all([remove(alias_id), update(alias_id, { is_active: false }), remove(alias_id)]);
      expect(await list()).toHaveLength(1);
      expect(await api.directory.get({ pk: 'address', sk: email })).toBeUndefined();
      expect(await api.directory.get({ pk: 'alias', sk: alias_id })).toBeUndefined();
    }
  });
});

test.each(['UpdateAlias', 'DeleteAlias'])('%s of an unknown alias is not_found', async (method) => {
  for (const alias_id of ['alias_unknown', account_id]) {
    expect(await api.call(`/aliases/${method}`, { alias_id })).toMatchObject({ status: 404, body: { code: 'not_found', message: 'there is no such alias' } });
  }
});

test('the aliases of an unknown account are not_found', async () => {
  expect(await api.call('/aliases/ListAccountAliases', { account_id: 'acc_unknown' })).toMatchObject({ status: 404, body: { message: 'there is no such account' } });
});

import type { Group, GroupMember } from '../../../../contract/admin/aliases.ts';
import { mailFeedbackIn } from '../../../../core/sending/feedback/mail-feedback.ts';
import { createAccount, createUser } from '../../../support/admin-resources.ts';
import { aliasFixturePerTest } from './alias-fixture.ts';

const fixture = aliasFixturePerTest();

const call = (method: string, request: object) => fixture.api.call(`/aliases/${method}`, request);
const ok = (method: string, request: object) => fixture.api.ok(`/aliases/${method}`, request);
const create = async (local_part: string, fields: object = {}) =>
  (await ok('CreateGroup', { local_part, domain_id: fixture.domain_id, ...fields }))['group'] as Group;
const add = (group: Group, ...addresses: string[]) => call('AddGroupMembers', { group_id: group.group_id, addresses });
const group = async ({ group_id }: Group) => (await ok('GetGroup', { group_id }))['group'] as Group;
const members = async ({ group_id }: Group) => (await ok('ListGroupMembers', { group_id }))['members'] as GroupMember[];
const groupsOf = async (member_id: string) => ((await ok('ListGroupsOfMember', { member_id }))['groups'] as Group[]).map(({ email }) => email);
const find = (address: string) => fixture.api.ok('/accounts/FindAddress', { address });
const account = (local_part: string) => createAccount(fixture.api, { domain_id: fixture.domain_id, local_part, name: local_part });

describe('a group', () => {
  test('has an address, a name and its members, which FindAddress tells', async () => {
    const { account_id } = fixture;
    const sales = await create('Sales', { description: 'Customers', writers: 'PEOPLE_HERE' });
    expect(sales).toMatchObject({ email: 'sales@example.test', name: 'sales@example.test', description: 'Customers', writers: 'PEOPLE_HERE', member_count: 0 });
    expect(await find('sales@example.test')).toMatchObject({ kind: 'GROUP', group: sales, receivers: [], incoming: 'REFUSED_NO_MEMBERS' });
    expect((await add(sales, 'Alice@example.test', 'alice@example.test')).body).toMatchObject({
      group: { member_count: 1 },
      members: [{ member_id: account_id, kind: 'ACCOUNT', email: 'alice@example.test' }],
    });
    expect(await members(sales)).toMatchObject([{ member_id: account_id, kind: 'ACCOUNT', email: 'alice@example.test' }]);
    expect(await groupsOf(account_id)).toEqual(['sales@example.test']);
    expect(await find('sales+spring@example.test')).toMatchObject({
      kind: 'GROUP',
      receivers: [{ account_id }],
      incoming: 'DELIVERED',
      outgoing: 'REFUSED_ADDRESS',
    });
    expect(await find('alice@example.test')).toMatchObject({ kind: 'ACCOUNT', receivers: [] });
    const changed = (await ok('UpdateGroup', { group_id: sales.group_id, name: 'Sales team', description: '', writers: 'ANYONE' }))['group'];
    expect(changed).toEqual({
      ...sales,
      name: 'Sales team',
      description: undefined,
      writers: 'ANYONE',
      member_count: 1,
      updated_at: expect.any(String) as string,
    });
  });

  test('is listed by address and by name, and found by words', async () => {
    await create('zebra', { name: 'All of Sales' });
    await create('ant', { name: 'Board' });
    const listed = async (request: object) => ((await ok('ListGroups', request))['groups'] as Group[]).map(({ email }) => email);
    expect(await listed({})).toEqual(['ant@example.test', 'zebra@example.test']);
    expect(await listed({ order_by: 'NAME' })).toEqual(['zebra@example.test', 'ant@example.test']);
    expect(await listed({ query: 'sales' })).toEqual(['zebra@example.test']);
    expect(await listed({ page_size: 1 })).toEqual(['ant@example.test']);
  });

  test('excludes the addresses of accounts, other groups and sign-ins, and is excluded by itself', async () => {
    const { domain_id, create: createAlias, api } = fixture;
    await create('sales');
    await createUser(api, 'signs-in@example.test');
    for (const [method, local_part] of [
      ['CreateGroup', 'sales'],
      ['CreateGroup', 'alice'],
      ['CreateGroup', 'signs-in'],
    ] as const) {
      expect(await call(method, { local_part, domain_id })).toMatchObject({ status: 409, body: { code: 'already_exists' } });
    }
    expect(await createAlias({ local_part: 'sales' })).toMatchObject({ status: 409, body: { code: 'already_exists' } });
    for (const email of ['sales@example.test', 'sales+me@example.test']) {
      expect(await api.call('/users/CreateUser', { email })).toMatchObject({ status: 409, body: { code: 'already_exists' } });
    }
    const { user_id } = await createUser(api, 'ted@elsewhere.test');
    expect(await api.call('/users/ChangeSignInAddress', { user_id, email: 'sales@example.test' })).toMatchObject({ status: 409 });
    expect(await api.directory.query({ pk: 'user-email', prefix: 'sales' })).toEqual([]);
  });

  test('keeps its domain from being removed', async () => {
    const { api, domain_id } = fixture;
    await create('sales');
    expect((await api.call('/domains/RemoveDomain', { id: domain_id })).body.message).toContain('2 addresses');
  });

  test('loses members, and nothing else when somebody is no member', async () => {
    const { account_id } = fixture;
    const sales = await create('sales');
    await add(sales, 'alice@example.test');
    for (const _ of [1, 2])
      expect((await ok('RemoveGroupMembers', { group_id: sales.group_id, member_ids: [account_id, 'acc_x'] }))['group']).toMatchObject({ member_count: 0 });
    expect([await members(sales), await groupsOf(account_id)]).toEqual([[], []]);
  });

  test('takes no addresses at a domain that receives here which nobody has, and then none of the others', async () => {
    const sales = await create('sales');
    expect(await add(sales, 'alice@example.test', 'nobody@example.test', 'nor@example.test', 'ann@elsewhere.test')).toMatchObject({
      status: 400,
      body: { code: 'failed_precondition', message: 'no account and no group here has nobody@example.test, nor@example.test' },
    });
    expect(await members(sales)).toEqual([]);
    expect((await call('AddGroupMembers', { group_id: 'group_x', addresses: ['alice@example.test'] })).status).toBe(404);
  });

  test('has members outside, each once in any spelling, also such that begin like ids', async () => {
    const { account_id } = fixture;
    const sales = await create('sales');
    const addresses = ['Ann@elsewhere.test', 'ann@ELSEWHERE.test', 'group_ann@elsewhere.test', 'alice@example.test'];
    expect((await add(sales, ...addresses)).body).toMatchObject({ group: { member_count: 3 } });
    expect(await members(sales)).toMatchObject([
      { member_id: account_id, kind: 'ACCOUNT' },
      { member_id: 'ann@elsewhere.test', kind: 'OUTSIDE', email: 'ann@elsewhere.test' },
      { member_id: 'group_ann@elsewhere.test', kind: 'OUTSIDE' },
    ]);
    expect(await find('sales@example.test')).toMatchObject({
      receivers: [{ account_id, email: 'alice@example.test' }, { email: 'ann@elsewhere.test' }, { email: 'group_ann@elsewhere.test' }],
      incoming: 'DELIVERED',
    });
    expect(await groupsOf('ann@elsewhere.test')).toEqual(['sales@example.test']);
    const bounce = { bounce_type: 'Permanent', bounce_sub_type: 'General' };
    const of = { type: 'BOUNCE', message_class: 'TRANSACTIONAL', recipient: 'ann@elsewhere.test', identity_id: 'dom_x' } as const;
    const timestamp = new Date().toISOString();
    await mailFeedbackIn(fixture.api.sending).add({ ...of, id: 'f', timestamp, provider_message_id: 'm', bounce_metadata: bounce }, new Date());
    expect((await members(sales)).map(({ paused_reason: reason }) => reason)).toEqual([undefined, 'mail to this recipient bounced for good', undefined]);
    await ok('RemoveGroupMembers', { group_id: sales.group_id, member_ids: ['ann@elsewhere.test'] });
    expect((await group(sales)).member_count).toBe(2);
  });

  test('is deleted with its memberships: its address is free at once', async () => {
    const { account_id, create: createAlias } = fixture;
    const [sales, all] = [await create('sales'), await create('all')];
    await add(sales, 'alice@example.test');
    await add(all, 'sales@example.test');
    await ok('DeleteGroup', { group_id: sales.group_id });
    expect([await groupsOf(account_id), await members(all), (await group(all)).member_count]).toEqual([[], [], 0]);
    expect((await call('GetGroup', { group_id: sales.group_id })).status).toBe(404);
    expect((await call('DeleteGroup', { group_id: sales.group_id })).status).toBe(404);
    expect((await createAlias({ local_part: 'sales' })).status).toBe(200);
  });

  test('has each member once, and the right number, when calls overlap', async () => {
    const [sales, accounts] = [await create('sales'), await Promise.all(['a', 'b', 'c', 'd'].map(account))];
    await Promise.all([
      add(sales, 'a@example.test', 'b@example.test'),
      add(sales, 'b@example.test', 'c@example.test'),
      add(sales, 'c@example.test', 'd@example.test'),
      call('RemoveGroupMembers', { group_id: sales.group_id, member_ids: [accounts[0]!.account_id] }),
      call('UpdateGroup', { group_id: sales.group_id, name: 'Sales' }),
    ]);
    const [found, { member_count, name }] = [await members(sales), await group(sales)];
    expect([new Set(found.map(({ member_id }) => member_id)).size, member_count, name]).toEqual([found.length, found.length, 'Sales']);
    for (const { account_id } of accounts) expect((await groupsOf(account_id)).length).toBe(found.some(({ member_id }) => member_id === account_id) ? 1 : 0);
  });

  test('is audited: what changed, and who was added and removed', async () => {
    const { account_id, auditLogs } = fixture;
    const sales = await create('sales');
    await add(sales, 'alice@example.test');
    await ok('RemoveGroupMembers', { group_id: sales.group_id, member_ids: [account_id] });
    await ok('DeleteGroup', { group_id: sales.group_id });
    for (const [method, entry] of [
      ['CreateGroup', {}],
      ['AddGroupMembers', { metadata: { added: account_id }, changes: [{ field: 'member_count', old_value: '0', new_value: '1' }] }],
      ['RemoveGroupMembers', { metadata: { removed: account_id } }],
      ['DeleteGroup', {}],
    ] as const) {
      expect(await auditLogs(`aliases/${method}`)).toMatchObject([
        { status: 'success', entity_id: sales.group_id, entity_name: 'sales@example.test', ...entry },
      ]);
    }
  });
});

describe('groups in groups', () => {
  const nested = async () => {
    const [one, two, three, four] = [await create('one'), await create('two'), await create('three'), await create('four')];
    await add(one, 'two@example.test');
    await add(two, 'three@example.test');
    return { one, two, three, four };
  };

  test('give the mail of the outer one to the members of the inner ones, each once', async () => {
    const { account_id } = fixture;
    const { one, two, three } = await nested();
    const { account_id: bob } = await account('bob');
    await add(three, 'alice@example.test', 'bob@example.test');
    await add(one, 'alice@example.test');
    expect(await find('one@example.test')).toMatchObject({ receivers: [{ account_id }, { account_id: bob, email: 'bob@example.test' }] });
    expect(await members(two)).toMatchObject([{ member_id: three.group_id, kind: 'GROUP', email: 'three@example.test' }]);
    expect(await groupsOf(two.group_id)).toEqual(['one@example.test']);
  });

  test.each<[string, string, RegExp]>([
    ['one', 'one', /of itself/],
    ['three', 'one', /of itself/],
    ['two', 'one', /of itself/],
    ['three', 'four', /at most 3 levels/],
    ['four', 'one', /at most 3 levels/],
  ])('into %s does not go %s', async (into, added, message) => {
    const groups = await nested();
    const { status, body } = await add(groups[into as 'one'], `${added}@example.test`);
    expect([status, body.message]).toEqual([400, expect.stringMatching(message)]);
    expect((await add(groups.one, 'four@example.test')).status).toBe(200);
  });
});

describe('the membership of an account that is deleted', () => {
  test('receives nothing, and is there again when the account is restored', async () => {
    const { api } = fixture;
    const [sales, { account_id }] = [await create('sales'), await account('bob')];
    await add(sales, 'bob@example.test');
    await api.ok('/accounts/DeleteAccount', { account_id });
    expect(await find('sales@example.test')).toMatchObject({ receivers: [], incoming: 'REFUSED_NO_MEMBERS' });
    expect(await members(sales)).toEqual([{ member_id: account_id, kind: 'ACCOUNT', added_at: expect.any(String) as string }]);
    await api.ok('/accounts/RestoreAccount', { account_id });
    expect(await find('sales@example.test')).toMatchObject({ receivers: [{ account_id }] });
  });
});

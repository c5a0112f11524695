import type { Group } from '../../../../contract/admin/aliases.ts';
import { isAboutAddress, sendingRightsIn, sendRefusalText, type Sender, type SendRefusal } from '../../../../core/directory/aliases/may-send.ts';
import type { Key, Table, Write } from '../../../../core/storage/table.ts';
import { aliasFixture } from '../../../lambdas/admin/aliases/alias-fixture.ts';
import { perTest } from '../../../support/per-test.ts';

const fixture = perTest(() => aliasFixture());
const sender = perTest(() => ({ accountId: fixture.account_id, principalId: 'user_person', email: 'alice@example.test' }));

const refusal = async (fields: Partial<Sender> = {}) => (await sendingRightsIn(fixture.api.directory).refusals([{ ...sender, ...fields }]))[0];

describe('a sender', () => {
  test('may send from the primary address of the account in any letter case', async () => {
    expect(await refusal()).toBeUndefined();
    expect(await refusal({ email: 'Alice@EXAMPLE.test' })).toBeUndefined();
  });

  test('may send from an alias while it has can_send_from', async () => {
    const { created, update } = fixture;
    const { alias_id } = await created({ can_send_from: true });
    expect(await refusal({ email: 'sales@example.test' })).toBeUndefined();
    await update(alias_id, { can_send_from: false });
    expect(await refusal({ email: 'sales@example.test' })).toBe('receive-only-address');
    await update(alias_id, { can_send_from: true });
    expect(await refusal({ email: 'sales@example.test' })).toBeUndefined();
  });

  test('needs only a permitted address when it is the account itself', async () => {
    const { created, update } = fixture;
    const { alias_id } = await created({ can_send_from: true });
    const own = { principalId: undefined, email: 'sales@example.test' };
    expect(await refusal(own)).toBeUndefined();
    await update(alias_id, { can_send_from: false });
    expect(await refusal(own)).toBe('receive-only-address');
    expect(await refusal({ ...own, accountId: 'acc_unknown' })).toBe('no-account');
  });

  test('may not send from an address that is inactive, deleted, unknown, or of another account', async () => {
    const { api, created, update, remove, domain_id } = fixture;
    const { alias_id } = await created({ can_send_from: true });
    await update(alias_id, { is_active: false });
    expect(await refusal({ email: 'sales@example.test' })).toBe('inactive-address');
    await remove(alias_id);
    expect(await refusal({ email: 'sales@example.test' })).toBe('no-address-of-account');
    await api.ok('/accounts/CreateAccount', { user_id: 'user_admin', name: 'Bob', local_part: 'bob', domain_id });
    expect(await refusal({ email: 'bob@example.test' })).toBe('no-address-of-account');
    for (const email of ['', '@', 'alice', 'alice@', '@example.test', 'alice+x@example.test']) expect(await refusal({ email })).toBe('no-address-of-account');
  });

  test('may send from the address of a group that lets its members, as a member of the group itself', async () => {
    const { api, domain_id, account_id } = fixture;
    const request = { local_part: 'desk', domain_id, members_may_send: true };
    const { group_id } = (await api.ok('/aliases/CreateGroup', request))['group'] as Group;
    const outer = (await api.ok('/aliases/CreateGroup', { ...request, local_part: 'outer' }))['group'] as Group;
    const [desk, around] = [{ email: 'Desk@example.test' }, { email: 'outer@example.test' }];
    expect(await refusal(desk)).toBe('no-address-of-account');
    await api.ok('/aliases/AddGroupMembers', { group_id, addresses: ['alice@example.test'] });
    await api.ok('/aliases/AddGroupMembers', { group_id: outer.group_id, addresses: ['desk@example.test'] });
    expect([await refusal(desk), await refusal(around)]).toEqual([undefined, 'no-address-of-account']);
    expect(await refusal({ ...desk, principalId: 'user_admin' })).toBe('no-member');
    expect((await api.ok('/accounts/FindAddress', { address: 'desk@example.test' }))['outgoing']).toBe('SENT');
    await api.ok('/aliases/UpdateGroup', { group_id, members_may_send: false });
    expect(await refusal(desk)).toBe('receive-only-address');
    await api.ok('/aliases/UpdateGroup', { group_id, members_may_send: true });
    await api.ok('/domains/UpdateDomain', { id: domain_id, send_enabled: false });
    expect(await refusal(desk)).toBe('receive-only-domain');
    expect((await api.ok('/accounts/FindAddress', { address: 'desk@example.test' }))['outgoing']).toBe('REFUSED_DOMAIN');
    await api.ok('/domains/UpdateDomain', { id: domain_id, send_enabled: true });
    await api.ok('/aliases/RemoveGroupMembers', { group_id, member_ids: [account_id] });
    expect(await refusal(desk)).toBe('no-address-of-account');
    await api.ok('/aliases/AddGroupMembers', { group_id, addresses: ['alice@example.test'] });
    await api.ok('/aliases/DeleteGroup', { group_id });
    expect(await refusal(desk)).toBe('no-address-of-account');
  });

  test('may not send from a domain whose send_enabled is false', async () => {
    const { api, domain_id } = fixture;
    await api.ok('/domains/UpdateDomain', { id: domain_id, send_enabled: false });
    expect(await refusal()).toBe('receive-only-domain');
    await api.ok('/domains/UpdateDomain', { id: domain_id, send_enabled: true });
    expect(await refusal()).toBeUndefined();
  });

  test.each<[string, (key: { user: Key; member: Key }) => Write, SendRefusal]>([
    ['without a record', ({ user }) => ({ delete: user }), 'inactive-user'],
    ['whose membership has no role', ({ member }) => ({ update: member, remove: ['role'] }), 'read-only-member'],
    ['whose membership has an unknown role', ({ member }) => ({ update: member, set: { role: 'LIST' } }), 'read-only-member'],
  ])('may not send as a person %s', async (_, write, expected) => {
    const {
      api: { directory },
      account_id,
    } = fixture;
    const sk = 'user_person';
    await directory.write([write({ user: { pk: 'user', sk }, member: { pk: `account-member#${account_id}`, sk } })]);
    expect(await refusal()).toBe(expected);
  });

  test('may not send while inactive, nor after the deletion of the user', async () => {
    const { api } = fixture;
    await api.ok('/users/UpdateUser', { user_id: 'user_person', is_active: false });
    expect(await refusal()).toBe('inactive-user');
    await api.ok('/users/UpdateUser', { user_id: 'user_person', is_active: true });
    expect(await refusal()).toBeUndefined();
    await api.ok('/users/DeleteUser', { user_id: 'user_person' });
    expect(await refusal()).toBe('inactive-user');
  });

  test('may not send for an account without write access; a machine with write access may', async () => {
    const { api, account_id } = fixture;
    expect(await refusal({ principalId: 'user_admin' })).toBe('no-member');
    await api.ok('/accounts/PutAccountMember', { account_id, user_id: 'user_admin', role: 'READ' });
    expect(await refusal({ principalId: 'user_admin' })).toBe('read-only-member');
    await api.ok('/accounts/PutAccountMember', { account_id, user_id: 'user_admin', role: 'WRITE' });
    expect(await refusal({ principalId: 'user_admin' })).toBeUndefined();
    await api.ok('/accounts/PutAccountMember', { account_id, user_id: 'jmapheadless', role: 'WRITE' });
    expect(await refusal({ principalId: 'jmapheadless' })).toBeUndefined();
  });

  test('may not send for an account that is being removed', async () => {
    await fixture.api.ok('/accounts/DeleteAccount', { account_id: fixture.account_id });
    expect(await refusal()).toBe('no-account');
  });
});

test('senders are checked by one BatchGet', async () => {
  const reads: number[] = [];
  const counted: Pick<Table, 'batchGet'> = {
    batchGet: (keys) => {
      reads.push(keys.length);
      return fixture.api.directory.batchGet(keys);
    },
  };
  const rights = sendingRightsIn(counted);
  const both = [sender, { ...sender, principalId: 'user_admin' }];
  expect(await rights.refusals(both)).toEqual([undefined, 'no-member']);
  expect(reads).toEqual([7]);
});

test('each refusal has a sentence, and says whether it is about the address', () => {
  const refusals = Object.keys(sendRefusalText) as (keyof typeof sendRefusalText)[];
  for (const each of refusals) expect(sendRefusalText[each]).toMatch(/^[A-Z].*\.$/);
  expect(refusals.filter(isAboutAddress)).toEqual(['no-address-of-account', 'inactive-address', 'receive-only-address', 'receive-only-domain']);
});

import type { Alias } from '../../../../contract/admin/aliases.ts';
import { createAccount, createUser } from '../../../support/admin-resources.ts';
import { identityClient } from '../../../support/identity-client.ts';
import { perTest } from '../../../support/per-test.ts';
import { aliasFixturePerTest } from './alias-fixture.ts';

const fixture = aliasFixturePerTest();
const ted = perTest(() => createUser(fixture.api, 'ted@elsewhere.test'));
const team = perTest(() => createAccount(fixture.api, { domain_id: fixture.domain_id, local_part: 'team', name: 'Team', user_id: ted.user_id }));

const move = (alias_id: string, account_id = team.account_id) => fixture.api.call('/aliases/MoveAlias', { alias_id, account_id });
const aliasesOf = async (account_id: string) => (await fixture.api.ok('/aliases/ListAccountAliases', { account_id }))['aliases'] as Alias[];

describe('MoveAlias', () => {
  test('delivers the mail of the address to the other account, where it only receives', async () => {
    const { created, accountOf, list } = fixture;
    const { alias_id } = await created({ can_send_from: true, name: 'Alice at Sales', reply_to: 'desk@example.net', bcc: 'archive@example.net' });
    for (const _ of [1, 2]) {
      const { alias } = (await move(alias_id)).body as { alias: Alias };
      expect(alias).toEqual(expect.objectContaining({ alias_id, account_id: team.account_id, is_active: true, can_send_from: false }));
      expect([alias.name, alias.reply_to, alias.bcc]).toEqual(['Team', undefined, undefined]);
    }
    expect(await accountOf('sales@example.test')).toBe(team.account_id);
    expect((await list()).map(({ email }) => email)).toEqual(['alice@example.test']);
    expect((await aliasesOf(team.account_id)).map(({ email }) => email).sort()).toEqual(['sales@example.test', 'team@example.test']);
    expect(await fixture.api.directory.get({ pk: 'address', sk: 'sales@example.test' })).not.toHaveProperty('bcc');
  });

  test('takes the Identity from the former account, and back there the alias may get one again', async () => {
    const { api, account_id, created, update } = fixture;
    await api.ok('/accounts/PutAccountMember', { account_id: team.account_id, user_id: 'user_person', role: 'READ' });
    const [former, other] = [identityClient(api, account_id), identityClient(api, team.account_id)];
    const { alias_id } = await created({ can_send_from: true });
    const before = await former.state();
    await move(alias_id);
    expect(await former.call('Identity/changes', { sinceState: before })).toMatchObject({ created: [], updated: [], destroyed: [alias_id] });
    expect(await other.emails()).toEqual(['team@example.test']);
    expect((await update(alias_id, { can_send_from: true })).status).toBe(200);
    expect(await other.emails()).toContain('sales@example.test');
    await move(alias_id, account_id);
    await update(alias_id, { can_send_from: true });
    expect(await other.emails()).toEqual(['team@example.test']);
    expect(await former.emails()).toContain('sales@example.test');
  });

  test('rejects a primary alias, and names the method that makes another one primary', async () => {
    const { alias_id } = await fixture.primary();
    expect(await move(alias_id)).toMatchObject({
      status: 400,
      body: { code: 'failed_precondition', message: expect.stringContaining('aliases/SetPrimaryAlias') as string },
    });
  });

  test('rejects the sign-in address of another user than the owner of the account', async () => {
    const { api, created, accountOf, account_id } = fixture;
    const { alias_id } = await created({ local_part: 'ted', account_id: team.account_id });
    await api.ok('/users/ChangeSignInAddress', { user_id: ted.user_id, email: 'ted@example.test' });
    expect(await move(alias_id, account_id)).toMatchObject({ status: 409, body: { code: 'already_exists' } });
    expect(await accountOf('ted@example.test')).toBe(team.account_id);
  });

  test('to an account that is being removed is not_found', async () => {
    const { alias_id } = await fixture.created();
    await fixture.api.ok('/accounts/DeleteAccount', { account_id: team.account_id });
    expect(await move(alias_id)).toMatchObject({ status: 404, body: { message: 'there is no such account' } });
  });

  test('leaves the address with one account when it is moved, changed and deleted at once', async () => {
    const { created, update, remove, list, api, account_id } = fixture;
    for (let round = 0; round < 10; round++) {
      const { alias_id, email } = await created({ can_send_from: true });
      await Promise.all([move(alias_id), update(alias_id, { is_active: false }), move(alias_id, account_id), round % 2 ? remove(alias_id) : undefined]);
      const [address, record] = [await api.directory.get({ pk: 'address', sk: email }), await api.directory.get({ pk: 'alias', sk: alias_id })];
      const places = [...(await list()), ...(await aliasesOf(team.account_id))].filter((alias) => alias.email === email);
      expect(places.map((alias) => alias.account_id)).toEqual(record ? [record['account_id']] : []);
      expect(address?.['account_id']).toBe(record?.['account_id']);
      await remove(alias_id);
    }
  });

  test('is audited with both accounts', async () => {
    const { alias_id } = await fixture.created({ can_send_from: true });
    await move(alias_id);
    expect(await fixture.auditLogs('aliases/MoveAlias')).toMatchObject([
      {
        status: 'success',
        changes: [
          { field: 'account_id', old_value: fixture.account_id, new_value: team.account_id },
          { field: 'can_send_from', old_value: 'true', new_value: 'false' },
          { field: 'name', old_value: 'Alice', new_value: 'Team' },
        ],
      },
    ]);
  });
});

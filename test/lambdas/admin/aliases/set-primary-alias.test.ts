import type { Account } from '../../../../contract/admin/accounts.ts';
import { aliasFixturePerTest } from './alias-fixture.ts';

const fixture = aliasFixturePerTest();

const setPrimary = (alias_id: string) => fixture.api.call('/aliases/SetPrimaryAlias', { alias_id });
const account = async () => (await fixture.api.ok('/accounts/GetAccount', { account_id: fixture.account_id }))['account'] as Account;

describe('SetPrimaryAlias', () => {
  test('makes the alias the address of the account, and the former one can be deleted', async () => {
    const { created, primary, remove, list, accountOf, account_id } = fixture;
    const [former, { alias_id }] = [await primary(), await created()];
    for (const _ of [1, 2]) expect(await setPrimary(alias_id)).toMatchObject({ status: 200, body: { alias: { alias_id, is_primary: true } } });
    expect(await account()).toMatchObject({ email: 'sales@example.test' });
    expect((await list()).map((each) => [each.email, each.is_primary])).toEqual(
      expect.arrayContaining([
        ['alice@example.test', false],
        ['sales@example.test', true],
      ]),
    );
    expect(await accountOf('alice@example.test')).toBe(account_id);
    expect(await remove(alias_id)).toMatchObject({ status: 400, body: { message: expect.stringContaining('SetPrimaryAlias') as string } });
    expect(await remove(former.alias_id)).toMatchObject({ status: 200 });
    expect(await list()).toMatchObject([{ alias_id, is_primary: true }]);
  });

  test('is audited with the change', async () => {
    const { created, auditLogs } = fixture;
    await setPrimary((await created()).alias_id);
    expect(await auditLogs('aliases/SetPrimaryAlias')).toMatchObject([
      { status: 'success', entity_name: 'sales@example.test', changes: [{ field: 'is_primary', old_value: 'false', new_value: 'true' }] },
    ]);
  });

  test('leaves one primary alias, the account’s address, when called for two aliases at once', async () => {
    const { created, list } = fixture;
    const [one, two] = [await created(), await created({ local_part: 'desk' })];
    for (let round = 0; round < 10; round++) {
      await Promise.all([setPrimary(one.alias_id), setPrimary(two.alias_id)]);
      const primaries = (await list()).filter(({ is_primary: isPrimary }) => isPrimary);
      expect(primaries).toMatchObject([{ email: (await account()).email }]);
    }
  });
});

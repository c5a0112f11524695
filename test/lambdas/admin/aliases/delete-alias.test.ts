import { aliasFixturePerTest } from './alias-fixture.ts';

const fixture = aliasFixturePerTest();

describe('DeleteAlias', () => {
  test('deletes the address, which can then be used again', async () => {
    const { create, created, remove, accountOf } = fixture;
    const { alias_id } = await created();
    expect(await remove(alias_id)).toMatchObject({ status: 200, body: {} });
    expect(await accountOf('sales@example.test')).toBeUndefined();
    expect(await remove(alias_id)).toMatchObject({ status: 404, body: { code: 'not_found', message: 'there is no such alias' } });
    expect((await create()).status).toBe(200);
  });

  test('rejects a primary alias, with failed_precondition', async () => {
    const { account_id, remove, primary, accountOf } = fixture;
    const { alias_id } = await primary();
    expect(await remove(alias_id)).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
    expect(await accountOf('alice@example.test')).toBe(account_id);
  });

  test('leaves no data of an alias that is updated concurrently', async () => {
    const { created, update, remove, list } = fixture;
    for (let round = 0; round < 10; round++) {
      const { alias_id, email } = await created();
      await Promise.all([remove(alias_id), update(alias_id, { is_active: false }), remove(alias_id)]);
      expect(await list()).toHaveLength(1);
      expect(await fixture.api.directory.get({ pk: 'address', sk: email })).toBeUndefined();
      expect(await fixture.api.directory.get({ pk: 'alias', sk: alias_id })).toBeUndefined();
    }
  });

  test('of an unknown alias is not_found', async () => {
    const { account_id, remove } = fixture;
    for (const alias_id of ['alias_unknown', account_id]) {
      expect(await remove(alias_id)).toMatchObject({ status: 404, body: { code: 'not_found', message: 'there is no such alias' } });
    }
  });
});

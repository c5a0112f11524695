import { addressesIn } from '../../../../core/directory/aliases/addresses.ts';
import { aliasFixturePerTest } from './alias-fixture.ts';

const fixture = aliasFixturePerTest();

describe('UpdateAlias', () => {
  test('changes the given fields only', async () => {
    const { created, update, list, auditLogs } = fixture;
    const alias = await created({ name: 'Sales' });
    const changed = { ...alias, is_visible: false, bcc: 'x@example.test', updated_at: expect.any(String) };
    expect((await update(alias.alias_id, { is_visible: false, bcc: 'x@example.test' })).body['alias']).toEqual(changed);
    expect(await list()).toContainEqual(changed);
    expect(await auditLogs('aliases/UpdateAlias')).toMatchObject([
      {
        entity_id: alias.alias_id,
        entity_name: 'sales@example.test',
        changes: [
          { field: 'is_visible', old_value: 'true', new_value: 'false' },
          { field: 'bcc', new_value: 'x@example.test' },
        ],
      },
    ]);
  });

  test('an empty name, reply_to or bcc removes the stored value', async () => {
    const { created, update, list } = fixture;
    const alias = await created({ name: 'Sales', reply_to: 'reply@example.test', bcc: 'x@example.test' });
    const { name: _, bcc: __, ...remaining } = alias;
    expect((await update(alias.alias_id, { name: '', bcc: '' })).body['alias']).toEqual({ ...remaining, updated_at: expect.any(String) });
    expect(await list()).toContainEqual({ ...remaining, updated_at: expect.any(String) });
    expect((await update(alias.alias_id, { bcc: '' })).body['alias']).toMatchObject({ reply_to: 'reply@example.test' });
  });

  test('an inactive alias, also a primary one, receives no mail until it is active again', async () => {
    const { account_id, created, update, primary, accountOf } = fixture;
    for (const { alias_id, email } of [await created(), await primary()]) {
      expect((await update(alias_id, { is_active: false })).status).toBe(200);
      expect(await accountOf(email)).toBeUndefined();
      expect((await update(alias_id, { is_active: true })).status).toBe(200);
      expect(await accountOf(email)).toBe(account_id);
    }
  });

  test('without a change succeeds', async () => {
    const { created, update } = fixture;
    const alias = await created();
    expect(await update(alias.alias_id, {})).toMatchObject({ status: 200, body: { alias } });
    expect(await update(alias.alias_id, { is_active: true })).toMatchObject({ status: 200, body: { alias } });
  });

  test('rejects can_send_from at a domain without sending, with failed_precondition', async () => {
    const { created, update, primary, receiveOnlyDomain } = fixture;
    const alias = await created({ domain_id: await receiveOnlyDomain() });
    expect(await update(alias.alias_id, { can_send_from: true })).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
    expect((await update((await primary()).alias_id, { can_send_from: false })).status).toBe(200);
    expect((await update((await primary()).alias_id, { can_send_from: true })).status).toBe(200);
  });

  test('concurrent changes of different fields all succeed', async () => {
    const { created, update, list, accountOf } = fixture;
    const { alias_id, email } = await created();
    const changes = [{ is_visible: false }, { name: 'Sales' }, { is_active: false }, { can_send_from: true }];
    const responses = await Promise.all(changes.map((change) => update(alias_id, change)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await list()).find((alias) => alias.alias_id === alias_id)).toMatchObject(Object.assign({}, ...changes));
    expect(await accountOf(email)).toBeUndefined();
  });

  test('stores the bcc of an alias for deliveries', async () => {
    const { api, created, update } = fixture;
    const { alias_id, email } = await created({ bcc: 'archive@example.net' });
    const bcc = async () => (await addressesIn(api.directory).resolve([email])).get(email)?.bcc;
    expect(await bcc()).toBe('archive@example.net');
    await update(alias_id, { bcc: 'other@example.net', name: 'Sales' });
    expect(await bcc()).toBe('other@example.net');
    await update(alias_id, { name: 'Shop' });
    expect(await bcc()).toBe('other@example.net');
    await update(alias_id, { bcc: '' });
    expect(await bcc()).toBeUndefined();
  });

  test('of an unknown alias is not_found', async () => {
    const { account_id, update } = fixture;
    for (const alias_id of ['alias_unknown', account_id]) {
      expect(await update(alias_id, {})).toMatchObject({ status: 404, body: { code: 'not_found', message: 'there is no such alias' } });
    }
  });
});

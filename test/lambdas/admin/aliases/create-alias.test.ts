import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi } from '../../../support/admin-api.ts';
import { failingTable } from '../../../support/failing-table.ts';
import { aliasFixture, aliasFixturePerTest } from './alias-fixture.ts';

const fixture = aliasFixturePerTest();

describe('CreateAlias', () => {
  test('adds an address that receives mail', async () => {
    const { account_id, create, list, accountOf } = fixture;
    const { alias } = (
      await create({
        local_part: 'Sales',
        name: 'Sales team',
        reply_to: 'Help@Example.Test',
        bcc: 'archive@example.test',
        is_visible: false,
        can_send_from: true,
      })
    ).body;
    expect(alias).toEqual({
      alias_id: expect.stringMatching(/^alias_[A-Za-z0-9_-]{21}$/),
      account_id,
      email: 'sales@example.test',
      domain_id: fixture.domain_id,
      is_primary: false,
      is_active: true,
      is_visible: false,
      can_send_from: true,
      name: 'Sales team',
      reply_to: 'help@example.test',
      bcc: 'archive@example.test',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await list()).toContainEqual(alias);
    expect(await list()).toHaveLength(2);
    expect(await accountOf('sales@example.test')).toBe(account_id);
  });

  test('without a name takes the present name of the primary alias, and an explicit name wins', async () => {
    const { created, update, primary, auditLogs } = fixture;
    expect(await created()).toMatchObject({ name: 'Alice' });
    const [entry] = await auditLogs('aliases/CreateAlias');
    expect(entry).toMatchObject({ changes: expect.arrayContaining([expect.objectContaining({ field: 'name', new_value: 'Alice' })]) });
    const { alias_id } = await primary();
    await update(alias_id, { name: 'Alice Liddell' });
    expect(await created({ local_part: 'second' })).toMatchObject({ name: 'Alice Liddell' });
    expect(await created({ local_part: 'shop', name: 'Shop' })).toMatchObject({ name: 'Shop' });
    await update(alias_id, { name: '' });
    expect(await created({ local_part: 'third' })).not.toHaveProperty('name');
  });

  test('an inactive alias receives no mail', async () => {
    const { create, accountOf } = fixture;
    await create({ is_active: false });
    expect(await accountOf('sales@example.test')).toBeUndefined();
  });

  test('of another user’s sign-in address is already_exists; of the owner’s own it succeeds', async () => {
    const { api, create, list } = fixture;
    await api.ok('/users/CreateUser', { email: 'ben@example.test' });
    for (const local_part of ['ben', 'BEN', 'admin', 'deleted']) {
      expect(await create({ local_part })).toMatchObject({
        status: 409,
        body: { code: 'already_exists', message: expect.stringContaining('sign-in address') },
      });
    }
    expect(await list()).toHaveLength(1);
    expect(await create({ local_part: 'person' })).toMatchObject({ status: 200 });
  });

  test.each([
    ['an unknown account', { account_id: 'acc_unknown' }, 404, 'not_found'],
    ['the id of another kind of resource', { account_id: 'user_person' }, 404, 'not_found'],
    ['an unknown domain', { domain_id: 'dom_unknown' }, 404, 'not_found'],
    ['a taken address, compared case-insensitively,', { local_part: 'ALICE' }, 409, 'already_exists'],
  ])('rejects %s and changes nothing', async (_, fields, status, code) => {
    const { create, list, accountOf, auditLogs } = fixture;
    expect(await create(fields)).toMatchObject({ status, body: { code } });
    expect(await list()).toHaveLength(1);
    expect(await accountOf('sales@example.test')).toBeUndefined();
    expect(await auditLogs('aliases/')).toMatchObject([{ action: 'aliases/CreateAlias', status: 'failure' }]);
  });

  test('rejects can_send_from at a domain without sending, with failed_precondition', async () => {
    const { create, receiveOnlyDomain } = fixture;
    const domain_id = await receiveOnlyDomain();
    expect(await create({ domain_id, can_send_from: true })).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
    expect((await create({ domain_id })).status).toBe(200);
  });

  test('of ten concurrent calls for one address, one succeeds and is audited as a success', async () => {
    const { create, list, auditLogs } = fixture;
    const responses = await Promise.all(Array.from({ length: 10 }, () => create()));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    expect(await list()).toHaveLength(2);
    const logs = await auditLogs('aliases/CreateAlias');
    expect(logs.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 9 }, () => 'failure'), 'success']);
  });

  test.each(['before', 'after'] as const)('a crash %s the write leaves all of the alias or nothing', async (when) => {
    const directory = failingTable(memoryTable());
    const crashing = await aliasFixture(await adminApi({ directory }));
    directory.endProcessAtWrite(0, when);
    expect((await crashing.create()).status).toBe(500);
    directory.recover();
    expect((await crashing.create()).status).toBe(when === 'before' ? 200 : 409);
    expect(await crashing.accountOf('sales@example.test')).toBe(crashing.account_id);
  });
});

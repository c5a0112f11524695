import { sendingRightsIn } from '../../../../core/directory/aliases/may-send.ts';
import { WriteRefused, type Table } from '../../../../core/storage/table.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { aliasFixture } from '../../../lambdas/admin/aliases/alias-fixture.ts';
import { identitySync } from '../../../lambdas/identity-sync/identity-sync.ts';
import { adminApi, type AdminApi } from '../../../support/admin-api.ts';
import { contendedTable } from '../../../support/contended-table.ts';
import { identityClient } from '../../../support/identity-client.ts';

let fixture: Awaited<ReturnType<typeof aliasFixture>>;
let client: ReturnType<typeof identityClient>;
const begin = async (api?: AdminApi) => {
  fixture = await aliasFixture(api);
  client = identityClient(fixture.api, fixture.account_id);
};
beforeEach(() => begin());

const setSending = (send_enabled: boolean, id = fixture.domain_id) => fixture.api.ok('/domains/UpdateDomain', { id, send_enabled });
const mayAliceSend = async () =>
  (await sendingRightsIn(fixture.api.directory).refusals([{ accountId: fixture.account_id, principalId: 'user_person', email: 'alice@example.test' }]))[0] ===
  undefined;

describe('UpdateDomain', () => {
  test('hides the Identities of the domain’s addresses with send_enabled, in all accounts, and shows them again', async () => {
    const { api, created, domain_id, primary } = fixture;
    const { account } = await api.ok('/accounts/CreateAccount', { user_id: 'user_person', name: 'Other', local_part: 'other', domain_id });
    const other = identityClient(api, (account as { account_id: string }).account_id);
    await created({ can_send_from: true });
    await created({ local_part: 'inactive', can_send_from: true, is_active: false });
    const { alias_id } = await primary();
    await client.update(alias_id, { textSignature: 'Alice' });
    const elsewhere = await api.ok('/domains/AddDomain', { domain: 'other.test' });
    await created({ local_part: 'x', domain_id: (elsewhere['domain'] as { id: string }).id, can_send_from: true });
    await setSending(false);
    expect([await client.emails(), await other.emails(), await mayAliceSend()]).toEqual([['x@other.test'], [], false]);
    await setSending(true);
    expect([await client.emails(), await other.emails(), await mayAliceSend()]).toEqual([
      ['alice@example.test', 'sales@example.test', 'x@other.test'],
      ['other@example.test'],
      true,
    ]);
    expect((await client.list()).find(({ id }) => id === alias_id)).toMatchObject({ textSignature: 'Alice' });
    expect(await identitySync(api).tasks()).toEqual([]);
  });

  test('changes no Identity with any other setting, nor with the same send_enabled', async () => {
    const before = await client.state();
    await fixture.api.ok('/domains/UpdateDomain', { id: fixture.domain_id, dmarc_policy: 'REJECT', send_enabled: true, receive_enabled: false });
    expect(await client.state()).toBe(before);
  });

  test('of a domain with many addresses leaves the Identities to a task; until then its addresses can’t send', async () => {
    for (let i = 0; i < 20; i++) await fixture.created({ local_part: `a${i}`, can_send_from: true });
    await setSending(false);
    expect([(await client.list()).length, await mayAliceSend()]).toEqual([21, false]);
    const sync = identitySync(fixture.api);
    expect(await sync.tasks()).toEqual([fixture.domain_id]);
    await sync.run();
    expect([await client.list(), await sync.tasks()]).toEqual([[], ['all']]);
    await setSending(true);
    await setSending(false);
    await setSending(true);
    await sync.run();
    expect([(await client.list()).length, await sync.tasks()]).toEqual([21, ['all']]);
  });

  test('leaves missing Identities to a task', async () => {
    const { alias_id } = await fixture.primary();
    await setSending(false);
    await fixture.api.mail.write([{ delete: { pk: `${fixture.account_id}#identity`, sk: alias_id } }]);
    client = identityClient(fixture.api, fixture.account_id);
    await setSending(true);
    const sync = identitySync(fixture.api);
    expect(await sync.tasks()).toEqual([fixture.domain_id]);
    await sync.run();
    expect(await client.emails()).toEqual(['alice@example.test']);
  });

  test('leaves Identities to a task when other commits of their accounts were first three times', async () => {
    const directory = memoryTable();
    let conflicts = 0;
    const busy: Table = {
      ...directory,
      async write(writes) {
        const changesDomain = writes.some((write) => 'update' in write && write.update.pk === 'domain' && 'send_enabled' in (write.set ?? {}));
        if (changesDomain && writes.some((write) => 'update' in write && write.update.sk === 'HEAD')) {
          conflicts += 1;
          throw new WriteRefused([writes.length - 1], false);
        }
        return directory.write(writes);
      },
    };
    await begin(await adminApi({ directory: busy }));
    await setSending(false);
    expect([conflicts, await mayAliceSend(), await client.emails()]).toEqual([3, false, ['alice@example.test']]);
    const sync = identitySync({ ...fixture.api, directory });
    expect(await sync.tasks()).toEqual([fixture.domain_id]);
    await sync.run();
    expect(await client.emails()).toEqual([]);
  });

  test('allows the removal of a domain without addresses, which has no Identities', async () => {
    const { created, remove, api } = fixture;
    const { domain } = await api.ok('/domains/AddDomain', { domain: 'other.test' });
    const { id } = domain as { id: string };
    const { alias_id } = await created({ domain_id: id, can_send_from: true });
    await remove(alias_id);
    await api.ok('/domains/RemoveDomain', { id });
    expect(await client.emails()).toEqual(['alice@example.test']);
  });
});

test('concurrent UpdateDomain, CreateAlias, UpdateAlias and Identity/set end with the Identities of the last state', async () => {
  await begin(await adminApi({ directory: contendedTable(memoryTable()), mail: contendedTable(memoryTable()) }));
  const { created, update, list } = fixture;
  const { alias_id } = await created({ can_send_from: true });
  for (let round = 0; round < 4; round++) {
    const sends = round % 2 === 1;
    await Promise.all([
      setSending(sends),
      fixture.create({ local_part: `new${round}`, can_send_from: true }),
      update(alias_id, { is_active: sends, name: `Name ${round}` }),
      client.update((await fixture.primary()).alias_id, { textSignature: `Signature ${round}` }),
    ]);
    const expected = sends
      ? (await list())
          .filter((alias) => alias.is_active && alias.can_send_from)
          .map(({ email }) => email)
          .sort()
      : [];
    expect(await client.emails()).toEqual(expected);
  }
  expect(await identitySync(fixture.api).tasks()).toEqual([]);
});

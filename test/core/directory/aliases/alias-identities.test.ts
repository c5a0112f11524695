import type { Alias } from '../../../../contract/admin/aliases.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { aliasFixture } from '../../../lambdas/admin/aliases/alias-fixture.ts';
import { adminApi } from '../../../support/admin-api.ts';
import { contendedTable } from '../../../support/contended-table.ts';
import { identityClient } from '../../../support/identity-client.ts';

let fixture: Awaited<ReturnType<typeof aliasFixture>>;
let client: ReturnType<typeof identityClient>;
beforeEach(async () => {
  fixture = await aliasFixture();
  client = identityClient(fixture.api, fixture.account_id);
});

const signed = { textSignature: '-- \nSales' };
const sendingAlias = (fields: object = {}): Promise<Alias> => fixture.created({ can_send_from: true, ...fields });
const identityOf = async ({ alias_id }: Alias) => (await client.list()).find(({ id }) => id === alias_id);

describe('the Identities of an account', () => {
  test('begin with the Identity of the primary address, in the transaction of CreateAccount', async () => {
    const { alias_id } = await fixture.primary();
    expect(await client.list()).toEqual([
      { id: alias_id, email: 'alice@example.test', name: 'Alice', replyTo: null, bcc: null, textSignature: '', htmlSignature: '', mayDelete: false },
    ]);
  });

  test('have the name of the primary alias for an alias without a name, and none after UpdateAlias with an empty name', async () => {
    const alias = await sendingAlias();
    expect(await identityOf(alias)).toMatchObject({ email: 'sales@example.test', name: 'Alice' });
    await fixture.update(alias.alias_id, { name: '' });
    expect(await identityOf(alias)).toMatchObject({ name: '' });
  });

  test('include one with the name, reply_to and bcc of an alias that may send', async () => {
    const before = await client.state();
    const alias = await sendingAlias({ name: 'Sales', reply_to: 'desk@example.net', bcc: 'archive@example.net' });
    expect(await identityOf(alias)).toMatchObject({
      email: 'sales@example.test',
      name: 'Sales',
      replyTo: [{ name: null, email: 'desk@example.net' }],
      bcc: [{ name: null, email: 'archive@example.net' }],
      mayDelete: false,
    });
    expect(await client.call('Identity/changes', { sinceState: before })).toMatchObject({ created: [alias.alias_id], updated: [], destroyed: [] });
  });

  test.each([{ can_send_from: false }, { can_send_from: true, is_active: false }])('include none for an alias with %j', async (fields) => {
    const before = await client.state();
    await fixture.created(fields);
    expect(await client.emails()).toEqual(['alice@example.test']);
    expect(await client.state()).toBe(before);
  });

  test('include none when CreateAlias fails', async () => {
    await sendingAlias();
    const before = await client.state();
    expect((await fixture.create({ can_send_from: true })).status).toBe(409);
    expect((await fixture.create({ can_send_from: true, local_part: 'silent', domain_id: await fixture.receiveOnlyDomain() })).status).toBe(400);
    expect(await client.state()).toBe(before);
  });

  test('include one when an alias may send for the first time', async () => {
    const alias = await fixture.created({ name: 'Sales' });
    await fixture.update(alias.alias_id, { can_send_from: true });
    expect(await identityOf(alias)).toMatchObject({ name: 'Sales' });
  });

  test.each([
    [{ can_send_from: false }, { can_send_from: true }],
    [{ is_active: false }, { is_active: true }],
  ])('lose the Identity of an alias with %j, and get it back with its id and signature', async (change, back) => {
    const alias = await sendingAlias();
    await client.update(alias.alias_id, signed);
    const before = await client.state();
    await fixture.update(alias.alias_id, change);
    expect(await client.emails()).toEqual(['alice@example.test']);
    expect(await client.call('Identity/changes', { sinceState: before })).toMatchObject({ destroyed: [alias.alias_id] });
    await fixture.update(alias.alias_id, { name: 'Renamed meanwhile' });
    await fixture.update(alias.alias_id, back);
    expect(await identityOf(alias)).toMatchObject({ ...signed, name: 'Renamed meanwhile' });
  });

  test('disappear when the last address may not send, and return when it may', async () => {
    const { alias_id } = await fixture.primary();
    await client.update(alias_id, signed);
    await fixture.update(alias_id, { can_send_from: false });
    expect(await client.list()).toEqual([]);
    await fixture.update(alias_id, { can_send_from: true });
    expect(await client.list()).toMatchObject([{ id: alias_id, ...signed }]);
  });

  test('have the newest value of each field, from UpdateAlias or from Identity/set', async () => {
    const alias = await sendingAlias({ name: 'Sales', reply_to: 'desk@example.net', bcc: 'archive@example.net' });
    const own = { name: 'Ann', replyTo: null, bcc: [{ name: 'Ann', email: 'ann@example.net' }], ...signed };
    await client.update(alias.alias_id, own);
    await fixture.update(alias.alias_id, { is_visible: false, name: 'Sales' });
    expect(await identityOf(alias)).toMatchObject(own);
    await fixture.update(alias.alias_id, { name: 'Shop' });
    expect(await identityOf(alias)).toMatchObject({ ...own, name: 'Shop' });
    await fixture.update(alias.alias_id, { bcc: '', reply_to: 'shop@example.net' });
    expect(await identityOf(alias)).toMatchObject({ ...own, name: 'Shop', bcc: null, replyTo: [{ name: null, email: 'shop@example.net' }] });
  });

  test('do not change when UpdateAlias changes none of their properties', async () => {
    const alias = await sendingAlias({ name: 'Sales' });
    const before = await client.state();
    await fixture.update(alias.alias_id, {});
    await fixture.update(alias.alias_id, { is_visible: false, name: 'Sales', can_send_from: true });
    expect(await client.state()).toBe(before);
  });

  test('lose the Identities of a deleted alias, including those that clients created', async () => {
    const alias = await sendingAlias();
    await client.update(alias.alias_id, { name: 'Ann', ...signed });
    const made = await client.create({ email: 'sales@example.test', name: 'Support' });
    const other = await client.create({ email: 'alice@example.test' });
    const before = await client.state();
    expect((await fixture.remove(alias.alias_id)).status).toBe(200);
    expect((await client.list()).map(({ id }) => id)).toEqual([(await fixture.primary()).alias_id, other]);
    expect(await client.call('Identity/changes', { sinceState: before })).toMatchObject({ destroyed: [alias.alias_id, made].sort() });
    const again = await sendingAlias();
    expect(await identityOf(again)).toMatchObject({ email: 'sales@example.test', name: 'Alice', textSignature: '' });
  });

  test('are created for an alias of a release without Identities, when the alias is updated', async () => {
    const { alias_id } = await fixture.primary();
    await fixture.api.mail.write([{ delete: { pk: `${fixture.account_id}#identity`, sk: alias_id } }]);
    client = identityClient(fixture.api, fixture.account_id);
    await fixture.update(alias_id, { name: 'Ann' });
    expect(await client.list()).toMatchObject([{ id: alias_id, name: 'Ann' }]);
  });
});

test('an Identity/set and an UpdateAlias at the same time both take effect, in any order', async () => {
  const [directory, mail] = [contendedTable(memoryTable()), contendedTable(memoryTable())];
  fixture = await aliasFixture(await adminApi({ directory, mail }));
  client = identityClient(fixture.api, fixture.account_id);
  const { alias_id } = await fixture.primary();
  for (let round = 0; round < 5; round++) {
    const [update, set, other] = await Promise.all([
      fixture.update(alias_id, { name: `Name ${round}`, bcc: `bcc${round}@example.net` }),
      client.update(alias_id, { textSignature: `Signature ${round}` }),
      client.update(alias_id, { htmlSignature: `<b>${round}</b>` }),
    ]);
    expect([update.status, set['notUpdated'], other['notUpdated']]).toEqual([200, null, null]);
    expect(await client.list()).toMatchObject([
      { name: `Name ${round}`, bcc: [{ email: `bcc${round}@example.net` }], textSignature: `Signature ${round}`, htmlSignature: `<b>${round}</b>` },
    ]);
  }
});

test('UpdateAlias, DeleteAlias and Identity/set of one alias at the same time leave no Identity', async () => {
  const [directory, mail] = [contendedTable(memoryTable()), contendedTable(memoryTable())];
  fixture = await aliasFixture(await adminApi({ directory, mail }));
  client = identityClient(fixture.api, fixture.account_id);
  const { alias_id } = await sendingAlias();
  const [removed] = await Promise.all([
    fixture.remove(alias_id),
    fixture.update(alias_id, { name: 'x' }),
    client.update(alias_id, { name: 'y' }),
    client.call('Identity/set', { create: { c: { email: 'sales@example.test' } } }),
  ]);
  expect(removed.status).toBe(200);
  expect(await client.emails()).toEqual(['alice@example.test']);
});

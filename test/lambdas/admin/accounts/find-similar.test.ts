import type { Account, Similar } from '../../../../contract/admin/accounts.ts';
import type { Alias } from '../../../../contract/admin/aliases.ts';
import { slipsBetween } from '../../../../core/directory/similar.ts';
import { adminApi, type AdminApi } from '../../../support/admin-api.ts';
import { createAccount, createDomain } from '../../../support/admin-resources.ts';

let api: AdminApi;
let sales: Account;

beforeAll(async () => {
  api = await adminApi();
  const domains = [await createDomain(api, { domain: 'firm.example' }), await createDomain(api, { domain: 'shop.example.org' })];
  const users: Record<string, string> = {};
  for (const name of ['Zoë Quill', 'John Smith', 'Jane Smith', 'Gone Fischer', 'Idle Meyer']) {
    const email = `${name.split(' ')[1]!.toLowerCase()}.${name[0]!.toLowerCase()}${name[1]!.charCodeAt(0)}@elsewhere.test`;
    users[name] = ((await api.ok('/users/CreateUser', { email, display_name: name }))['user'] as { user_id: string }).user_id;
  }
  sales = await createAccount(api, { domain_id: domains[0]!, user_id: users['Zoë Quill'], name: 'Sales', local_part: 'sales001' });
  const closed = await createAccount(api, { domain_id: domains[0]!, user_id: users['John Smith'], name: 'Closed', local_part: 'fax' });
  const old = await api.ok('/aliases/CreateAlias', { account_id: sales.account_id, domain_id: domains[1], local_part: 'info' });
  await api.ok('/aliases/UpdateAlias', { alias_id: (old['alias'] as Alias).alias_id, is_active: false });
  await api.ok('/accounts/DeleteAccount', { account_id: closed.account_id });
  await api.ok('/users/DeleteUser', { user_id: users['Gone Fischer'] });
  await api.ok('/users/UpdateUser', { user_id: users['Idle Meyer'], is_active: false });
});

const find = async (query: string): Promise<Similar[]> => (await api.ok('/accounts/FindSimilar', { query }))['similar'] as Similar[];
const found = async (query: string) => (await find(query)).map(({ name, email, account_id: id, state }) => `${id ? email! : name} ${state}`);

test.each<[string, string[]]>([
  ['slaes001', ['sales001@firm.example ACTIVE']],
  ['sales01', ['sales001@firm.example ACTIVE']],
  ['ales001', ['sales001@firm.example ACTIVE']],
  ['SALES002@firm.example', ['sales001@firm.example ACTIVE']],
  ['sales001@fimr.example', ['sales001@firm.example ACTIVE']],
  ['saels001@fi', ['sales001@firm.example ACTIVE']],
  ['sales001@shop.example.org', ['sales001@firm.example ACTIVE']],
  ['info@firm.example', ['info@shop.example.org INACTIVE']],
  ['fax@firm.example', ['fax@firm.example DELETED']],
  ['fxa@firm.example', ['fax@firm.example DELETED']],
  ['zeo quill', ['Zoë Quill ACTIVE', 'info@shop.example.org INACTIVE', 'sales001@firm.example ACTIVE']],
  ['jhon smith', ['John Smith ACTIVE', 'fax@firm.example DELETED']],
  ['smiht', ['John Smith ACTIVE', 'Jane Smith ACTIVE', 'fax@firm.example DELETED']],
  ['fisher', ['Gone Fischer DELETED']],
  ['maier', []],
  ['mayer', ['Idle Meyer INACTIVE']],
  ['jhon quill', []],
  ['xy', []],
  ['…', []],
  ["'); --@", []],
])('FindSimilar of %j', async (query, expected) => {
  expect((await found(query)).toSorted()).toEqual(expected.toSorted());
});

test('FindSimilar names the account of an address, and the user of a name', async () => {
  expect(await find('sales02')).toEqual([{ name: 'Sales', email: 'sales001@firm.example', account_id: sales.account_id, state: 'ACTIVE' }]);
  expect((await find('quil'))[0]).toEqual({ name: 'Zoë Quill', email: 'quill.z111@elsewhere.test', user_id: expect.anything() as unknown, state: 'ACTIVE' });
});

test('FindSimilar takes a long text', async () => {
  expect(await find(`${'é'.repeat(90)}@${'x'.repeat(100)}`)).toEqual([]);
});

test.each([
  ['', 'abc', 3],
  ['abc', 'acb', 1],
  ['abcd', 'bacd', 1],
  ['abc', 'abc', 0],
  ['kitten', 'sitting', 3],
])('%j and %j have %d slips', (one, other, slips) => {
  expect([slipsBetween(one, other), slipsBetween(other, one)]).toEqual([slips, slips]);
});

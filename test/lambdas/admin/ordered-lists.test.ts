import type { Account } from '../../../contract/admin/accounts.ts';
import type { Alias } from '../../../contract/admin/aliases.ts';
import type { Domain } from '../../../contract/admin/domains.ts';
import type { User } from '../../../contract/admin/users.ts';
import { directoryPartitions } from '../../../contract/deployment/keys.ts';
import { listingWrites } from '../../../core/directory/listings.ts';
import { contentOf, type Item } from '../../../core/storage/table.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { adminApi, type AdminApi } from '../../support/admin-api.ts';
import { createAccount, createDomain } from '../../support/admin-resources.ts';

const directory = memoryTable();
let api: AdminApi;
const ids: Record<string, string> = {};

const people = [
  ['Zoë Quill', 'zq@outside.example'],
  ['Ángela Ruiz', 'angela@outside.example'],
  ['Zoe Adams', 'zadams@outside.example'],
  ['Łukasz Nowak', 'lukasz@outside.example'],
  ['Bob', 'bob.smith@outside.example'],
] as const;

beforeAll(async () => {
  api = await adminApi({ directory });
  const domains = [await createDomain(api), await createDomain(api, { domain: 'shop.example.org' })];
  for (const [index, [name, email]] of people.entries()) {
    const user = (await api.ok('/users/CreateUser', { email, display_name: name }))['user'] as User;
    ids[name] = user.user_id;
    const account = await createAccount(api, { domain_id: domains[0]!, user_id: user.user_id, name, local_part: name === 'Bob' ? 'bob' : `box${index}` });
    ids[`account of ${name}`] = account.account_id;
  }
  await api.ok('/aliases/CreateAlias', { account_id: ids['account of Bob'], local_part: 'hd-sales', domain_id: domains[1], name: 'Sales' });
});

const names = async (request: object): Promise<string[]> => ((await api.ok('/users/ListUsers', request))['users'] as User[]).map(({ name }) => name);

/** Every deployment of the tests has users of its own, too. */
const isOurs = (name: string): boolean => people.some(([each]) => each === name);

test.each<[object, string[]]>([
  [{ order_by: 'NAME' }, ['Ángela Ruiz', 'Bob', 'Łukasz Nowak', 'Zoe Adams', 'Zoë Quill']],
  [{ descending: true }, ['Zoë Quill', 'Zoe Adams', 'Łukasz Nowak', 'Bob', 'Ángela Ruiz']],
  [{ order_by: 'PRIMARY_EMAIL' }, ['Ángela Ruiz', 'Bob', 'Łukasz Nowak', 'Zoe Adams', 'Zoë Quill']],
  [{ order_by: 'USER_ORDER_PRIMARY_EMAIL', descending: true }, ['Zoë Quill', 'Zoe Adams', 'Łukasz Nowak', 'Bob', 'Ángela Ruiz']],
])('ListUsers %j is ordered without regard to case and accents', async (request, expected) => {
  expect((await names(request)).filter(isOurs)).toEqual(expected);
});

test.each<[string, string[]]>([
  ['zoe', ['Zoe Adams', 'Zoë Quill']],
  ['ZOË', ['Zoe Adams', 'Zoë Quill']],
  ['zoe quill', ['Zoë Quill']],
  ['quill zoe', ['Zoë Quill']],
  ['lukasz', ['Łukasz Nowak']],
  ['ange', ['Ángela Ruiz']],
  ['bob.smith@outside.example', ['Bob']],
  ['smith@', ['Bob']],
  ['smith@outside', ['Bob']],
  ['bob.smith@out', ['Bob']],
  ['bob.smith@elsewhere.example', []],
  ['@outside.example bob', ['Bob']],
  ['hd-sales', ['Bob']],
  ['HD-Sales@shop.example.org', ['Bob']],
  ['shop', ['Bob']],
  ['uill', []],
  ['zoe nowak', []],
  ['@', []],
  ["'); --", []],
])('ListUsers finds by %j', async (query, expected) => {
  expect((await names({ query })).filter(isOurs)).toEqual(expected);
});

test('ListUsers finds nobody for a query without a word, and refuses an empty one', async () => {
  expect(await names({ query: '…' })).toEqual([]);
  expect(await api.call('/users/ListUsers', { query: '' })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
  expect(await api.call('/users/ListUsers', { order_by: 'ID' })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
});

test.each([{ order_by: 'NAME' }, { order_by: 'CREATED_AT', descending: true }, { query: 'outside' }, { query: 'outside', descending: true }])(
  'the pages of ListUsers %j have each user once, also while others come and go',
  async (request) => {
    const whole = await names({ ...request, page_size: 1000 });
    const seen: string[] = [];
    let token: string | undefined;
    do {
      const page = await api.ok('/users/ListUsers', { ...request, page_size: 2, ...(token && { page_token: token }) });
      seen.push(...(page['users'] as User[]).map(({ name }) => name));
      token = (page['next_page_token'] as string) || undefined;
      const { user_id: id } = (
        await api.ok('/users/CreateUser', { email: `m${seen.length}.${request.order_by ?? ''}${String(request.descending)}@elsewhere.example` })
      )['user'] as User;
      await api.ok('/users/DeleteUser', { user_id: id });
    } while (token !== undefined);
    expect(seen.filter((name) => whole.includes(name))).toEqual(whole);
  },
);

test('a page token is for the order and the query that it was made for', async () => {
  const { next_page_token: token } = await api.ok('/users/ListUsers', { order_by: 'NAME', page_size: 1 });
  for (const request of [{}, { order_by: 'CREATED_AT' }, { order_by: 'NAME', descending: true }, { order_by: 'NAME', query: 'zoe' }]) {
    expect(await api.call('/users/ListUsers', { ...request, page_token: token })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
  }
});

test('is_deleted chooses among those who are deleted and those who are not', async () => {
  const { user_id: id } = (await api.ok('/users/CreateUser', { email: 'gone@outside.example', display_name: 'Gone' }))['user'] as User;
  await api.ok('/users/DeleteUser', { user_id: id });
  expect(await names({ query: 'gone' })).toEqual(['Gone']);
  expect(await names({ query: 'gone', is_deleted: false })).toEqual([]);
  expect(await names({ order_by: 'NAME', is_deleted: true })).toContain('Gone');
  expect(await names({ is_deleted: false, page_size: 1 })).toHaveLength(1);
  await api.ok('/users/RestoreUser', { user_id: id });
  expect(await names({ query: 'gone', is_deleted: true })).toEqual([]);
});

test('accounts are ordered by name, and found by name and by each of their addresses', async () => {
  const list = async (request: object) => ((await api.ok('/accounts/ListAccounts', request))['accounts'] as Account[]).map(({ name }) => name);
  expect(await list({ order_by: 'NAME' })).toEqual(['Ángela Ruiz', 'Bob', 'Łukasz Nowak', 'Zoe Adams', 'Zoë Quill']);
  expect(await list({ query: 'hd-sales' })).toEqual(['Bob']);
  expect(await list({ query: 'example.test', descending: true })).toEqual(['Zoë Quill', 'Zoe Adams', 'Łukasz Nowak', 'Bob', 'Ángela Ruiz']);
});

test('aliases of all accounts are listed with the names of their accounts', async () => {
  const page = await api.ok('/aliases/ListAliases', {});
  const emails = (page['aliases'] as Alias[]).map(({ email }) => email);
  expect(emails).toEqual(emails.toSorted());
  expect(emails).toHaveLength(6);
  const found = await api.ok('/aliases/ListAliases', { query: 'sales' });
  expect(found).toMatchObject({ aliases: [{ email: 'hd-sales@shop.example.org' }], accounts: [{ account_id: ids['account of Bob'], name: 'Bob' }] });
});

test('domains are ordered, and found by their labels', async () => {
  const list = async (request: object) => ((await api.ok('/domains/ListDomains', request))['domains'] as Domain[]).map(({ domain }) => domain);
  expect(await list({ order_by: 'DOMAIN' })).toEqual(['example.test', 'shop.example.org']);
  expect(await list({ descending: true })).toEqual(['shop.example.org', 'example.test']);
  expect(await list({ query: 'shop' })).toEqual(['shop.example.org']);
  expect(await list({ query: 'exam' })).toEqual(['example.test', 'shop.example.org']);
});

test('names and addresses of very many words fit into the transactions of every change', async () => {
  const name = Array.from({ length: 50 }, (_, index) => String.fromCodePoint(0x4e00 + index))
    .join(' ')
    .slice(0, 100);
  const local = Array.from({ length: 32 }, (_, index) => String.fromCodePoint(97 + (index % 26))).join('.');
  const { user_id: id } = (await api.ok('/users/CreateUser', { email: `${local}@outside.example`, display_name: name }))['user'] as User;
  const { domains } = await api.ok('/domains/ListDomains', { query: 'example.test' });
  const made = await createAccount(api, { domain_id: (domains as Domain[])[0]!.id, user_id: id, name, local_part: local });
  await api.ok('/accounts/UpdateAccount', { account_id: made.account_id, name: name.split(' ').toReversed().join(' ') });
  expect(await names({ query: `${local}@outside.example` })).toEqual([name]);
  expect(await names({ query: `${local.toUpperCase()}@Out` })).toEqual([name]);
  await api.ok('/users/UpdateUser', { user_id: id, display_name: name.split(' ').toReversed().join(' ') });
  await api.ok('/accounts/DeleteAccount', { account_id: made.account_id });
  await api.ok('/users/DeleteUser', { user_id: id });
});

describe('after every change', () => {
  const kinds = {
    user: directoryPartitions.users,
    account: directoryPartitions.accounts,
    alias: directoryPartitions.aliases,
    domain: directoryPartitions.domains,
  } as const;
  const orders = ['name', 'primary_email', 'email', 'domain', 'created_at', 'word'];

  /** The entries that the objects should have. */
  const wanted = async (kind: keyof typeof kinds): Promise<Item[]> => {
    const rows = await directory.query({ pk: kinds[kind] });
    const id = { user: 'user_id', account: 'account_id', alias: 'alias_id', domain: 'id' }[kind];
    return rows.flatMap((row) =>
      listingWrites(kind, undefined, { ...contentOf<object>(row), [id]: row.sk } as never).flatMap((write) => ('put' in write ? [write.put] : [])),
    );
  };
  const stored = async (kind: string): Promise<Item[]> =>
    (await Promise.all(orders.map((order) => directory.query({ pk: directoryPartitions.listEntries(`${kind}#${order}`) })))).flat();
  const sorted = (items: Item[]): Item[] => items.toSorted((one, other) => (`${one.pk} ${one.sk}` < `${other.pk} ${other.sk}` ? -1 : 1));

  const account = () => ids['account of Bob']!;
  const aliasOf = async (local: string) =>
    ((await api.ok('/aliases/ListAccountAliases', { account_id: account() }))['aliases'] as Alias[]).find(({ email }) => email.startsWith(local))!;

  test.each<[string, () => Promise<unknown>]>([
    ['a user is renamed', () => api.ok('/users/UpdateUser', { user_id: ids['Bob'], display_name: 'Robert "Bob" Ünlü' })],
    ['a name is removed', () => api.ok('/users/UpdateUser', { user_id: ids['Bob'], display_name: '' })],
    ['a sign-in address changes', () => api.ok('/users/ChangeSignInAddress', { user_id: ids['Bob'], email: 'robert@outside.example' })],
    ['an account is renamed', () => api.ok('/accounts/UpdateAccount', { account_id: account(), name: 'Robert' })],
    ['an alias gets a name', async () => api.ok('/aliases/UpdateAlias', { alias_id: (await aliasOf('hd')).alias_id, name: 'Verkauf' })],
    ['another alias becomes primary', async () => api.ok('/aliases/SetPrimaryAlias', { alias_id: (await aliasOf('hd')).alias_id })],
    ['an alias moves', async () => api.ok('/aliases/MoveAlias', { alias_id: (await aliasOf('bob')).alias_id, account_id: ids['account of Zoe Adams'] })],
    ['an account is deleted', () => api.ok('/accounts/DeleteAccount', { account_id: account() })],
    ['an account is restored', () => api.ok('/accounts/RestoreAccount', { account_id: account() })],
    ['a user is deleted', () => api.ok('/users/DeleteUser', { user_id: ids['Bob'] })],
    [
      'an alias is deleted',
      async () => {
        const { aliases } = await api.ok('/aliases/ListAliases', { query: 'bob' });
        await api.ok('/aliases/DeleteAlias', { alias_id: (aliases as Alias[])[0]!.alias_id });
      },
    ],
    ['a domain is added', () => createDomain(api, { domain: 'new.example.net' })],
    [
      'a domain is removed',
      async () => {
        const { domains } = await api.ok('/domains/ListDomains', { query: 'new' });
        await api.ok('/domains/RemoveDomain', { id: (domains as Domain[])[0]!.id });
      },
    ],
  ])('the lists are those of the objects: %s', async (_, change) => {
    await change();
    for (const kind of ['user', 'account', 'alias', 'domain'] as const) expect(sorted(await stored(kind))).toEqual(sorted(await wanted(kind)));
  });
});

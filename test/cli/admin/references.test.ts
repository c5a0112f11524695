import { usersIn } from '../../../core/directory/users/users.ts';
import type { AdminApi } from '../../support/admin-api.ts';
import { createAccount, createDomain } from '../../support/admin-resources.ts';
import { openTerminal, type Terminal } from '../test-terminal.ts';

let terminal: Terminal;
let api: AdminApi;
let domainId: string;
let accountId: string;
beforeEach(async () => {
  terminal = await openTerminal();
  Object.assign(terminal.environment, { POSTRIDER_CLIENT_ID: 'adminheadless', POSTRIDER_CLIENT_SECRET: 's3cret' });
  api = await terminal.api();
  domainId = await createDomain(api, { receive_enabled: true });
  accountId = (await createAccount(api, { domain_id: domainId, name: 'Info Desk', local_part: 'info' })).account_id;
});
afterEach(() => terminal.close());

const invite = async (email: string, display_name: string): Promise<string> =>
  ((await api.ok('/users/CreateUser', { email, display_name }))['user'] as { user_id: string }).user_id;
const called = () => terminal.calls.map(({ path }) => path.split('/').at(-1));
/** The request of the last call. */
const request = () => terminal.calls.at(-1)?.body;

/** Runs a command line that must be refused before its method is called. @returns the message. */
const refusal = async (...args: string[]): Promise<string> => {
  const { code, out, err } = await terminal.run(...args);
  expect([code, out]).toEqual([2, '']);
  expect(called()).not.toContain(args[1]);
  return err;
};

describe('--user', () => {
  test('takes an id, and sends it without another call', async () => {
    expect(await terminal.run('users', 'GetUser', '--user', 'user_person')).toMatchObject({ code: 0, err: '' });
    expect(terminal.calls).toEqual([{ path: '/users/GetUser', body: { user_id: 'user_person' } }]);
  });

  test.each(['ada@elsewhere.test', 'ADA@Elsewhere.Test', 'Ada Lovelace', ' ada LOVELACE '])('finds the user %j by address or name', async (text) => {
    const user_id = await invite('ada@elsewhere.test', 'Ada Lovelace');
    expect(await terminal.run('users', 'GetUser', '--user', text)).toMatchObject({ code: 0, err: '' });
    expect([called(), request()]).toEqual([['ListUsers', 'GetUser'], { user_id }]);
  });

  test('finds a user beyond the first page', async () => {
    const users = usersIn(api.directory, () => new Date());
    const created_at = new Date().toISOString();
    for (let number = 0; number < 1000; number++) {
      const [user_id, primary_email] = [`user_a${number}`, `a${number}@elsewhere.test`];
      await users.reserve(primary_email, user_id);
      await users.complete(
        {
          user_id,
          name: primary_email,
          primary_email,
          is_active: true,
          is_admin: false,
          is_deleted: false,
          idp_identities: [],
          created_at,
          updated_at: created_at,
          temporary_password_at: 'never',
        },
        [],
      );
    }
    expect(await terminal.run('users', 'GetUser', '--user', 'person@example.test')).toMatchObject({ code: 0, err: '' });
    expect([called(), request()]).toEqual([['ListUsers', 'ListUsers', 'GetUser'], { user_id: 'user_person' }]);
  });

  test('lists those who have the same name, so that the command can be repeated with an id', async () => {
    const [one, other] = [await invite('ada@elsewhere.test', 'Ada'), await invite('ada@other.test', 'ada')];
    const message = await refusal('users', 'ResetPassword', '--user', 'Ada');
    expect(message).toContain("several users match 'Ada'; repeat the command with the id of one:\n");
    expect(message).toContain(`  ${one}  Ada <ada@elsewhere.test>\n`);
    expect(message).toContain(`  ${other}  ada <ada@other.test>\n`);
  });

  test.each(['Grace', 'grace@elsewhere.test', 'jmapheadless'])('that is unknown, %s, is refused with the command that lists the users', async (text) => {
    expect(await refusal('accounts', 'PutAccountMember', '--account-id', accountId, '--user', text, '--role', 'READ')).toBe(
      `there is no user '${text}'; postrider-admin users ListUsers --table lists the users. ` +
        'A headless client is not a user: give its client id with --user-id\n',
    );
  });

  test('that is an address of an account is refused with the account and the command that lists its members', async () => {
    expect(await refusal('users', 'ResetPassword', '--user', 'Info@example.test')).toBe(
      `no user signs in with info@example.test: it is an address of the account ${accountId}  Info Desk <info@example.test>. ` +
        `postrider-admin accounts ListAccountMembers --account-id ${accountId} lists its members\n`,
    );
  });

  test('finds a deleted user only if no other user matches', async () => {
    const deleted = await invite('ada@elsewhere.test', 'Ada');
    await api.ok('/users/DeleteUser', { user_id: deleted });
    expect(await terminal.run('users', 'GetUser', '--user', 'ada')).toMatchObject({ code: 0, err: '' });
    expect(request()).toEqual({ user_id: deleted });
    const present = await invite('ada@other.test', 'Ada');
    await terminal.run('users', 'GetUser', '--user', 'ada');
    expect(request()).toEqual({ user_id: present });
    expect(await terminal.run('users', 'RestoreUser', '--user', 'ada@elsewhere.test')).toMatchObject({ code: 0, err: '' });
    expect(request()).toEqual({ user_id: deleted });
  });
});

describe('--account', () => {
  test('takes an id, and sends it without another call', async () => {
    expect(await terminal.run('accounts', 'GetAccount', '--account', accountId)).toMatchObject({ code: 0, err: '' });
    expect(terminal.calls).toEqual([{ path: '/accounts/GetAccount', body: { account_id: accountId } }]);
  });

  test.each([
    ['Info@Example.Test', 'FindAddress'],
    ['sales@example.test', 'FindAddress'],
    ['info desk ', 'ListAccounts'],
  ])('finds the account %j by its address, an alias or its name', async (text, method) => {
    await api.ok('/aliases/CreateAlias', { account_id: accountId, local_part: 'sales', domain_id: domainId });
    expect(await terminal.run('accounts', 'GetAccount', '--account', text)).toMatchObject({ code: 0, err: '' });
    expect([called(), request()]).toEqual([[method, 'GetAccount'], { account_id: accountId }]);
  });

  test('lists the accounts that have the same name', async () => {
    const other = await createAccount(api, { domain_id: domainId, name: 'info desk', local_part: 'desk' });
    const message = await refusal('accounts', 'DeleteAccount', '--account', 'Info Desk');
    expect(message).toContain(`  ${accountId}  Info Desk <info@example.test>\n`);
    expect(message).toContain(`  ${other.account_id}  info desk <desk@example.test>\n`);
  });

  test.each([
    ['nobody@example.test', 'no account has the address nobody@example.test'],
    ['ada@elsewhere.test', 'the domain of ada@elsewhere.test is not a domain of this deployment'],
    ['Sales', "there is no account 'Sales'"],
  ])('that is unknown, %s, is refused with what is wrong and the command that lists the accounts', async (text, words) => {
    const message = await refusal('accounts', 'DeleteAccount', '--account', text);
    expect(message).toContain(words);
    expect(message).toContain('postrider-admin accounts ListAccounts --table lists the accounts');
  });

  test('that is being removed is refused with its id', async () => {
    await api.ok('/accounts/DeleteAccount', { account_id: accountId });
    expect(await refusal('accounts', 'RestoreAccount', '--account', 'info@example.test')).toBe(
      `info@example.test is an address of the account ${accountId}, which is deleted; give its id with --account-id\n`,
    );
  });
});

describe('--domain', () => {
  test('takes a name or an id beside --user, and an id needs no call', async () => {
    const owned = (...domain: string[]) =>
      terminal.run('accounts', 'CreateAccount', '--user', 'person@example.test', '--domain', ...domain, '--name', 'Ada', '--local-part', 'ada');
    expect(await owned('Example.Test')).toMatchObject({ code: 0, err: '' });
    expect([called(), request()]).toEqual([
      ['ListUsers', 'ListDomains', 'CreateAccount'],
      { user_id: 'user_person', domain_id: domainId, name: 'Ada', local_part: 'ada' },
    ]);
    await owned(domainId);
    expect(called().slice(3)).toEqual(['ListUsers', 'CreateAccount']);
  });

  test('that is unknown is refused with the command that lists the domains', async () => {
    expect(await refusal('aliases', 'CreateAlias', '--account', accountId, '--local-part', 'x', '--domain', 'elsewhere.test')).toBe(
      "there is no domain 'elsewhere.test'; postrider-admin domains ListDomains --table lists the domains\n",
    );
  });

  test('names the domain of a method of /domains, whose field is id', async () => {
    expect(await terminal.run('domains', 'GetDomain', '--domain', 'example.test')).toMatchObject({ code: 0, err: '' });
    expect([called(), request()]).toEqual([['ListDomains', 'GetDomain'], { id: domainId }]);
    expect((await terminal.run('domains', 'UpdateDomain', '--help')).out).toContain('--domain');
  });

  test('is the field itself in a method that has a field of this name', async () => {
    await terminal.run('domains', 'AddDomain', '--domain', 'elsewhere.test');
    expect(terminal.calls).toEqual([{ path: '/domains/AddDomain', body: { domain: 'elsewhere.test' } }]);
  });
});

describe('--group', () => {
  const create = async (local_part: string, name: string) =>
    ((await api.ok('/aliases/CreateGroup', { domain_id: domainId, local_part, name }))['group'] as { group_id: string }).group_id;

  test.each([
    ['Sales@Example.Test', ['ListGroups', 'GetGroup']],
    ['sales team ', ['ListGroups', 'GetGroup']],
  ])('finds the group %j by its address or its name', async (text, methods) => {
    const group_id = await create('sales', 'Sales Team');
    expect(await terminal.run('aliases', 'GetGroup', '--group', text)).toMatchObject({ code: 0, err: '' });
    expect([called(), request()]).toEqual([methods, { group_id }]);
  });

  test('takes an id, and lists of addresses and of members beside it', async () => {
    const group_id = await create('sales', 'Sales Team');
    expect(await terminal.run('aliases', 'AddGroupMembers', '--group', group_id, '--addresses', 'info@example.test')).toMatchObject({ code: 0, err: '' });
    expect(terminal.calls).toEqual([{ path: '/aliases/AddGroupMembers', body: { group_id, addresses: ['info@example.test'] } }]);
    expect(await terminal.run('aliases', 'RemoveGroupMembers', '--group', 'sales@example.test', '--member-ids', accountId)).toMatchObject({ code: 0, err: '' });
    expect(request()).toEqual({ group_id, member_ids: [accountId] });
  });

  test('that is unknown is refused with the command that lists the groups', async () => {
    await create('sales', 'Sales');
    expect(await refusal('aliases', 'DeleteGroup', '--group', 'info@example.test')).toBe(
      "there is no group 'info@example.test'; postrider-admin aliases ListGroups --table lists the groups\n",
    );
    expect(await refusal('accounts', 'DeleteAccount', '--account', 'sales@example.test')).toContain('is the address of a group');
  });
});

describe('an option for an address, a name or an id', () => {
  test.each([
    [['users', 'GetUser', '--user', 'ada', '--user-id', 'user_person'], '--user and --user-id must not be given together'],
    [['accounts', 'GetAccount', '--account-id', 'acc_1', '--account', 'acc_1'], '--account-id and --account must not be given together'],
    [['users', 'GetUser', '--user', 'ada', '--user', 'grace'], '--user must be given only once'],
    [['users', 'GetUser', '--user'], '--user takes a value'],
    [['users', 'GetUser', '--no-user'], '--no-user cannot be negated'],
    [['users', 'GetUser', '--user', ' '], 'user_id must be 1 to 128 characters'],
    [['users', 'GetUser', '--account', 'info@example.test'], 'there is no option --account'],
    [['users', 'GetUser', '--json', '{"user":"user_person"}', '--user', 'ada'], 'user is not a field of this request'],
  ])('%j is refused before a request is sent', async (args, words) => {
    expect(await refusal(...args)).toBe(`${words}\n`);
    expect([terminal.calls, terminal.auth.asked]).toEqual([[], []]);
  });

  test('replaces the id of --json', async () => {
    await terminal.run('users', 'GetUser', '--json', '{"user_id":"user_admin"}', '--user', 'person@example.test');
    expect(request()).toEqual({ user_id: 'user_person' });
  });

  test('is in the help of each method that has it', async () => {
    const { out } = await terminal.run('accounts', 'CreateAccount', '--help');
    expect(out).toMatch(/--user USER +in place of --user-id: the sign-in address, the name or the id\n/);
    expect(out).toMatch(/--domain DOMAIN +in place of --domain-id: its name or id\n/);
    expect(out).not.toContain('--account');
    expect((await terminal.run('domains', 'GetDomain', '--help')).out).toMatch(/--domain DOMAIN +in place of --id: its name or id\n/);
    expect((await terminal.run('domains', 'AddDomain', '--help')).out).not.toContain('in place of');
    expect((await terminal.run('--help')).out).toContain('--account, --user, --domain or --group');
  });
});

import { addressesIn } from '../../../core/directory/aliases/addresses.ts';
import { principalsIn } from '../../../core/directory/users/principals.ts';
import { removeAccount, type RemovalTask } from '../../../lambdas/account-removal/remove-account.ts';
import { withRemoval } from '../../lambdas/account-removal/removal.ts';
import { withDynamodb } from '../../support/dynamodb.ts';

const dynamodb = withDynamodb();
let api: Awaited<ReturnType<typeof withRemoval>>;
let domain_id: string;

beforeAll(async () => {
  api = await withRemoval({ directory: await dynamodb.newTable(), mail: await dynamodb.newTable() });
  ({ domain_id } = api);
});

const statuses = (answers: readonly { readonly status: number }[]) => answers.map(({ status }) => status).toSorted((a, b) => a - b);

describe('the directory in DynamoDB', () => {
  test('of ten concurrent CreateUser calls one succeeds', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => api.call('/users/CreateUser', { email: 'race@example.test' })));
    expect(statuses(answers)).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
  });

  test('of ten concurrent AddDomain calls one succeeds', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => api.call('/domains/AddDomain', { domain: 'race.test' })));
    expect(statuses(answers)).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
  });

  test('of ten concurrent CreateAccount calls for one address one succeeds; its address resolves and its owner is a member', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => api.call('/accounts/CreateAccount', { user_id: 'user_person', name: 'n', local_part: 'raced', domain_id })),
    );
    expect(statuses(answers)).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    const { account_id: accountId } = answers.find(({ status }) => status === 200)!.body['account'] as { account_id: string };
    expect(await addressesIn(api.directory).resolve(['RACED@example.test'])).toEqual(
      new Map([['RACED@example.test', { accountId, email: 'raced@example.test' }]]),
    );
    expect((await principalsIn(api.directory).find({ principalId: 'user_person', isMachine: false }))?.memberships).toMatchObject([
      { accountId, role: 'ADMIN', isOwner: true },
    ]);
  });

  test('of two ADMINs of an account that demote each other concurrently one remains', async () => {
    const { account_id } = (await api.ok('/accounts/CreateAccount', { user_id: 'user_person', name: 'n', local_part: 'shared', domain_id }))['account'] as {
      account_id: string;
    };
    const put = (user_id: string, role: string) => api.call('/accounts/PutAccountMember', { account_id, user_id, role });
    for (let round = 0; round < 5; round++) {
      await put('user_admin', 'ADMIN');
      await put('user_person', 'ADMIN');
      expect(statuses(await Promise.all([put('user_admin', 'READ'), put('user_person', 'READ')]))).toEqual([200, 400]);
    }
    expect(await api.directory.get({ pk: 'account', sk: account_id })).toMatchObject({ admin_count: 1, member_count: 2 });
  });

  test('of two admins that demote each other concurrently one remains', async () => {
    const update = (user_id: string, is_admin: boolean) => api.call('/users/UpdateUser', { user_id, is_admin }, 'machine');
    for (let round = 0; round < 3; round++) {
      for (const id of ['user_admin', 'user_person']) expect((await update(id, true)).status).toBe(200);
      expect(statuses(await Promise.all([update('user_admin', false), update('user_person', false)]))).toEqual([200, 400]);
    }
    expect((await update('user_admin', true)).status).toBe(200);
  });

  test('of ten concurrent CreateAlias calls one succeeds; the alias can be updated and deleted', async () => {
    const { account_id } = (await api.ok('/accounts/CreateAccount', { user_id: 'user_person', name: 'n', local_part: 'owner', domain_id }))['account'] as {
      account_id: string;
    };
    const answers = await Promise.all(Array.from({ length: 10 }, () => api.call('/aliases/CreateAlias', { account_id, local_part: 'alias', domain_id })));
    expect(statuses(answers)).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    const { alias_id } = answers.find(({ status }) => status === 200)!.body['alias'] as { alias_id: string };
    await api.ok('/aliases/UpdateAlias', { alias_id, is_active: false, name: 'x' });
    expect(await addressesIn(api.directory).resolve(['alias@example.test'])).toEqual(new Map());
    await api.ok('/aliases/DeleteAlias', { alias_id });
    expect((await api.ok('/aliases/ListAccountAliases', { account_id }))['aliases']).toMatchObject([{ is_primary: true }]);
  });

  test('an account can be renamed, and deleted by two concurrent calls', async () => {
    const { account_id } = (await api.ok('/accounts/CreateAccount', { user_id: 'user_admin', name: 'n', local_part: 'leaving', domain_id }))['account'] as {
      account_id: string;
    };
    await api.ok('/accounts/PutAccountMember', { account_id, user_id: 'user_person', role: 'READ' });
    expect(await api.ok('/accounts/UpdateAccount', { account_id, name: 'Leaving' })).toMatchObject({ account: { name: 'Leaving', shared: true } });
    const answers = await Promise.all(['admin', 'machine'].map((token) => api.call('/accounts/DeleteAccount', { account_id }, token)));
    expect(statuses(answers)).toEqual([200, 200]);
    await Promise.all(
      api.removalQueue.messages.splice(0).map(({ message }) => removeAccount(api.dependencies, message as RemovalTask, new Date(Date.now() + 60_000))),
    );
    expect(await api.call('/accounts/DeleteAccount', { account_id })).toMatchObject({ status: 404 });
    expect(await api.mail.query({ pk: `${account_id}#mailbox` })).toEqual([]);
    expect((await api.call('/accounts/CreateAccount', { user_id: 'user_admin', name: 'n', local_part: 'leaving', domain_id })).status).toBe(200);
  });

  test('the audit log lists every change in pages, newest first', async () => {
    const all: { timestamp: string; audit_id: string }[] = [];
    for (let token = ''; ;) {
      const page = await api.ok('/audit/ListAuditLogs', { page_size: 20, ...(token && { page_token: token }) });
      all.push(...(page['audit_logs'] as typeof all));
      token = page['next_page_token'] as string;
      if (!token) break;
    }
    expect(all.length).toBeGreaterThan(60);
    expect(all.map(({ timestamp }) => timestamp)).toEqual(
      all
        .map(({ timestamp }) => timestamp)
        .toSorted()
        .toReversed(),
    );
    expect(new Set(all.map(({ audit_id: id }) => id)).size).toBe(all.length);
  });

  test('lists are paged', async () => {
    const first = await api.ok('/users/ListUsers', { page_size: 3 });
    const second = await api.ok('/users/ListUsers', { page_size: 3, page_token: first['next_page_token'] });
    expect([...(first['users'] as []), ...(second['users'] as [])]).toHaveLength(5);
    expect(second['next_page_token']).toBe('');
  });
});

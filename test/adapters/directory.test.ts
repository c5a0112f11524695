import { dynamodbClient } from '../../lambdas/store/dynamodb-client.ts';
import { dynamodbTable } from '../../lambdas/store/dynamodb-table.ts';
import { addressesIn } from '../../lambdas/store/directory/addresses.ts';
import { principalsIn } from '../../lambdas/store/directory/principals.ts';
import { adminApi } from '../support/admin-api.ts';
import { makeDynamodbTable } from '../support/dynamodb.ts';
import { startTestEmulator } from '../support/emulator.ts';

let emulator: Awaited<ReturnType<typeof startTestEmulator>>;
let api: Awaited<ReturnType<typeof adminApi>>;
let domain_id: string;

beforeAll(async () => {
  emulator = await startTestEmulator();
  const client = dynamodbClient();
  const [directory, mail] = [dynamodbTable(await makeDynamodbTable(client), client), dynamodbTable(await makeDynamodbTable(client), client)];
  api = await adminApi({ directory, mail });
  ({ id: domain_id } = (await api.ok('/domains/AddDomain', { domain: 'example.test', receive_enabled: true }))['domain'] as { id: string });
}, 60_000);
afterAll(() => emulator?.stop());

const statuses = (answers: readonly { readonly status: number }[]) => answers.map(({ status }) => status).toSorted((a, b) => a - b);

describe('the directory in DynamoDB', () => {
  test('of ten CreateUser at once one wins', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => api.call('/users/CreateUser', { email: 'race@example.test' })));
    expect(statuses(answers)).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
  });

  test('of ten AddDomain at once one wins', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => api.call('/domains/AddDomain', { domain: 'race.test' })));
    expect(statuses(answers)).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
  });

  test('of ten CreateAccount for one address at once one wins; its mail finds it, its owner is a member', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => api.call('/accounts/CreateAccount', { user_id: 'user_person', name: 'n', local_part: 'race', domain_id })));
    expect(statuses(answers)).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    const { account_id: accountId } = answers.find(({ status }) => status === 200)!.body['account'] as { account_id: string };
    expect(await addressesIn(api.directory).resolve(['RACE@example.test'])).toEqual(new Map([['RACE@example.test', { accountId }]]));
    expect((await principalsIn(api.directory).find({ principalId: 'user_person', isMachine: false }))?.memberships).toMatchObject([{ accountId, role: 'ADMIN', isOwner: true }]);
  });

  test('of two ADMINs that demote each other at once one stays', async () => {
    const { account_id } = (await api.ok('/accounts/CreateAccount', { user_id: 'user_person', name: 'n', local_part: 'shared', domain_id }))['account'] as { account_id: string };
    const put = (user_id: string, role: string) => api.call('/accounts/PutAccountMember', { account_id, user_id, role });
    for (let round = 0; round < 5; round++) {
      await put('user_admin', 'ADMIN');
      await put('user_person', 'ADMIN');
      expect(statuses(await Promise.all([put('user_admin', 'READ'), put('user_person', 'READ')]))).toEqual([200, 400]);
    }
    expect(await api.directory.get({ pk: 'account', sk: account_id })).toMatchObject({ admin_count: 1, member_count: 2 });
  });

  test('lists page', async () => {
    const first = await api.ok('/users/ListUsers', { page_size: 3 });
    const second = await api.ok('/users/ListUsers', { page_size: 3, page_token: first['next_page_token'] });
    expect([...first['users'] as [], ...second['users'] as []]).toHaveLength(5);
    expect(second['next_page_token']).toBe('');
  });
});

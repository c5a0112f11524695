import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { RestoreDependencies } from '../../../../../cli/admin/restore/restore-clients.ts';
import type { RestorePlan } from '../../../../../cli/admin/restore/restore-plan.ts';
import { findOpenWork } from '../../../../../cli/admin/restore/steps/people.ts';
import { auditTrailIn } from '../../../../../core/directory/audit-log.ts';
import { usersIn } from '../../../../../core/directory/users/users.ts';
import type { Table } from '../../../../../core/storage/table.ts';
import { memoryTable } from '../../../../fakes/memory-table.ts';

const time = new Date('2026-10-31T08:00:00.000Z');
const now = new Date('2026-11-02T08:00:00.000Z');

/** Stores a user with a sign-in as the admin services do. */
const addUser = async (table: Table, name: string, fields: object = {}) => {
  const users = usersIn(table, () => time);
  const email = `${name}@example.test`;
  await users.reserve(email, `user_${name}`);
  await users.complete(
    {
      user_id: `user_${name}`,
      name,
      primary_email: email,
      is_active: true,
      is_admin: false,
      is_deleted: false,
      idp_identities: [{ provider: 'COGNITO', sub: `sub-${name}`, username: email }],
      created_at: time.toISOString(),
      updated_at: time.toISOString(),
      temporary_password_at: 'never',
      ...fields,
    },
    [],
  );
};

const restored = async () => {
  const tables = new Map<string, Table>([
    ['old', memoryTable()],
    ['new', memoryTable()],
  ]);
  const pool: { sub: string; email: string }[] = [];
  const dynamodb = new DynamoDBClient({ region: 'us-east-1' });
  dynamodb.send = async ({ input: { TableName, ExpressionAttributeValues: values } }: QueryCommand) => ({
    Items: (await tables.get(TableName!)!.query({ pk: values![':pk']!.S!, after: values![':after']!.S! })).map((item) =>
      marshall(item, { removeUndefinedValues: true }),
    ),
  });
  const cognito = new CognitoIdentityProviderClient({ region: 'us-east-1' });
  cognito.send = async () => ({ Users: pool.map((user) => ({ Attributes: Object.entries(user).map(([Name, Value]) => ({ Name, Value })) })) });
  const dependencies = { clients: { dynamodb, cognito }, time, now: () => now.getTime() } as unknown as RestoreDependencies;
  const plan = { tables: { directory: { source: 'old', target: 'new' } }, userPoolId: 'pool' } as unknown as RestorePlan;
  return { old: tables.get('old')!, directory: tables.get('new')!, pool, find: () => findOpenWork(dependencies, plan) };
};

/** An entry of the audit log as the admin services write it. */
const audit = (table: Table, action: string, timestamp: string, status: 'success' | 'failure' = 'success') =>
  table.write(
    auditTrailIn(table).entryWrites({
      audit_id: `audit_${timestamp}`,
      timestamp,
      entity_id: 'acc_1',
      entity_name: 'Ann',
      action,
      status,
      changes: [],
      metadata: {},
      actor: { actor_type: 'SERVICE', actor_id: 'cli', service_name: 'cli' },
    } as never),
  );

describe('the work that a restore of the directory leaves to people', () => {
  test('is none when each user has a sign-in, and nothing was erased', async () => {
    const { directory, pool, find } = await restored();
    await addUser(directory, 'ann');
    pool.push({ sub: 'sub-ann', email: 'ann@example.test' });
    expect(await find()).toEqual({ withoutSignIn: [], withoutUser: [], erasures: [] });
  });

  test('names users whose sign-in is gone, except for deleted ones, and sign-ins without a user', async () => {
    const { directory, pool, find } = await restored();
    for (const name of ['ann', 'bob']) await addUser(directory, name);
    await addUser(directory, 'carl', { is_deleted: true, is_active: false });
    pool.push({ sub: 'sub-bob', email: 'bob@example.test' }, { sub: 'sub-dora', email: 'dora@example.test' });
    expect(await find()).toMatchObject({ withoutSignIn: ['ann@example.test'], withoutUser: ['dora@example.test'] });
  });

  test('names what the old directory says was erased after the time, over the end of a month', async () => {
    const { old, find } = await restored();
    await audit(old, 'users/DeleteUser', '2026-10-31T07:59:59.000Z');
    await audit(old, 'users/DeleteUser', '2026-10-31T08:00:01.000Z');
    await audit(old, 'accounts/PurgeDestroyedEmails', '2026-11-01T09:00:00.000Z');
    await audit(old, 'accounts/DeleteAccount', '2026-11-01T10:00:00.000Z', 'failure');
    await audit(old, 'accounts/UpdateAccount', '2026-11-01T11:00:00.000Z');
    expect((await find()).erasures).toEqual([
      '2026-10-31T08:00:01.000Z users/DeleteUser acc_1 Ann',
      '2026-11-01T09:00:00.000Z accounts/PurgeDestroyedEmails acc_1 Ann',
    ]);
  });
});

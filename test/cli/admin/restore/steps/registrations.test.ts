import { CognitoIdentityProviderClient, DeleteUserPoolClientCommand, type ListUserPoolClientsCommand } from '@aws-sdk/client-cognito-identity-provider';
import { DynamoDBClient, type DeleteItemCommand, type QueryCommand, type TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { RestoreDependencies } from '../../../../../cli/admin/restore/restore-clients.ts';
import type { RestorePlan } from '../../../../../cli/admin/restore/restore-plan.ts';
import { reconcileRegistrations } from '../../../../../cli/admin/restore/steps/registrations.ts';
import { clientRegistrationsIn } from '../../../../../core/directory/clients/client-registrations.ts';
import type { Key, Table } from '../../../../../core/storage/table.ts';
import { memoryTable } from '../../../../fakes/memory-table.ts';

const fingerprintOf = (name: string): string => Buffer.from(name).toString('hex').padEnd(64, '0');

/** A restore whose Cognito has these app clients, by their names. */
const restore = async (appClients: Readonly<Record<string, string>>, recorded: { readonly old: readonly string[]; readonly restored: readonly string[] }) => {
  const pool = new Map(Object.entries(appClients));
  const tables = new Map<string, Table>([
    ['old', memoryTable()],
    ['new', memoryTable()],
  ]);
  const clock = () => new Date('2026-11-26T08:00:00Z');
  const register = async (table: Table, clientId: string): Promise<void> => {
    const registrations = clientRegistrationsIn(table, clock);
    await registrations.reserve(fingerprintOf(clientId), 'holder', 'network');
    await registrations.complete(fingerprintOf(clientId), 'holder', clientId, { name: `Program ${clientId}`, redirectUris: [], settingsVersion: '1' });
  };
  for (const clientId of recorded.old) await register(tables.get('old')!, clientId);
  for (const clientId of recorded.restored) await register(tables.get('new')!, clientId);
  const remove = ({ TableName, Key: key }: { TableName?: string | undefined; Key?: unknown }) =>
    tables.get(TableName!)!.write([{ delete: unmarshall(key as never) as Key }]);
  const dynamodb = new DynamoDBClient({ region: 'us-east-1' });
  dynamodb.send = async ({ input }: QueryCommand | DeleteItemCommand | TransactWriteItemsCommand) => {
    if ('TransactItems' in input) {
      const [record, registration] = input.TransactItems!.map(({ Delete }) => Delete!);
      const stored = await tables.get(registration!.TableName!)!.get(unmarshall(registration!.Key!) as Key);
      if (stored?.['client_id'] !== registration!.ExpressionAttributeValues![':id']!.S)
        throw Object.assign(new Error('refused'), { name: 'TransactionCanceledException' });
      await remove(record!);
      await remove(registration!);
      return {};
    }
    if (!('ExpressionAttributeValues' in input)) return remove(input);
    const items = await tables.get(input.TableName!)!.query({ pk: input.ExpressionAttributeValues![':pk']!.S! });
    return { Items: items.map((item) => marshall(item, { removeUndefinedValues: true })) };
  };
  const cognito = new CognitoIdentityProviderClient({ region: 'us-east-1' });
  cognito.send = async (command: ListUserPoolClientsCommand | DeleteUserPoolClientCommand) => {
    if (command instanceof DeleteUserPoolClientCommand) return pool.delete(command.input.ClientId!);
    return { UserPoolClients: [...pool].map(([ClientId, ClientName]) => ({ ClientId, ClientName })) };
  };
  const plan = { tables: { directory: { source: 'old', target: 'new' } }, userPoolId: 'pool' } as unknown as RestorePlan;
  return {
    pool,
    restored: tables.get('new')!,
    run: (isDone = false) => reconcileRegistrations({ clients: { cognito, dynamodb } } as unknown as RestoreDependencies, plan, isDone),
    register: () => clientRegistrationsIn(tables.get('new')!, clock),
  };
};
const nameOf = (clientId: string) => ({ [clientId]: `dynamic-${fingerprintOf(clientId)}` });

describe('a restore to a time before some mail programs registered', () => {
  test('removes the app clients of these, names them, and touches no other client of the pool', async () => {
    const others = { console: 'Console', cli: 'Cli', headless: 'JmapHeadless', foreign: 'dynamic-somebody' };
    const { run, pool } = await restore({ ...others, ...nameOf('early'), ...nameOf('late') }, { old: ['early', 'late'], restored: ['early'] });
    expect(await run()).toEqual(['Program late late']);
    expect([...pool.keys()].sort()).toEqual(['cli', 'console', 'early', 'foreign', 'headless']);
    expect(await run()).toEqual(['Program late late']);
  });

  test('also removes an app client that no directory records', async () => {
    const { run, pool } = await restore(nameOf('lost'), { old: [], restored: [] });
    expect(await run()).toEqual(['lost']);
    expect(pool.size).toBe(0);
  });

  test('changes nothing while it is only prepared, and after the switch', async () => {
    const { run, pool, register } = await restore({ ...nameOf('late') }, { old: ['late'], restored: ['gone'] });
    expect(await run(true)).toEqual(['Program late late']);
    expect([...pool.keys()]).toEqual(['late']);
    expect(await register().reserve(fingerprintOf('gone'), 'h', 'n')).toMatchObject({ kind: 'registered' });
  });
});

test('a restored registration whose app client is gone is forgotten, so that its program can register again', async () => {
  const { run, register, restored } = await restore(nameOf('kept'), { old: ['kept'], restored: ['kept', 'gone'] });
  expect(await run()).toEqual([]);
  expect(await register().reserve(fingerprintOf('gone'), 'h', 'n')).toMatchObject({ kind: 'reserved' });
  expect(await register().reserve(fingerprintOf('kept'), 'h', 'n')).toMatchObject({ kind: 'registered' });
  expect((await restored.query({ pk: 'registered-client' })).map(({ sk }) => sk)).toEqual(['kept']);
});

test('a restored record whose registration is being removed is forgotten alone', async () => {
  const { run, restored } = await restore({}, { old: [], restored: ['gone'] });
  await restored.write([{ put: { pk: 'client-registration', sk: fingerprintOf('gone'), state: 'reserved', holder: 'sweep', lease_until: 0 } }]);
  await run();
  expect([...(await restored.query({ pk: 'registered-client' })), ...(await restored.query({ pk: 'client-registration' }))].map(({ pk }) => pk)).toEqual([
    'client-registration',
  ]);
});

import { readFile } from 'node:fs/promises';
import {
  BatchGetItemCommand,
  CreateTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { itemAccessesFile } from '../../../sandbox/emulator/emulator-process.ts';
import { withEmulator } from '../../support/test-emulator.ts';
import { callerAllowed } from './iam-caller.ts';

const fixture = withEmulator({ enforceIam: true });
const TableName = 'things';
let one: DynamoDBClient;
let two: DynamoDBClient;

const Action = ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'DeleteItem'].map((action) => `dynamodb:${action}`);
const of = (...partitions: string[]) => ({
  Effect: 'Allow',
  Action,
  Resource: '*',
  Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions } },
});

beforeAll(async () => {
  await new DynamoDBClient(fixture.clientConfig).send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    }),
  );
  one = new DynamoDBClient(await callerAllowed(fixture, 'one-statement', of('user', 'acc_*#log')));
  two = new DynamoDBClient(await callerAllowed(fixture, 'two-statements', of('user'), of('acc_*#log')));
});

const key = (pk: string) => ({ pk: { S: pk } });
const denied = { name: expect.stringContaining('AccessDenied') as string };
const batch = (...keys: string[]) => new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: keys.map(key) } } });
const put = (pk: string) => ({ Put: { TableName, Item: key(pk) } });
const remove = (pk: string) => ({ Delete: { TableName, Key: key(pk) } });

test.each(['user', 'acc_1#log'])('a call reaches the partition %s, which a statement names', async (pk) => {
  for (const client of [one, two]) {
    await client.send(new PutItemCommand({ TableName, Item: key(pk) }));
    expect(await client.send(new GetItemCommand({ TableName, Key: key(pk) }))).toHaveProperty('Item');
    await client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: '#p = :p',
        ExpressionAttributeNames: { '#p': 'pk' },
        ExpressionAttributeValues: { ':p': { S: pk } },
      }),
    );
  }
});

test('no call reaches another partition', async () => {
  await Promise.all(
    [
      one.send(new GetItemCommand({ TableName, Key: key('secret') })),
      one.send(new PutItemCommand({ TableName, Item: key('secret') })),
      one.send(new QueryCommand({ TableName, KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': { S: 'secret' } } })),
      one.send(batch('user', 'secret')),
      one.send(new TransactWriteItemsCommand({ TransactItems: [put('user'), put('secret')] })),
    ].map((call) => expect(call).rejects.toMatchObject(denied)),
  );
});

test('all keys of a batch must match one statement', async () => {
  expect(await one.send(batch('user', 'acc_1#log'))).toHaveProperty('Responses');
  await expect(two.send(batch('user', 'acc_1#log'))).rejects.toMatchObject(denied);
});

test('all keys of an action in a transaction must match one statement', async () => {
  const both = new TransactWriteItemsCommand({ TransactItems: [put('user'), put('acc_1#log')] });
  await one.send(both);
  await expect(two.send(both)).rejects.toMatchObject(denied);
  await two.send(new TransactWriteItemsCommand({ TransactItems: [put('user'), remove('acc_1#log')] }));
});

test('each kind of access is recorded once, with its decision', async () => {
  for (const pk of ['acc_2#log', 'acc_3#log']) await one.send(new PutItemCommand({ TableName, Item: key(pk) }));
  await expect(one.send(new PutItemCommand({ TableName, Item: key('audit#2026-11') }))).rejects.toMatchObject(denied);
  const lines = (await readFile(itemAccessesFile(fixture.stateDirectory), 'utf8')).split('\n');
  expect(lines.filter((line) => line.includes('one-statement dynamodb:PutItem') && /acc_|audit/.test(line))).toEqual([
    'Allow one-statement dynamodb:PutItem things acc_*#log',
    'ImplicitDeny one-statement dynamodb:PutItem things audit#*',
  ]);
});

import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamodbClient } from '../../core/storage/dynamodb-client.ts';
import { dynamodbTable } from '../../core/storage/dynamodb-table.ts';
import type { Table } from '../../core/storage/table.ts';
import { startTestEmulator, type TestEmulator } from './test-emulator.ts';

let made = 0;

/** Makes an empty table with the keys `pk` and `sk` and answers its name. */
const makeDynamodbTable = async (client: DynamoDBDocumentClient): Promise<string> => {
  const name = `test-${process.pid}-${++made}`;
  await client.send(new CreateTableCommand({
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }, { AttributeName: 'sk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }, { AttributeName: 'sk', KeyType: 'RANGE' }],
  }));
  return name;
};

/** DynamoDB for the tests of one file: started before them, gone after them. */
export type TestDynamodb = {
  /** Makes an empty table. @param client another than the one that all share. */
  newTable(client?: DynamoDBDocumentClient): Promise<Table>;
};

/** An emulator before the tests of this file, and a client for it; to be called where `beforeAll` may be. */
export const withDynamodb = (): TestDynamodb => {
  let emulator: TestEmulator;
  let shared: DynamoDBDocumentClient;
  beforeAll(async () => {
    emulator = await startTestEmulator();
    shared = dynamodbClient();
  }, 60_000);
  afterAll(async () => {
    shared?.destroy();
    await emulator?.stop();
  });
  return { newTable: async (client = shared) => dynamodbTable(await makeDynamodbTable(shared), client) };
};

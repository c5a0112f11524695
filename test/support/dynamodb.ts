import { randomUUID } from 'node:crypto';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamodbClient } from '../../core/storage/dynamodb-client.ts';
import { dynamodbTable } from '../../core/storage/dynamodb-table.ts';
import type { Table } from '../../core/storage/table.ts';
import { startTestEmulator, type TestEmulator } from './test-emulator.ts';

/** Creates an empty table with the keys `pk` and `sk`. @returns its name. */
const makeDynamodbTable = async (client: DynamoDBDocumentClient): Promise<string> => {
  const name = `test-${process.pid}-${randomUUID()}`;
  await client.send(new CreateTableCommand({
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }, { AttributeName: 'sk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }, { AttributeName: 'sk', KeyType: 'RANGE' }],
  }));
  return name;
};

/** DynamoDB for the tests of one file. */
export type TestDynamodb = {
  /** Creates an empty table. @param client a client other than the shared one. */
  newTable(client?: DynamoDBDocumentClient): Promise<Table>;
};

/** Starts an emulator before the tests of this file and stops it after them. Call it where `beforeAll` is allowed. */
export const withDynamodb = (): TestDynamodb => {
  let emulator: TestEmulator;
  let shared: DynamoDBDocumentClient;
  beforeAll(async () => {
    emulator = await startTestEmulator();
    shared = dynamodbClient();
  });
  afterAll(async () => {
    shared?.destroy();
    await emulator?.stop();
  });
  return { newTable: async (client = shared) => dynamodbTable(await makeDynamodbTable(shared), client) };
};

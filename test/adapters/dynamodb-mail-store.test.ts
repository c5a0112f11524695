import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamodbClient } from '../../lambdas/store/dynamodb-client.ts';
import { dynamodbTable } from '../../lambdas/store/dynamodb-table.ts';
import { mailStore } from '../../lambdas/store/mail/table-mail-store.ts';
import { mailStoreChangesContract } from '../contracts/mail-store-changes-contract.ts';
import { mailStoreContract } from '../contracts/mail-store-contract.ts';
import { mailStoreQueryContract } from '../contracts/mail-store-query-contract.ts';
import { makeDynamodbTable } from '../support/dynamodb.ts';
import { startTestEmulator, type TestEmulator } from '../support/emulator.ts';

let emulator: TestEmulator;
let client: DynamoDBDocumentClient;
beforeAll(async () => {
  emulator = await startTestEmulator();
  client = dynamodbClient();
}, 30_000);
afterAll(async () => {
  client?.destroy();
  await emulator?.stop();
});

const makeStores = async () => {
  const table = dynamodbTable(await makeDynamodbTable(client), client);
  return () => mailStore({ table });
};

describe('the mail store over DynamoDB', () => {
  mailStoreContract(makeStores);
  mailStoreChangesContract(makeStores);
  mailStoreQueryContract(makeStores);
});

import { randomUUID } from 'node:crypto';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { directCalls } from '../../core/storage/dynamodb/direct-dynamodb.ts';
import type { CallDynamodb } from '../../core/storage/dynamodb/dynamodb-calls.ts';
import { dynamodbClient, sdkCalls } from '../../core/storage/dynamodb/dynamodb-client.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { directSender, lambdaTarget, type SendDirectly } from '../../core/storage/http/direct-request.ts';
import type { Table } from '../../core/storage/table.ts';
import { withTestEmulator } from './test-emulator.ts';

/** Creates an empty table with the keys `pk` and `sk`. @returns its name. */
const makeDynamodbTable = async (client: DynamoDBDocumentClient): Promise<string> => {
  const name = `test-${process.pid}-${randomUUID()}`;
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    }),
  );
  return name;
};

/** The clients of the emulator's DynamoDB. */
export type EmulatorCalls = {
  /** The SDK's client, and calls that use only this client. */
  readonly client: DynamoDBDocumentClient;
  readonly sdk: CallDynamodb;
  readonly sendDirectly: SendDirectly;
};

type TestDynamodb = {
  /**
   * Creates an empty table.
   * @param callsOf the calls that the table uses. Default: as in a Lambda, direct requests, and the SDK after failures.
   */
  newTable(callsOf?: (emulator: EmulatorCalls) => CallDynamodb): Promise<Table>;
};

/** Starts an emulator before the tests of this file and stops it after them. Call it where `beforeAll` is allowed. */
export const withDynamodb = (): TestDynamodb => {
  withTestEmulator();
  let calls: EmulatorCalls;
  beforeAll(() => {
    const client = dynamodbClient();
    calls = { client, sdk: sdkCalls(client), sendDirectly: directSender(lambdaTarget('dynamodb')!) };
  });
  afterAll(() => calls?.client.destroy());
  return {
    newTable: async (callsOf = ({ sendDirectly, sdk }) => directCalls(sendDirectly, sdk)) =>
      dynamodbTable(await makeDynamodbTable(calls.client), callsOf(calls)),
  };
};

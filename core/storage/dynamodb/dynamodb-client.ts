import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { namingErrors } from '../../runtime/sdk-client.ts';
import { requestTimeouts } from '../http/direct-request.ts';
import type { CallDynamodb } from './dynamodb-calls.ts';

/** Maximum attempts of one call. The SDK pauses between them. */
export const maxAttempts = 4;

/**
 * Creates a client. Region, credentials and endpoint come from the SDK's environment variables.
 * @param settings override the defaults.
 */
export const dynamodbClient = (settings: DynamoDBClientConfig = {}): DynamoDBDocumentClient => {
  const client = namingErrors(new DynamoDBClient({ maxAttempts, requestHandler: { ...requestTimeouts, throwOnRequestTimeout: true }, ...settings }));
  // The SDK's logger middleware formats every response for a log that is off, which costs more than decoding the
  // response.
  client.middlewareStack.remove('loggerMiddleware');
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
};

const commands = {
  GetItem: GetCommand,
  BatchGetItem: BatchGetCommand,
  Query: QueryCommand,
  PutItem: PutCommand,
  DeleteItem: DeleteCommand,
  UpdateItem: UpdateCommand,
  TransactWriteItems: TransactWriteCommand,
} as const;

/** Calls through the SDK, which retries, times out and maps errors. */
export const sdkCalls =
  (client: DynamoDBDocumentClient): CallDynamodb =>
  async (operation, input) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the command of the operation has its input and output
    (await client.send(new commands[operation](input as never) as GetCommand)) as never;

import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Milliseconds to reach the service, and for one whole try of a call: well under a Lambda's own time. */
const patience = { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true };

/** Tries of one call, the first included; the SDK backs off between them. */
const attempts = 4;

/**
 * A client of its own. Region, credentials and endpoint are the SDK's environment and nothing else.
 * @param settings of the SDK's, over ours.
 */
export const dynamodbClient = (settings: DynamoDBClientConfig = {}): DynamoDBDocumentClient => {
  const client = new DynamoDBClient({ maxAttempts: attempts, requestHandler: patience, ...settings });
  // It writes every answer out for a log that nobody keeps, which costs more than reading it does.
  client.middlewareStack.remove('loggerMiddleware');
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
};

let shared: DynamoDBDocumentClient | undefined;

/** The client that all tables of a Lambda share: one pool of connections. */
export const sharedDynamodbClient = (): DynamoDBDocumentClient => shared ??= dynamodbClient();

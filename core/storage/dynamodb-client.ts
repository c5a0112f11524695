import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Timeouts of one attempt of a call in milliseconds, well under a Lambda's own timeout. */
const clientTimeouts = { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true };

/** Attempts of one call in total; the SDK backs off between them. */
const maxAttempts = 4;

/**
 * A new client. Region, credentials and endpoint come from the SDK's environment variables.
 * @param settings override ours.
 */
export const dynamodbClient = (settings: DynamoDBClientConfig = {}): DynamoDBDocumentClient => {
  const client = new DynamoDBClient({ maxAttempts, requestHandler: clientTimeouts, ...settings });
  // The SDK's logger middleware formats every response for a log that is off, which costs more than decoding the
  // response.
  client.middlewareStack.remove('loggerMiddleware');
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
};

let shared: DynamoDBDocumentClient | undefined;

/** The client that all tables of a Lambda share, so that they share one pool of connections. */
export const sharedDynamodbClient = (): DynamoDBDocumentClient => shared ??= dynamodbClient();

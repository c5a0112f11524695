import { directCalls } from './direct-dynamodb.ts';
import { directSender, lambdaTarget } from '../http/direct-request.ts';
import type { CallDynamodb } from './dynamodb-calls.ts';

/**
 * Calls through the SDK, which is loaded on demand.
 * @param attempts the number of attempts that the direct client has already made.
 */
const lazySdkCalls = (attempts: number): CallDynamodb => {
  const loading = async () => {
    const { dynamodbClient, maxAttempts, sdkCalls } = await import('./dynamodb-client.ts');
    return sdkCalls(dynamodbClient({ maxAttempts: maxAttempts - attempts }));
  };
  let loaded: Promise<CallDynamodb> | undefined;
  return async (operation, input) => (await (loaded ??= loading()))(operation, input);
};

let shared: CallDynamodb | undefined;

/**
 * The calls that all tables of a Lambda share, so that they share connections: direct calls if the environment has keys
 * and endpoint, else calls of the SDK.
 */
export const sharedDynamodbCalls = (): CallDynamodb => {
  const target = lambdaTarget('dynamodb');
  return shared ??= target ? directCalls(directSender(target), lazySdkCalls(1)) : lazySdkCalls(0);
};

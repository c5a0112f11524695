import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { Concurrency } from './concurrency.ts';
import { patience } from '../client-timeouts.ts';

/** The limits of this AWS account and region. */
export const lambdaConcurrency = (client = new LambdaClient(patience)): Concurrency => ({
  async limits() {
    const { AccountLimit: limit } = await client.send(new GetAccountSettingsCommand({}));
    return { account_limit: limit?.ConcurrentExecutions, unreserved_concurrency: limit?.UnreservedConcurrentExecutions };
  },
});

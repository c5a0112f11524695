import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { namingErrors, clientTimeouts } from '../runtime/sdk-client.ts';

/** The Lambda concurrency of an AWS account and region. */
export type ConcurrencyLimits = { readonly account_limit?: number; readonly unreserved_concurrency?: number };

/** Reads the concurrency limits of the AWS account. */
export type Concurrency = { limits(): Promise<ConcurrencyLimits> };

/** {@link Concurrency} for this AWS account and region, read by Lambda GetAccountSettings. */
export const lambdaConcurrency = (client = namingErrors(new LambdaClient(clientTimeouts))): Concurrency => ({
  async limits() {
    const { AccountLimit: limit } = await client.send(new GetAccountSettingsCommand({}));
    return { account_limit: limit?.ConcurrentExecutions, unreserved_concurrency: limit?.UnreservedConcurrentExecutions };
  },
});

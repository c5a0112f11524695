import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SSMClient } from '@aws-sdk/client-ssm';
import type { RestoreClients } from '../../cli/admin/restore/restore-clients.ts';
import { awsClientConfig, type AwsTarget } from '../../sandbox/deployment/aws-target.ts';

/** Ends a process in a test: nothing of it runs after this. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

/** Calls of AWS that change nothing. */
const reads = /^(Get|Describe|List|Scan|Query|BatchGet|Head)/;

export type KillableClients = {
  readonly clients: RestoreClients;
  /** The calls that changed something, each of which ended a process. */
  readonly changes: readonly string[];
  /** Starts the next process. */
  restart(): void;
};

/**
 * Clients of processes each of which is killed after its first call that changes something, unless an earlier process
 * made the same call: a step may repeat a call that has no further effect.
 */
export const killableClients = (aws: AwsTarget): KillableClients => {
  const config = awsClientConfig(aws);
  let isKilled = false;
  const changes: string[] = [];
  const made = new Set<string>();
  const watched = <C extends { readonly middlewareStack: object }>(client: C): C => {
    const { middlewareStack } = client as unknown as DynamoDBClient;
    middlewareStack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          if (isKilled) throw new Killed();
          const result = await next(args);
          const call = `${commandName} ${JSON.stringify(args.input)}`;
          if (reads.test(commandName) || made.has(call)) return result;
          made.add(call);
          changes.push(commandName.replace(/Command$/, ''));
          isKilled = true;
          throw new Killed();
        },
      { step: 'initialize', name: 'kill', priority: 'high' },
    );
    return client;
  };
  return {
    clients: {
      cloudFormation: watched(new CloudFormationClient(config)),
      cognito: watched(new CognitoIdentityProviderClient(config)),
      dynamodb: watched(new DynamoDBClient(config)),
      lambda: watched(new LambdaClient(config)),
      s3: watched(new S3Client({ ...config, forcePathStyle: true })),
      ssm: watched(new SSMClient(config)),
    },
    changes,
    restart() {
      isKilled = false;
    },
  };
};

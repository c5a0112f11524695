import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SSMClient } from '@aws-sdk/client-ssm';

/** The AWS services that a restore calls, with the credentials of the operator. */
export type RestoreClients = {
  readonly cloudFormation: CloudFormationClient;
  readonly cognito: CognitoIdentityProviderClient;
  readonly dynamodb: DynamoDBClient;
  readonly lambda: LambdaClient;
  readonly s3: S3Client;
  readonly ssm: SSMClient;
};

export type RestoreDependencies = {
  readonly clients: RestoreClients;
  /** The setting `stackName` of the deployment. */
  readonly deployment: string;
  /** The time to which the tables are restored, a whole second. */
  readonly time: Date;
  /** The current time in milliseconds since 1970. */
  readonly now: () => number;
  /** Prints a line about the progress. */
  readonly say: (line: string) => void;
  /** Milliseconds between two looks at something that takes its time. */
  readonly pollInterval: number;
};

/** An error of AWS with one of these names. */
export const isAwsError = (error: unknown, ...names: readonly string[]): boolean => error instanceof Error && names.includes(error.name);

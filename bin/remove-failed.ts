import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { removeFailed } from '../lib/stacks/remove-failed.ts';
import { runOnStack } from './run-on-stack.ts';

const usage = `npm run remove-failed -- STACK

Removes what a first deployment of STACK left when it failed: its stacks, and the tables, bucket and user pool, as long as
these are empty (docs/deploy.md#removing-it). Credentials and region are those of the environment.`;

process.exitCode = await runOnStack(usage, async (stackName, say) => {
  const isRemoved = await removeFailed({
    cloudFormation: new CloudFormationClient(), tables: new DynamoDBClient(), buckets: new S3Client(), pools: new CognitoIdentityProviderClient(), say,
  }, stackName);
  return isRemoved ? 'Nothing is left.' : 'There is nothing to remove.';
});

import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { removeFailed } from '../lib/stacks/remove-failed.ts';
import { runOnStack } from './run-on-stack.ts';

const usage = `npm run remove-failed -- STACK

Removes what a first deployment of STACK left when it failed: its stacks, and the tables, bucket and user pool, as long as
nobody uses them (docs/deploy.md#removing-it). Credentials and region are those of the environment.`;

process.exitCode = await runOnStack(usage, async (stackName, say) => {
  const kept = await removeFailed(
    { cloudFormation: new CloudFormationClient(), tables: new DynamoDBClient(), buckets: new S3Client(), pools: new CognitoIdentityProviderClient(), say },
    stackName,
  );
  if (!kept) return 'There is nothing to remove.';
  return kept.length === 0 ? 'Nothing is left.' : `Left, with records of CloudTrail that expire after 90 days: ${kept.join('; ')}.`;
});

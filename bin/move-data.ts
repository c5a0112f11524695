import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { S3Client } from '@aws-sdk/client-s3';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { moveData } from '../lib/stacks/move-data.ts';
import { runOnStack } from './run-on-stack.ts';

const usage = `npm run move-data -- STACK

Moves the data of the one stack of 0.1.0 into the stack STACK-data (docs/upgrading.md#from-010). Credentials and region are
those of the environment.`;

process.exitCode = await runOnStack(usage, async (stackName, say) => {
  const cloudFormation = new CloudFormationClient();
  const region = await cloudFormation.config.region();
  const { Account: account } = await new STSClient().send(new GetCallerIdentityCommand());
  const assetsBucket = `cdk-hnb659fds-assets-${account}-${region}`;
  const isMoved = await moveData({ cloudFormation, s3: new S3Client(), assetsBucket, region, say }, stackName);
  return isMoved ? 'Now deploy all stacks: npx cdk deploy --all -c domain=…' : 'There is nothing to move.';
});

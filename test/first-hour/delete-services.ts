import { DeleteStackCommand, waitUntilStackDeleteComplete, type CloudFormationClient } from '@aws-sdk/client-cloudformation';

/** Seconds in which CloudFormation deletes a stack. */
const maxWaitTime = 45 * 60;

/** Deletes the stacks of services. The data stack stays, with its tables, bucket and user pool. */
export const deleteServices = async (client: CloudFormationClient, stackName: string, say: (line: string) => void): Promise<void> => {
  for (const StackName of [`${stackName}-admin`, stackName]) {
    say(`Deleting the stack ${StackName} …`);
    await client.send(new DeleteStackCommand({ StackName }));
    await waitUntilStackDeleteComplete({ client, maxWaitTime, minDelay: 2, maxDelay: 15 }, { StackName });
  }
};

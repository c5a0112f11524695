import { DescribeStacksCommand, type CloudFormationClient, type Stack } from '@aws-sdk/client-cloudformation';

/** Whether the creation of a stack failed, so that it never had a deployment. */
export const isCreationFailed = (status: string | undefined): boolean => status === 'ROLLBACK_COMPLETE' || status === 'ROLLBACK_FAILED';

/** Finds a stack by its name. @returns undefined when it does not exist. */
export const findStack = async (cloudFormation: Pick<CloudFormationClient, 'send'>, name: string): Promise<Stack | undefined> => {
  try {
    return (await cloudFormation.send(new DescribeStacksCommand({ StackName: name }))).Stacks?.[0];
  } catch (error) {
    // CloudFormation has no error of its own for a stack that does not exist.
    if (error instanceof Error && error.name === 'ValidationError' && error.message.includes('does not exist')) return undefined;
    throw error;
  }
};

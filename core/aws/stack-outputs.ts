import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { namingErrors } from '../runtime/naming-errors.ts';
import { clientTimeouts } from './client-timeouts.ts';

/** The outputs of a stack, by their names. A stack that does not exist has none. */
export const stackOutputs = async (
  StackName: string,
  client: Pick<CloudFormationClient, 'send'> = namingErrors(new CloudFormationClient(clientTimeouts)),
): Promise<Readonly<Record<string, string>>> => {
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    return Object.fromEntries((Stacks[0]?.Outputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey!, OutputValue!]));
  } catch (error) {
    // CloudFormation has no error of its own for a stack that does not exist.
    if (error instanceof Error && error.name === 'ValidationError' && error.message.includes('does not exist')) return {};
    throw error;
  }
};

import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { deployedClientOutputs } from '../../../contract/oauth/oauth.ts';
import type { DeployedClients } from '../../../core/directory/clients/deployed-clients.ts';
import type { CustomResourceAction } from '../../../core/runtime/lambda/custom-resource.ts';
import { namingErrors, clientTimeouts } from '../../../core/runtime/sdk-client.ts';

type Dependencies = {
  readonly clients: Pick<DeployedClients, 'record'>;
  /** The outputs of the deployment's stack, by their names. There are none before the first deployment. */
  readonly outputs: () => Promise<Readonly<Record<string, string>>>;
};

/**
 * Records the app clients of the deployment: those of the property `clientIds`, which the stack of the services passes
 * when it has made them. The data stack does not know them and passes none: it records those of the last deployment
 * before its token trigger asks for them, or looks into another table. Delete keeps the record.
 */
export const recordClients =
  ({ clients, outputs }: Dependencies): CustomResourceAction =>
  async ({ RequestType, ResourceProperties }) => {
    if (RequestType !== 'Delete') {
      const { clientIds: given } = ResourceProperties;
      const deployed = given === undefined ? await outputs() : {};
      const clientIds = Array.isArray(given) ? given.map(String) : deployedClientOutputs.flatMap((name) => deployed[name] ?? []);
      if (clientIds.length > 0) await clients.record(clientIds);
    }
    return { physicalId: 'deployed-clients' };
  };

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

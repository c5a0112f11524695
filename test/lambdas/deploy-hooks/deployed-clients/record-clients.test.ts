import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { deployedClientsIn } from '../../../../core/directory/clients/deployed-clients.ts';
import type { CustomResourceEvent } from '../../../../core/runtime/lambda/custom-resource.ts';
import { stackOutputs, recordClients } from '../../../../lambdas/deploy-hooks/deployed-clients/record-clients.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';

/** The hook, while CloudFormation answers with these outputs of the deployment's stack, or with an error. */
const deployment = (outputs: Readonly<Record<string, string>> | Error) => {
  const clients = deployedClientsIn(memoryTable());
  const cloudFormation = new CloudFormationClient({ region: 'us-east-1' });
  cloudFormation.send = async () => {
    if (outputs instanceof Error) throw outputs;
    return { Stacks: [{ Outputs: Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue })) }] };
  };
  const run = recordClients({ clients, outputs: () => stackOutputs('Postrider', cloudFormation) });
  return {
    run: (RequestType: CustomResourceEvent['RequestType'], clientIds?: readonly string[]) =>
      run({ RequestType, ResourceProperties: { table: 'directory', ...(clientIds && { clientIds }) } } as unknown as CustomResourceEvent),
    trusted: async () => (await Promise.all(['console', 'cli', 'new-cli', 'userPoolId'].map(async (id) => ((await clients.has(id)) ? [id] : [])))).flat(),
  };
};
const missingStack = Object.assign(new Error('Stack with id Postrider does not exist'), { name: 'ValidationError' });

describe('the deployed-clients hook', () => {
  test('records the clients that the services made, in place of former ones', async () => {
    const { run, trusted } = deployment(missingStack);
    await run('Create', ['console', 'cli']);
    expect(await trusted()).toEqual(['console', 'cli']);
    await run('Update', ['console', 'new-cli']);
    expect(await trusted()).toEqual(['console', 'new-cli']);
  });

  test('records those of the last deployment when it is given none, and no other output', async () => {
    const { run, trusted } = deployment({ consoleClientId: 'console', cliClientId: 'cli', userPoolId: 'userPoolId' });
    await run('Create');
    expect(await trusted()).toEqual(['console', 'cli']);
  });

  test.each([
    ['without a stack of services', missingStack],
    ['while that stack has no outputs yet', {}],
  ])('records nothing at the first deployment, %s', async (_, found) => {
    const { run, trusted } = deployment(found);
    await run('Create');
    expect(await trusted()).toEqual([]);
  });

  test('fails when CloudFormation does not answer, so that no deployment goes on without its clients', async () => {
    const { run } = deployment(Object.assign(new Error('Rate exceeded'), { name: 'Throttling' }));
    await expect(run('Update')).rejects.toThrow('Rate exceeded');
  });

  test('keeps the record when a stack is deleted', async () => {
    const { run, trusted } = deployment(missingStack);
    await run('Create', ['console', 'cli']);
    await run('Delete');
    expect(await trusted()).toEqual(['console', 'cli']);
  });
});

import { CustomResource, Duration, Stack } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { directoryPartitions } from '../../contract/deployment/keys.ts';
import { allowActions } from '../lambda/allow-actions.ts';
import { deploymentName } from '../lambda/deployment-stack.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { customResourceTimeout, LambdaFunction } from '../lambda/lambda-function.ts';
import { allowItems } from '../state/allow-items.ts';
import type { Storage } from '../state/imported-storage.ts';

/**
 * Records the app clients of the deployment, whose tokens may administer, in the directory. It runs again for another
 * table.
 * @param clientIds undefined for the clients of the last deployment.
 */
export const recordDeployedClients = (scope: Construct, id: string, hookArn: string, { tableName }: ITableV2, clientIds?: readonly string[]): CustomResource =>
  new CustomResource(scope, id, {
    resourceType: 'Custom::DeployedClients',
    serviceToken: hookArn,
    serviceTimeout: Duration.minutes(2),
    properties: { table: tableName, clientIds },
  });

export type DeployedClientsProps = { readonly storage: Storage; readonly code: LambdaCode };

/**
 * The hook that records the app clients of the deployment, and its first call. The token trigger waits for that call, so
 * that an update, or a switch to a restored table, leaves no time in which admins get no rights.
 */
export class DeployedClients extends Construct {
  readonly hookArn: string;
  private readonly recorded: CustomResource;

  constructor(scope: Construct, id: string, { storage: { directoryTable }, code }: DeployedClientsProps) {
    super(scope, id);
    const deployment = deploymentName(this);
    const hook = new LambdaFunction(this, 'Hook', {
      code,
      name: 'deployed-clients',
      description: 'Records the app clients of the deployment, whose tokens may administer',
      environment: { directoryTable: directoryTable.tableName, deployment },
      timeout: customResourceTimeout,
    });
    allowItems(hook, directoryTable, ['PutItem'], directoryPartitions.deployedClients);
    const stack = Stack.of(this).formatArn({ service: 'cloudformation', resource: 'stack', resourceName: `${deployment}/*` });
    allowActions(hook, { actions: ['cloudformation:DescribeStacks'], resources: [stack] });
    this.hookArn = hook.functionArn;
    this.recorded = recordDeployedClients(this, 'OfLastDeployment', this.hookArn, directoryTable);
  }

  /** Has the construct wait until the clients are recorded. */
  precede(construct: Construct): void {
    construct.node.addDependency(this.recorded);
  }
}

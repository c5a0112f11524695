import { setTimeout as delay } from 'node:timers/promises';
import { DescribeStackEventsCommand, DescribeStacksCommand, UpdateStackCommand, type Parameter, type Stack } from '@aws-sdk/client-cloudformation';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { adminStackName, dataStackName, nameInStack } from '../../../../contract/deployment/monitored-resources.ts';
import { restoredValueParameter, storedTables, streamArnValue, tableNameValue } from '../../../../contract/deployment/stored-data.ts';
import { messageOf } from '../../../../contract/values/thrown.ts';
import { CliError } from '../../../terminal/cli-error.ts';
import { isAwsError, type RestoreDependencies } from '../restore-clients.ts';
import { findTable, tablesOf, type RestorePlan } from '../restore-plan.ts';

const describe = async ({ clients: { cloudFormation } }: RestoreDependencies, name: string): Promise<Stack> =>
  (await cloudFormation.send(new DescribeStacksCommand({ StackName: name }))).Stacks![0]!;

const isBusy = ({ StackStatus }: Stack): boolean => StackStatus!.endsWith('_IN_PROGRESS');

/** Waits until CloudFormation has ended its work on a stack. */
const settled = async (dependencies: RestoreDependencies, name: string): Promise<Stack> => {
  for (;;) {
    const stack = await describe(dependencies, name);
    if (!isBusy(stack)) return stack;
    await delay(dependencies.pollInterval);
  }
};

const failuresOf = async ({ clients: { cloudFormation } }: RestoreDependencies, name: string): Promise<string> => {
  const { StackEvents = [] } = await cloudFormation.send(new DescribeStackEventsCommand({ StackName: name }));
  const failed = StackEvents.filter(
    ({ ResourceStatus, ResourceStatusReason }) => ResourceStatus?.endsWith('_FAILED') && !/cancel+ed/i.test(ResourceStatusReason ?? ''),
  );
  return failed
    .slice(0, 3)
    .map(({ LogicalResourceId, ResourceStatusReason }) => `${LogicalResourceId}: ${ResourceStatusReason}`)
    .join('; ');
};

/**
 * Updates a deployed stack with its own template. CloudFormation reads the shared values again.
 * @param values of parameters; all others keep theirs.
 */
const update = async (dependencies: RestoreDependencies, name: string, values: ReadonlyMap<string, string>): Promise<void> => {
  const {
    clients: { cloudFormation },
    say,
  } = dependencies;
  const { Parameters = [], StackStatus } = await settled(dependencies, name);
  const unknown = [...values.keys()].filter((key) => !Parameters.some(({ ParameterKey }) => ParameterKey === key));
  if (unknown.length > 0) throw new CliError(`the stack ${name} has no parameter ${unknown[0]}: deploy this release first, then call the restore again`);
  const parameter = ({ ParameterKey }: Parameter): Parameter => {
    const value = values.get(ParameterKey!);
    return value === undefined ? { ParameterKey, UsePreviousValue: true } : { ParameterKey, ParameterValue: value };
  };
  try {
    await cloudFormation.send(
      new UpdateStackCommand({
        StackName: name,
        UsePreviousTemplate: true,
        Capabilities: ['CAPABILITY_IAM', 'CAPABILITY_NAMED_IAM'],
        Parameters: Parameters.map(parameter),
      }),
    );
  } catch (error) {
    if (!isAwsError(error, 'ValidationError')) throw error;
    const message = messageOf(error);
    if (/No updates are to be performed/.test(message)) return say(`  ${name}: uses the restored tables already`);
    throw new CliError(`the stack ${name} (${StackStatus}) cannot be updated: ${message}`);
  }
  say(`  ${name}: is updated`);
  const { StackStatus: outcome } = await settled(dependencies, name);
  if (outcome !== 'UPDATE_COMPLETE') {
    throw new CliError(`the update of the stack ${name} ended as ${outcome}: ${await failuresOf(dependencies, name)}. Repair that and call the restore again`);
  }
};

/** The values of the data stack's parameters that name the restored tables. */
const restoredValues = async ({ clients: { dynamodb } }: RestoreDependencies, plan: RestorePlan): Promise<Map<string, string>> => {
  const values = new Map<string, string>();
  for (const { table, target } of tablesOf(plan)) {
    values.set(restoredValueParameter(tableNameValue(table)), target);
    if (!storedTables[table].hasStream) continue;
    values.set(restoredValueParameter(streamArnValue(table)), (await findTable(dynamodb, target))!.LatestStreamArn!);
  }
  return values;
};

/**
 * Lets all services use the restored tables: the data stack first, which stores their names for the others. Then SES
 * gets the addresses of the restored directory. Each step does nothing where it was done.
 */
export const switchOver = async (dependencies: RestoreDependencies, plan: RestorePlan): Promise<void> => {
  const {
    clients: { lambda },
    deployment,
  } = dependencies;
  await update(dependencies, dataStackName(deployment), await restoredValues(dependencies, plan));
  await update(dependencies, deployment, new Map());
  await update(dependencies, adminStackName(deployment), new Map());
  const { FunctionError } = await lambda.send(new InvokeCommand({ FunctionName: nameInStack(deployment, 'receipt-rules'), Payload: Buffer.from('{}') }));
  if (FunctionError)
    throw new CliError('the receipt rules could not be brought in step with the restored directory: see the log of receipt-rules, then call the restore again');
};

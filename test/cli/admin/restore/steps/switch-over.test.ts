import {
  CloudFormationClient,
  DescribeStackEventsCommand,
  UpdateStackCommand,
  type DescribeStacksCommand,
  type Parameter,
} from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import type { RestoreDependencies } from '../../../../../cli/admin/restore/restore-clients.ts';
import type { RestorePlan } from '../../../../../cli/admin/restore/restore-plan.ts';
import { switchOver } from '../../../../../cli/admin/restore/steps/switch-over.ts';
import { storedTables } from '../../../../../contract/deployment/stored-data.ts';

const tables = Object.keys(storedTables) as (keyof typeof storedTables)[];
const plan = {
  tables: Object.fromEntries(tables.map((table) => [table, { table, source: `old-${table}`, target: `new-${table}` }])),
} as unknown as RestorePlan;

/** The stacks of a deployment. `rollBack`: stacks whose next update is rolled back. */
const deployment = (rollBack: readonly string[] = []) => {
  const failing = new Set(rollBack);
  const names = ['DirectoryTableName', 'DirectoryTableStreamArn', 'MailTableName', 'MailTableStreamArn', 'SendingTableName'];
  const parameters = (stack: string): Parameter[] =>
    stack === 'Mail-data' ? names.map((name) => ({ ParameterKey: `Restored${name}`, ParameterValue: '' })) : [{ ParameterKey: 'Version', ParameterValue: '1' }];
  const stacks = new Map(
    ['Mail-data', 'Mail', 'Mail-admin'].map((name) => [name, { StackName: name, StackStatus: 'UPDATE_COMPLETE', Parameters: parameters(name) }]),
  );
  const updated: string[] = [];
  const cloudFormation = new CloudFormationClient({ region: 'us-east-1' });
  cloudFormation.send = async (command: DescribeStacksCommand | UpdateStackCommand | DescribeStackEventsCommand) => {
    const stack = stacks.get(command.input.StackName!)!;
    if (command instanceof DescribeStackEventsCommand) {
      return {
        StackEvents: [
          { LogicalResourceId: 'Deliver', ResourceStatus: 'UPDATE_FAILED', ResourceStatusReason: 'rate exceeded' },
          { LogicalResourceId: 'Jmap', ResourceStatus: 'UPDATE_FAILED', ResourceStatusReason: 'Resource update cancelled' },
        ],
      };
    }
    if (!(command instanceof UpdateStackCommand)) return { Stacks: [{ ...stack }] };
    if (failing.delete(stack.StackName)) {
      stack.StackStatus = 'UPDATE_ROLLBACK_COMPLETE';
      return {};
    }
    const given = command.input.Parameters!;
    const isSame = given.every(
      ({ ParameterKey, ParameterValue, UsePreviousValue }) =>
        UsePreviousValue === true || stack.Parameters.some((each) => each.ParameterKey === ParameterKey && each.ParameterValue === ParameterValue),
    );
    if (isSame && updated.includes(stack.StackName)) throw Object.assign(new Error('No updates are to be performed.'), { name: 'ValidationError' });
    stack.Parameters = stack.Parameters.map((each) => {
      const { ParameterValue } = given.find(({ ParameterKey }) => ParameterKey === each.ParameterKey)!;
      return ParameterValue === undefined ? each : { ...each, ParameterValue };
    });
    stack.StackStatus = 'UPDATE_COMPLETE';
    updated.push(stack.StackName);
    return {};
  };
  const dynamodb = new DynamoDBClient({ region: 'us-east-1' });
  dynamodb.send = async ({ input: { TableName } }: { input: { TableName: string } }) => ({ Table: { TableName, LatestStreamArn: `stream-of-${TableName}` } });
  const lambda = new LambdaClient({ region: 'us-east-1' });
  const invoked: string[] = [];
  lambda.send = async ({ input: { FunctionName } }: { input: { FunctionName: string } }) => {
    invoked.push(FunctionName);
    return {};
  };
  const said: string[] = [];
  const dependencies = {
    clients: { cloudFormation, dynamodb, lambda },
    deployment: 'Mail',
    pollInterval: 0,
    say: (line: string) => void said.push(line),
  } as unknown as RestoreDependencies;
  const values = () => stacks.get('Mail-data')!.Parameters.map(({ ParameterValue }) => ParameterValue);
  return { switchOver: () => switchOver(dependencies, plan), updated, invoked, said, values };
};
const restoredValues = ['new-directory', 'stream-of-new-directory', 'new-mail', 'stream-of-new-mail', 'new-sending'];

describe('the switch to restored tables', () => {
  test('names them in the data stack first, then lets the services read the names, and brings SES in step', async () => {
    const { updated, invoked, values, ...mail } = deployment();
    await mail.switchOver();
    expect(updated).toEqual(['Mail-data', 'Mail', 'Mail-admin']);
    expect(values()).toEqual(restoredValues);
    expect(invoked).toEqual(['Mail-receipt-rules']);
  });

  test.each([
    ['Mail-data', [], []],
    ['Mail', ['Mail-data'], restoredValues],
    ['Mail-admin', ['Mail-data', 'Mail'], restoredValues],
  ])('that is rolled back at %s says why, and the next call goes on there', async (stack, before, named) => {
    const { updated, invoked, said, values, ...mail } = deployment([stack]);
    await expect(mail.switchOver()).rejects.toThrow(
      `the update of the stack ${stack} ended as UPDATE_ROLLBACK_COMPLETE: Deliver: rate exceeded. Repair that and call the restore again`,
    );
    expect(updated).toEqual(before);
    expect(values().filter((value) => value !== '')).toEqual(named);
    expect(invoked).toEqual([]);
    await mail.switchOver();
    expect(updated).toEqual(['Mail-data', 'Mail', 'Mail-admin']);
    expect(values()).toEqual(restoredValues);
    expect(said.filter((line) => line.includes('already'))).toEqual(before.map((name) => `  ${name}: uses the restored tables already`));
    expect(invoked).toEqual(['Mail-receipt-rules']);
  });
});

import { CloudFormationClient, DescribeStacksCommand, UpdateStackCommand } from '@aws-sdk/client-cloudformation';
import { DescribeTableCommand, DescribeTimeToLiveCommand, DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { createStack, eventually, globalTable, ref, withEmulator } from '../../support/test-emulator.ts';

const template = (more: object = {}): object => ({ Resources: { Kept: globalTable(more) }, Outputs: { table: { Value: ref('Kept') } } });

const fixture = withEmulator();

test('a table whose template changes keeps its name and its items', async () => {
  const { table } = await createStack(fixture.clientConfig, 'Changing', template());
  const dynamodb = new DynamoDBClient(fixture.clientConfig);
  await dynamodb.send(new PutItemCommand({ TableName: table, Item: { pk: { S: 'kept' } } }));

  const formation = new CloudFormationClient(fixture.clientConfig);
  const changed = template({ TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true }, StreamSpecification: { StreamViewType: 'NEW_IMAGE' } });
  await formation.send(new UpdateStackCommand({ StackName: 'Changing', TemplateBody: JSON.stringify(changed) }));
  const stack = await eventually(async () => {
    const [found] = (await formation.send(new DescribeStacksCommand({ StackName: 'Changing' }))).Stacks!;
    return found?.StackStatus === 'UPDATE_COMPLETE' && found;
  });

  expect(stack.Outputs?.[0]?.OutputValue).toBe(table);
  expect((await dynamodb.send(new ScanCommand({ TableName: table }))).Items).toEqual([{ pk: { S: 'kept' } }]);
  expect((await dynamodb.send(new DescribeTimeToLiveCommand({ TableName: table }))).TimeToLiveDescription).toEqual({
    AttributeName: 'expiresAt',
    TimeToLiveStatus: 'ENABLED',
  });
  expect((await dynamodb.send(new DescribeTableCommand({ TableName: table }))).Table?.StreamSpecification).toMatchObject({
    StreamEnabled: true,
    StreamViewType: 'NEW_IMAGE',
  });
});

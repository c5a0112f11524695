import { CloudFormationClient, DescribeStackEventsCommand } from '@aws-sdk/client-cloudformation';
import { AdminCreateUserCommand, CognitoIdentityProviderClient, ListUserPoolsCommand } from '@aws-sdk/client-cognito-identity-provider';
import { DynamoDBClient, ListTablesCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { ListBucketsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { removeFailed } from '../../lib/stacks/remove-failed.ts';
import { tryStack, withEmulator } from '../support/test-emulator.ts';

const fixture = withEmulator();

const kept = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' };
const stored = {
  Table: {
    Type: 'AWS::DynamoDB::GlobalTable', ...kept,
    Properties: {
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }, { AttributeName: 'sk', KeyType: 'RANGE' }], BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }, { AttributeName: 'sk', AttributeType: 'S' }],
      Replicas: [{ Region: 'us-east-1', DeletionProtectionEnabled: true }],
    },
  },
  Bucket: { Type: 'AWS::S3::Bucket', ...kept, Properties: {} },
  Pool: { Type: 'AWS::Cognito::UserPool', ...kept, Properties: { DeletionProtection: 'ACTIVE' } },
};
/** A resource that can't be created after the others. */
const failing = { Type: 'Custom::Failing', DependsOn: Object.keys(stored), Properties: { ServiceToken: 'arn:aws:lambda:us-east-1:000000000000:function:missing' } };

describe('what a first deployment left when it failed', () => {
  const clients = () => {
    const { clientConfig } = fixture;
    return {
      cloudFormation: new CloudFormationClient(clientConfig), tables: new DynamoDBClient(clientConfig),
      buckets: new S3Client({ ...clientConfig, forcePathStyle: true }), pools: new CognitoIdentityProviderClient(clientConfig), said: [] as string[],
    };
  };
  const run = (dependencies: ReturnType<typeof clients>, stackName: string) =>
    removeFailed({ ...dependencies, say: (step) => void dependencies.said.push(step) }, stackName);
  const create = async ({ cloudFormation }: ReturnType<typeof clients>, name: string, Resources: object): Promise<string | undefined> =>
    (await tryStack(cloudFormation, name, { Resources }, { EnableTerminationProtection: true })).StackStatus;
  const counts = async ({ tables, buckets, pools }: ReturnType<typeof clients>) => [
    (await tables.send(new ListTablesCommand({}))).TableNames!.length, (await buckets.send(new ListBucketsCommand({}))).Buckets!.length,
    (await pools.send(new ListUserPoolsCommand({ MaxResults: 10 }))).UserPools!.length,
  ];

  test('is removed with its stack when it is empty, and another call finds nothing', async () => {
    const all = clients();
    expect(await create(all, 'Empty-data', { ...stored, Failing: failing })).toBe('ROLLBACK_COMPLETE');
    const [table] = (await all.tables.send(new ListTablesCommand({}))).TableNames!;
    await all.tables.send(new PutItemCommand({ TableName: table, Item: { pk: { S: 'secret' }, sk: { S: 'page-token' } } }));
    await all.tables.send(new PutItemCommand({ TableName: table, Item: { pk: { S: 'deployed-clients' }, sk: { S: 'ids' } } }));
    expect(await counts(all)).toEqual([1, 1, 1]);
    expect(await run(all, 'Empty')).toBe(true);
    expect(await counts(all)).toEqual([0, 0, 0]);
    expect(await run(all, 'Empty')).toBe(false);
  });

  test('stays whole when anything of it has content', async () => {
    const all = clients();
    await create(all, 'Full-data', { ...stored, Failing: failing });
    const [bucket] = (await all.buckets.send(new ListBucketsCommand({}))).Buckets!;
    await all.buckets.send(new PutObjectCommand({ Bucket: bucket!.Name, Key: 'messages/one', Body: 'mail' }));
    await expect(run(all, 'Full')).rejects.toThrow(`${bucket!.Name} is not empty, so nothing is removed.`);
    expect([await counts(all), all.said]).toEqual([[1, 1, 1], []]);
  });

  test('is removed with all its stacks when the services failed, also the name of the sign-in', async () => {
    const all = clients();
    const named = { Name: { Type: 'AWS::Cognito::UserPoolDomain', Properties: { UserPoolId: { Ref: 'Pool' }, Domain: 'late-mail' } } };
    const before = await counts(all);
    expect(await create(all, 'Late-data', { ...stored, ...named })).toBe('CREATE_COMPLETE');
    expect(await create(all, 'Late', { Failing: { ...failing, DependsOn: [] } })).toBe('ROLLBACK_COMPLETE');
    expect(await run(all, 'Late')).toBe(true);
    expect(await counts(all)).toEqual(before);
    expect(all.said.filter((line) => /^Late(-data)?: /.test(line))).toEqual(['Late: is removed', 'Late-data: is removed']);
    expect(await run(all, 'Late')).toBe(false);
  });

  test('stays whole when anything of it has content, also when its events are gone', async () => {
    const all = clients();
    await create(all, 'Old-data', stored);
    const [newest] = (await all.pools.send(new ListUserPoolsCommand({ MaxResults: 10 }))).UserPools!.toSorted((a, b) => Number(b.CreationDate) - Number(a.CreationDate));
    await all.pools.send(new AdminCreateUserCommand({ UserPoolId: newest!.Id, Username: 'ada@example.com', MessageAction: 'SUPPRESS' }));
    // CloudFormation keeps events for 90 days.
    const forgetful = Object.assign(Object.create(all.cloudFormation) as CloudFormationClient, {
      send: (command: Parameters<CloudFormationClient['send']>[0]) =>
        (command instanceof DescribeStackEventsCommand ? Promise.resolve({}) : all.cloudFormation.send(command)),
    });
    const before = await counts(all);
    await expect(run({ ...all, cloudFormation: forgetful }, 'Old')).rejects.toThrow(`${newest!.Id} is not empty, so nothing is removed.`);
    expect([await counts(all), all.said]).toEqual([before, []]);
  });

  test('is nothing of a deployment that was completed', async () => {
    const all = clients();
    for (const name of ['Deployed-data', 'Deployed', 'Deployed-admin']) {
      expect(await create(all, name, { Other: { Type: 'AWS::SQS::Queue', Properties: {} } })).toBe('CREATE_COMPLETE');
    }
    await expect(run(all, 'Deployed')).rejects.toThrow(/^Deployed-admin is CREATE_COMPLETE\. Only what a first deployment left/);
  });
});

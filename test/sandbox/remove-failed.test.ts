import { randomUUID } from 'node:crypto';
import { CloudFormationClient, DescribeStackEventsCommand } from '@aws-sdk/client-cloudformation';
import { AdminCreateUserCommand, CognitoIdentityProviderClient, ListUserPoolsCommand } from '@aws-sdk/client-cognito-identity-provider';
import { DynamoDBClient, ListTablesCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { ListBucketsCommand, PutBucketVersioningCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { removeFailed } from '../../lib/stacks/remove-failed.ts';
import { tryStack, withEmulator } from '../support/test-emulator.ts';

const fixture = withEmulator();

const kept = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' };
const stored = {
  Table: {
    Type: 'AWS::DynamoDB::GlobalTable',
    ...kept,
    Properties: {
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      Replicas: [{ Region: 'us-east-1', DeletionProtectionEnabled: true }],
    },
  },
  Bucket: { Type: 'AWS::S3::Bucket', ...kept, Properties: {} },
  Pool: {
    Type: 'AWS::Cognito::UserPool',
    ...kept,
    Properties: {
      DeletionProtection: 'ACTIVE',
      AutoVerifiedAttributes: ['email'],
      UserAttributeUpdateSettings: { AttributesRequireVerificationBeforeUpdate: ['email'] },
    },
  },
};
/** A resource that can't be created after the others. */
const failing = {
  Type: 'Custom::Failing',
  DependsOn: Object.keys(stored),
  Properties: { ServiceToken: 'arn:aws:lambda:us-east-1:000000000000:function:missing' },
};

describe('what a first deployment left when it failed', () => {
  const clients = () => {
    const { clientConfig } = fixture;
    return {
      cloudFormation: new CloudFormationClient(clientConfig),
      tables: new DynamoDBClient(clientConfig),
      buckets: new S3Client({ ...clientConfig, forcePathStyle: true }),
      pools: new CognitoIdentityProviderClient(clientConfig),
      said: [] as string[],
    };
  };
  const run = (dependencies: ReturnType<typeof clients>, stackName: string) =>
    removeFailed({ ...dependencies, say: (step) => void dependencies.said.push(step) }, stackName);
  const create = async ({ cloudFormation }: ReturnType<typeof clients>, name: string, Resources: object): Promise<string | undefined> =>
    (await tryStack(cloudFormation, name, { Resources }, { EnableTerminationProtection: true })).StackStatus;
  const put = ({ tables }: ReturnType<typeof clients>, TableName: string, item: Readonly<Record<string, string>>) =>
    tables.send(new PutItemCommand({ TableName, Item: Object.fromEntries(Object.entries(item).map(([name, S]) => [name, { S }])) }));
  const counts = async ({ tables, buckets, pools }: ReturnType<typeof clients>) => [
    (await tables.send(new ListTablesCommand({}))).TableNames!.length,
    (await buckets.send(new ListBucketsCommand({}))).Buckets!.length,
    (await pools.send(new ListUserPoolsCommand({ MaxResults: 10 }))).UserPools!.length,
  ];

  test('is removed with its stack when it is empty, and another call finds nothing', async () => {
    const all = clients();
    expect(await create(all, 'Empty-data', { ...stored, Failing: failing })).toBe('ROLLBACK_COMPLETE');
    const [table] = (await all.tables.send(new ListTablesCommand({}))).TableNames!;
    const own = ['secret', 'deployed-clients', 'watch', 'problem', 'problem-change', 'setup', 'audit#2026-11', 'audit#actors#SYSTEM', 'registered-client'];
    for (const pk of own) await put(all, table!, { pk, sk: 'any' });
    await put(all, table!, { pk: 'user-email', sk: 'ada@example.com', state: 'creating' });
    const [bucket] = (await all.buckets.send(new ListBucketsCommand({}))).Buckets!;
    await all.buckets.send(new PutBucketVersioningCommand({ Bucket: bucket!.Name, VersioningConfiguration: { Status: 'Enabled' } }));
    for (const Body of ['1', '2'])
      await all.buckets.send(new PutObjectCommand({ Bucket: bucket!.Name, Key: 'inbound/a-rule/AMAZON_SES_SETUP_NOTIFICATION', Body }));
    expect(await counts(all)).toEqual([1, 1, 1]);
    expect(await run(all, 'Empty')).toEqual([]);
    expect(await counts(all)).toEqual([0, 0, 0]);
    expect(await run(all, 'Empty')).toBeUndefined();
  });

  test('stays whole when anything of it has content, which is named with its place', async () => {
    const all = clients();
    await create(all, 'Full-data', { ...stored, Failing: failing });
    const [bucket] = (await all.buckets.send(new ListBucketsCommand({}))).Buckets!;
    const [table] = (await all.tables.send(new ListTablesCommand({}))).TableNames!;
    await all.buckets.send(new PutObjectCommand({ Bucket: bucket!.Name, Key: 'messages/one', Body: 'mail' }));
    for (const pk of ['watch', 'user', 'member#u1', 'domain']) await put(all, table!, { pk, sk: 'any' });
    await expect(run(all, 'Full')).rejects.toThrow(
      `Nothing is removed, because somebody uses it: the table ${table} has users, domains; the bucket ${bucket!.Name} has the object messages/one.`,
    );
    expect([await counts(all), all.said]).toEqual([[1, 1, 1], []]);
  });

  test.each([
    ['an account', { pk: 'account' }, 'accounts'],
    ['an address', { pk: 'address' }, 'addresses'],
    ['an item of an account', { pk: 'a1#log' }, 'items of a1#log'],
    ['a sign-in address of a person', { pk: 'user-email', state: 'ready' }, 'items of user-email'],
    ['an item of a kind that nobody knew', { pk: 'later' }, 'items of later'],
  ])('stays whole when a table has %s', async (_, item, words) => {
    const all = clients();
    const stack = `Item-${randomUUID().slice(0, 8)}`;
    await create(all, `${stack}-data`, { Table: stored.Table });
    const [table] = (await all.tables.send(new ListTablesCommand({}))).TableNames!.filter((name) => name.startsWith(stack));
    await put(all, table!, { ...item, sk: 'any' });
    await expect(run(all, stack)).rejects.toThrow(`the table ${table} has ${words}.`);
  });

  test('is removed with all its stacks when the services failed, also the name of the sign-in', async () => {
    const all = clients();
    const named = { Name: { Type: 'AWS::Cognito::UserPoolDomain', Properties: { UserPoolId: { Ref: 'Pool' }, Domain: 'late-mail' } } };
    const before = await counts(all);
    expect(await create(all, 'Late-data', { ...stored, ...named })).toBe('CREATE_COMPLETE');
    expect(await create(all, 'Late', { Failing: { ...failing, DependsOn: [] } })).toBe('ROLLBACK_COMPLETE');
    expect(await run(all, 'Late')).toEqual([]);
    expect(await counts(all)).toEqual(before);
    expect(all.said.filter((line) => /^Late(-data)?: /.test(line))).toEqual(['Late: is removed', 'Late-data: is removed']);
    expect(await run(all, 'Late')).toBeUndefined();
  });

  test('stays whole when anything of it has content, also when its events are gone', async () => {
    const all = clients();
    await create(all, 'Old-data', stored);
    const [newest] = (await all.pools.send(new ListUserPoolsCommand({ MaxResults: 10 }))).UserPools!.toSorted(
      (a, b) => Number(b.CreationDate) - Number(a.CreationDate),
    );
    await all.pools.send(new AdminCreateUserCommand({ UserPoolId: newest!.Id, Username: 'ada@example.com', MessageAction: 'SUPPRESS' }));
    // CloudFormation keeps events for 90 days.
    const forgetful = Object.assign(Object.create(all.cloudFormation) as CloudFormationClient, {
      send: (command: Parameters<CloudFormationClient['send']>[0]) =>
        command instanceof DescribeStackEventsCommand ? Promise.resolve({}) : all.cloudFormation.send(command),
    });
    const before = await counts(all);
    await expect(run({ ...all, cloudFormation: forgetful }, 'Old')).rejects.toThrow(`the user pool ${newest!.Id} has users.`);
    expect([await counts(all), all.said]).toEqual([before, []]);
  });

  test('stays in part: a bucket of the services in which CloudTrail has put records', async () => {
    const all = clients();
    const before = await counts(all);
    await create(all, 'Recorded-data', stored);
    const records = { Type: 'AWS::S3::Bucket', ...kept, Properties: {} };
    expect(await create(all, 'Recorded', { Records: records, Others: records, Failing: { ...failing, DependsOn: ['Records', 'Others'] } })).toBe(
      'ROLLBACK_COMPLETE',
    );
    const bucket = (await all.buckets.send(new ListBucketsCommand({}))).Buckets!.find(({ Name }) => Name!.startsWith('recorded-records'))!.Name!;
    await all.buckets.send(new PutObjectCommand({ Bucket: bucket, Key: 'AWSLogs/000000000000/CloudTrail/one.json.gz', Body: 'records' }));
    expect(await run(all, 'Recorded')).toEqual([`the bucket ${bucket} has the object AWSLogs/000000000000/CloudTrail/one.json.gz`]);
    const [tables, buckets, pools] = before;
    expect(await counts(all)).toEqual([tables, buckets! + 1, pools]);
  });

  test('is nothing of a deployment that was completed', async () => {
    const all = clients();
    for (const name of ['Deployed-data', 'Deployed', 'Deployed-admin']) {
      expect(await create(all, name, { Other: { Type: 'AWS::SQS::Queue', Properties: {} } })).toBe('CREATE_COMPLETE');
    }
    await expect(run(all, 'Deployed')).rejects.toThrow(/^Deployed-admin is CREATE_COMPLETE\. Only what a first deployment left/);
  });
});

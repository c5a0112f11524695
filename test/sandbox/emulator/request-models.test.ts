import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudWatchClient, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { AdminGetUserCommand, CognitoIdentityProviderClient, CreateUserPoolCommand } from '@aws-sdk/client-cognito-identity-provider';
import { CreateTableCommand, DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { CreateUserCommand, IAMClient } from '@aws-sdk/client-iam';
import { GetFunctionCommand, LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { CreateHostedZoneCommand, ListResourceRecordSetsCommand, Route53Client } from '@aws-sdk/client-route-53';
import { CreateBucketCommand, DeleteObjectsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { ListRequestedServiceQuotaChangeHistoryByQuotaCommand, ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { ListEmailIdentitiesCommand, SendEmailCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { refusedRequestsFile } from '../../../sandbox/emulator/emulator-process.ts';
import { startServiceQuotas } from '../../../sandbox/services/service-quotas/service-quotas.ts';
import { startMailNetwork } from '../../../sandbox/services/ses/mail-network.ts';
import { freePorts, withEmulator } from '../../support/test-emulator.ts';

const fixture = withEmulator();
/** An error that names a member. */
const errorOf = (name: string, member: string) => ({ name, message: expect.stringContaining(`'${member}'`) as string });
const refusedRequests = async (): Promise<string[]> =>
  (await readFile(refusedRequestsFile(fixture.stateDirectory), 'utf8').catch(() => '')).split('\n').filter(Boolean);

test('DynamoDB refuses a number outside its range', async () => {
  const client = new DynamoDBClient(fixture.clientConfig);
  await client.send(
    new CreateTableCommand({
      TableName: 'things',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    }),
  );
  const query = (Limit: number) =>
    client.send(new QueryCommand({ TableName: 'things', KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': { S: 'a' } }, Limit }));
  expect(await query(1)).toMatchObject({ Count: 0 });
  await expect(query(0)).rejects.toMatchObject({
    name: 'ValidationException',
    message: "1 validation error detected: Value at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
  });
});

test('Cognito refuses a text that is too long, and one with other characters', async () => {
  const client = new CognitoIdentityProviderClient(fixture.clientConfig);
  const { UserPool } = await client.send(new CreateUserPoolCommand({ PoolName: 'people' }));
  const find = (Username: string) => client.send(new AdminGetUserCommand({ UserPoolId: UserPool!.Id, Username }));
  for (const allowed of ['a'.repeat(128), 'Zoë']) await expect(find(allowed)).rejects.toMatchObject({ name: 'UserNotFoundException' });
  for (const refused of ['a'.repeat(129), 'a b', '', 'Zoë\u0000']) {
    await expect(find(refused)).rejects.toMatchObject(errorOf('InvalidParameterException', 'username'));
  }
});

test('CloudWatch refuses a value that is not of an enumeration', async () => {
  const client = new CloudWatchClient(fixture.clientConfig);
  const put = (Unit: string) =>
    client.send(new PutMetricDataCommand({ Namespace: 'Trial', MetricData: [{ MetricName: 'Things', Value: 1, Unit: Unit as 'Count' }] }));
  await put('Count');
  await expect(put('Dozen')).rejects.toMatchObject({ message: expect.stringContaining("'metricData.member.unit'") });
});

test('IAM and STS refuse members of a form', async () => {
  const iam = new IAMClient(fixture.clientConfig);
  const create = (Value: string) => iam.send(new CreateUserCommand({ UserName: 'ada', Tags: [{ Key: 'team', Value }] }));
  await create('Größe 1');
  await expect(create('a?')).rejects.toMatchObject(errorOf('ValidationError', 'tags.member.value'));
  const assume = new STSClient(fixture.clientConfig).send(
    new AssumeRoleCommand({ RoleArn: 'arn:aws:iam::000000000000:role/reader', RoleSessionName: 'a b', DurationSeconds: 60 }),
  );
  await expect(assume).rejects.toMatchObject({ name: 'ValidationError', message: expect.stringContaining('2 validation errors detected') });
});

test('S3 and Route 53 refuse members of a body and of the query', async () => {
  const s3 = new S3Client({ ...fixture.clientConfig, forcePathStyle: true });
  await s3.send(new CreateBucketCommand({ Bucket: 'things' }));
  const remove = (Key: string) => s3.send(new DeleteObjectsCommand({ Bucket: 'things', Delete: { Objects: [{ Key: 'b' }, { Key }] } }));
  await remove('a');
  await expect(remove('')).rejects.toMatchObject(errorOf('InvalidArgument', 'delete.objects.member.key'));
  const listObjects = (type: string) => s3.send(new ListObjectsV2Command({ Bucket: 'things', EncodingType: type as 'url' }));
  await listObjects('url');
  await expect(listObjects('html')).rejects.toMatchObject(errorOf('InvalidArgument', 'encodingType'));
  const route53 = new Route53Client(fixture.clientConfig);
  const { HostedZone } = await route53.send(new CreateHostedZoneCommand({ Name: 'example.test', CallerReference: '1' }));
  const listRecords = (type: string) =>
    route53.send(new ListResourceRecordSetsCommand({ HostedZoneId: HostedZone!.Id, StartRecordName: 'example.test', StartRecordType: type as 'MX' }));
  await listRecords('MX');
  await expect(listRecords('MXX')).rejects.toMatchObject(errorOf('InvalidInput', 'startRecordType'));
});

test('Lambda refuses a part of a path, and a parameter', async () => {
  const client = new LambdaClient(fixture.clientConfig);
  const find = (FunctionName: string) => client.send(new GetFunctionCommand({ FunctionName }));
  await expect(find('a')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  await expect(find('a b')).rejects.toMatchObject(errorOf('ValidationException', 'functionName'));
  await client.send(new ListFunctionsCommand({ MaxItems: 1 }));
  await expect(client.send(new ListFunctionsCommand({ MaxItems: 0 }))).rejects.toMatchObject(errorOf('ValidationException', 'maxItems'));
});

test('the services beside the emulator refuse what their models do not allow', async () => {
  const stateDirectory = await mkdtemp(join(tmpdir(), 'postrider-models-'));
  const { quotas, ...ports } = await freePorts('quotas', 'smtp', 'sesApi', 'outbox');
  const where = { emulator: fixture.emulator.endpoint, region: 'us-east-1', stateDirectory };
  const running = [await startMailNetwork({ ports, ...where }), await startServiceQuotas({ port: quotas, ...where })];
  try {
    const ses = new SESv2Client({ ...fixture.clientConfig, endpoint: `http://127.0.0.1:${ports.sesApi}` });
    const send = (Value: string) =>
      ses.send(
        new SendEmailCommand({
          FromEmailAddress: 'a@example.test',
          Destination: { ToAddresses: ['b@elsewhere.test'] },
          Content: { Simple: { Subject: { Data: 'Hi' }, Body: { Text: { Data: 'Hi' } }, Headers: [{ Name: 'X-Thing', Value }] } },
        }),
      );
    expect(await ses.send(new ListEmailIdentitiesCommand({}))).toMatchObject({ EmailIdentities: [] });
    await expect(send('a')).rejects.toMatchObject({ name: 'MessageRejected' });
    await expect(send('ä')).rejects.toMatchObject(errorOf('BadRequestException', 'content.simple.headers.member.value'));
    const client = new ServiceQuotasClient({ ...fixture.clientConfig, endpoint: `http://127.0.0.1:${quotas}` });
    const history = (ServiceCode: string) => client.send(new ListRequestedServiceQuotaChangeHistoryByQuotaCommand({ ServiceCode, QuotaCode: 'L-B99A9384' }));
    expect(await history('lambda')).toMatchObject({ RequestedQuotas: [] });
    await expect(history('a b')).rejects.toMatchObject(errorOf('ValidationException', 'serviceCode'));
  } finally {
    for (const each of running) await each.stop();
    await rm(stateDirectory, { recursive: true, force: true });
  }
});

test('each violation is written once, without the value', async () => {
  const client = new DynamoDBClient(fixture.clientConfig);
  const query = () => client.send(new QueryCommand({ TableName: 'things', IndexName: 'a secret' }));
  for (const call of [query(), query()]) await expect(call).rejects.toMatchObject({ name: 'ValidationException' });
  const written = await refusedRequests();
  expect(written.filter((line) => line.startsWith('dynamodb Query indexName: Member must satisfy'))).toHaveLength(1);
  expect(written.join()).not.toContain('secret');
});

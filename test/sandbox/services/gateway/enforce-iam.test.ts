import { CloudFormationClient, DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { startGateway, type EndpointName, type Gateway } from '../../../../sandbox/services/gateway/gateway.ts';
import { freePorts, getAtt, ref, startEmulatorFixture, withEmulator } from '../../../support/test-emulator.ts';
import { policyDocument as document } from '../../emulator/iam-caller.ts';
import { endpointNames, template } from './gateway-template.ts';

const reader = `
const { DynamoDBClient, GetItemCommand } = require('@aws-sdk/client-dynamodb');
exports.handler = async (event) => {
  try {
    await new DynamoDBClient({}).send(new GetItemCommand({ TableName: event.pathParameters.table, Key: { pk: { S: 'a' } } }));
    return { statusCode: 200, body: 'allowed' };
  } catch (error) {
    return { statusCode: 200, body: error.name };
  }
};`;

const table = (name: string): object => ({
  Type: 'AWS::DynamoDB::Table',
  Properties: {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  },
});

/** The role of an AWS service that allows one action on one resource of the stack. */
const role = (service: string, action: string, resource: string): object => ({
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: document({ Effect: 'Allow', Principal: { Service: service }, Action: 'sts:AssumeRole' }),
    Policies: [{ PolicyName: 'own', PolicyDocument: document({ Effect: 'Allow', Action: action, Resource: getAtt(resource, 'Arn') }) }],
  },
});

/** A route that receives from a queue with a role that may receive from the queue `Own` only. */
const wait = (queue: string, path: string): Record<string, object> => ({
  [`${queue}Integration`]: {
    Type: 'AWS::ApiGatewayV2::Integration',
    Properties: {
      ApiId: ref('JmapApi'),
      IntegrationType: 'AWS_PROXY',
      IntegrationSubtype: 'SQS-ReceiveMessage',
      PayloadFormatVersion: '1.0',
      CredentialsArn: getAtt('WaitRole', 'Arn'),
      RequestParameters: { QueueUrl: ref(queue), WaitTimeSeconds: '1', MaxNumberOfMessages: '1' },
    },
  },
  [`${queue}Route`]: {
    Type: 'AWS::ApiGatewayV2::Route',
    Properties: { ApiId: ref('JmapApi'), RouteKey: `GET ${path}`, Target: { 'Fn::Join': ['', ['integrations/', ref(`${queue}Integration`)]] } },
  },
});

const withReader = {
  Resources: {
    ...template.Resources,
    Granted: table('granted'),
    Other: table('other'),
    ReaderRole: role('lambda.amazonaws.com', 'dynamodb:GetItem', 'Granted'),
    Reader: {
      Type: 'AWS::Lambda::Function',
      Properties: { Runtime: 'nodejs24.x', Handler: 'index.handler', Timeout: 20, Role: getAtt('ReaderRole', 'Arn'), Code: { ZipFile: reader } },
    },
    MayCall: {
      Type: 'AWS::Lambda::Permission',
      Properties: { FunctionName: ref('Reader'), Action: 'lambda:InvokeFunction', Principal: 'apigateway.amazonaws.com' },
    },
    ReaderIntegration: {
      Type: 'AWS::ApiGatewayV2::Integration',
      Properties: { ApiId: ref('JmapApi'), IntegrationType: 'AWS_PROXY', IntegrationUri: getAtt('Reader', 'Arn'), PayloadFormatVersion: '2.0' },
    },
    ReaderRoute: {
      Type: 'AWS::ApiGatewayV2::Route',
      Properties: { ApiId: ref('JmapApi'), RouteKey: 'GET /read/{table}', Target: { 'Fn::Join': ['', ['integrations/', ref('ReaderIntegration')]] } },
    },
    Own: { Type: 'AWS::SQS::Queue', Properties: {} },
    Foreign: { Type: 'AWS::SQS::Queue', Properties: {} },
    WaitRole: role('apigateway.amazonaws.com', 'sqs:ReceiveMessage', 'Own'),
    ...wait('Own', '/wait/0'),
    ...wait('Foreign', '/wait/1'),
  },
};

const fixture = withEmulator({ enforceIam: true });
let gateway: Gateway;
let ports: Record<EndpointName, number>;
beforeAll(async () => {
  await fixture.deploy(withReader);
  ports = await freePorts(...endpointNames);
  gateway = await startGateway({ ports, emulator: fixture.emulator.endpoint, stackName: 'Trial1' });
});
afterAll(() => gateway.stop());

/** The physical ids of the stack's resources. */
const resourceIds = async <Name extends string>(...names: readonly Name[]): Promise<Record<Name, string>> => {
  const { StackResources = [] } = await new CloudFormationClient(fixture.clientConfig).send(new DescribeStackResourcesCommand({ StackName: 'Trial1' }));
  const idOf = (name: string) => StackResources.find(({ LogicalResourceId }) => LogicalResourceId === name)!.PhysicalResourceId!;
  return Object.fromEntries(names.map((name) => [name, idOf(name)])) as Record<Name, string>;
};

describe('an emulator that enforces IAM', () => {
  test('uses TLS with a certificate that this process trusts', async () => {
    expect(fixture.emulator.endpoint).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(fixture.emulator.caCertificate).toBe(`${fixture.stateDirectory}/tls/certificate.pem`);
  });

  test('keeps the certificate of another emulator trusted', async () => {
    const other = await startEmulatorFixture({ enforceIam: true });
    for (const { clientConfig } of [other, fixture]) await new DynamoDBClient(clientConfig).send(new ListTablesCommand({}));
    await other.end();
  });

  test('allows a Lambda what its role allows, and refuses everything else', async () => {
    const read = async (name: string): Promise<string> => (await fetch(`http://127.0.0.1:${ports.jmap}/read/${name}`)).text();
    expect(await read('granted')).toBe('allowed');
    expect(await read('other')).toBe('AccessDeniedException');
  });

  test('allows an integration with a queue what its role allows, and refuses everything else', async () => {
    const { Own, Foreign } = await resourceIds('Own', 'Foreign');
    const sqs = new SQSClient(fixture.clientConfig);
    for (const QueueUrl of [Own, Foreign]) await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'changed' }));
    const receive = async (path: string): Promise<Response> => fetch(`http://127.0.0.1:${ports.jmap}${path}`);
    expect(await (await receive('/wait/0')).json()).toMatchObject({ ReceiveMessageResponse: { ReceiveMessageResult: { messages: [{ Body: 'changed' }] } } });
    expect((await receive('/wait/1')).status).toBe(400);
    expect((await sqs.send(new ReceiveMessageCommand({ QueueUrl: Foreign }))).Messages).toHaveLength(1);
  });

  test('refuses a caller without credentials', async () => {
    const answer = await fetch(fixture.emulator.endpoint, {
      method: 'POST',
      headers: { 'x-amz-target': 'DynamoDB_20120810.ListTables', 'content-type': 'application/x-amz-json-1.0' },
      body: '{}',
    });
    expect([400, 403]).toContain(answer.status);
    expect(await answer.text()).toMatch(/MissingAuthenticationToken|AccessDenied/);
  });
});

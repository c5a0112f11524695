import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CloudFormationClient,
  CreateStackCommand,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  type CreateStackCommandInput,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { startEmulator, type Emulator, type EmulatorOptions } from '../../sandbox/emulator/emulator-process.ts';
import { preparePythonEnvironment } from '../../sandbox/emulator/python-environment.ts';
import { longestWait } from './longest-wait.ts';

/** The Python environment that tests and sandboxes of this checkout share. */
export const venvDirectory = process.env['POSTRIDER_VENV'] ?? resolve('.postrider/venv');

const isFree = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => done(true)));
  });

/**
 * Finds a free port of 127.0.0.1. It is below the range of outgoing connections, which might take the port before the
 * test does.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    if (await isFree(port)) return port;
  }
};

/** Free ports of 127.0.0.1 by name. */
export const freePorts = async <Name extends string>(...names: readonly Name[]): Promise<Record<Name, number>> => {
  const ports = await Promise.all(names.map(async (name) => [name, await freePort()] as const));
  return Object.fromEntries(ports) as Record<Name, number>;
};

/** Configuration of an SDK client for the emulator. */
export type ClientConfig = { readonly endpoint: string; readonly region: string; readonly credentials: { accessKeyId: string; secretAccessKey: string } };

export const clientConfigFor = (endpoint: string): ClientConfig => ({
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: '000000000000', secretAccessKey: 'test' },
});

export type EmulatorFixture = {
  readonly emulator: Emulator;
  readonly clientConfig: ClientConfig;
  readonly stateDirectory: string;
  /** Creates a stack and returns its outputs. @throws Error with CloudFormation's reasons. */
  deploy(template: object): Promise<Record<string, string>>;
  /** Restarts the emulator with its state. */
  restart(): Promise<void>;
  end(): Promise<void>;
};

/**
 * An emulator for the tests of one file. POSTRIDER_SANDBOX_WITHOUT_GAP lists gaps, by file name and separated by
 * commas, whose patches are left out. The tests of these gaps must then fail.
 */
export const startEmulatorFixture = async (more: Partial<EmulatorOptions> = {}): Promise<EmulatorFixture> => {
  await preparePythonEnvironment({ directory: venvDirectory });
  const stateDirectory = await mkdtemp(join(tmpdir(), 'postrider-emulator-'));
  const options: EmulatorOptions = {
    port: await freePort(),
    stateDirectory,
    venvDirectory,
    ...more,
    environment: { POSTRIDER_SANDBOX_WITHOUT_GAP: process.env['POSTRIDER_SANDBOX_WITHOUT_GAP'] ?? '', ...more.environment },
  };
  let emulator = await startEmulator(options);
  const clientConfig = clientConfigFor(emulator.endpoint);
  let stacks = 0;
  return {
    get emulator() {
      return emulator;
    },
    clientConfig,
    stateDirectory,
    async deploy(template) {
      stacks += 1;
      return createStack(clientConfig, `Trial${stacks}`, template);
    },
    async restart() {
      await emulator.stop();
      emulator = await startEmulator(options);
    },
    async end() {
      await emulator.stop();
      await rm(stateDirectory, { recursive: true, force: true });
    },
  };
};

/**
 * An emulator that starts before the tests of a file, and ends after them. Call it where `beforeAll` is allowed, before
 * anything that uses the emulator.
 */
export const withEmulator = (options: Partial<EmulatorOptions> = {}): EmulatorFixture => {
  let running: EmulatorFixture;
  beforeAll(async () => {
    running = await startEmulatorFixture(options);
  });
  afterAll(() => running?.end());
  return {
    get emulator() {
      return running.emulator;
    },
    get clientConfig() {
      return running.clientConfig;
    },
    get stateDirectory() {
      return running.stateDirectory;
    },
    deploy: (template) => running.deploy(template),
    restart: () => running.restart(),
    end: () => running.end(),
  };
};

/** Creates a stack, and waits until CloudFormation has made it or rolled it back. */
export const tryStack = async (
  client: CloudFormationClient,
  name: string,
  template: object,
  options: Partial<CreateStackCommandInput> = {},
): Promise<Stack> => {
  await client.send(new CreateStackCommand({ StackName: name, TemplateBody: JSON.stringify(template), Capabilities: ['CAPABILITY_NAMED_IAM'], ...options }));
  return eventually(async () => {
    const [stack] = (await client.send(new DescribeStacksCommand({ StackName: name }))).Stacks!;
    return !stack!.StackStatus!.endsWith('_IN_PROGRESS') && stack;
  });
};

/** Creates a stack. @returns its outputs. @throws Error with CloudFormation's reasons. */
export const createStack = async (reach: ClientConfig, name: string, template: object): Promise<Record<string, string>> => {
  const client = new CloudFormationClient(reach);
  const { StackStatus: status, Outputs: outputs = [] } = await tryStack(client, name, template);
  if (status !== 'CREATE_COMPLETE') throw new Error(`${status}: ${(await reasonsOf(client, name)).join('; ')}`);
  return Object.fromEntries(outputs.map((output) => [output.OutputKey!, output.OutputValue!]));
};

const reasonsOf = async (client: CloudFormationClient, name: string): Promise<string[]> => {
  const { StackEvents } = await client.send(new DescribeStackEventsCommand({ StackName: name }));
  return (StackEvents ?? [])
    .filter((event) => event.ResourceStatus?.endsWith('FAILED'))
    .map((event) => `${event.LogicalResourceId}: ${event.ResourceStatusReason}`);
};

/** Waits until `find` returns a value. @throws Error after `timeout` milliseconds. */
export const eventually = async <T>(find: () => Promise<T | undefined | false>, timeout = longestWait): Promise<T> => {
  const deadline = Date.now() + timeout;
  for (;;) {
    const found = await find();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error('The expected event did not happen in time.');
    await delay(50);
  }
};

export const getAtt = (resource: string, attribute: string) => ({ 'Fn::GetAtt': [resource, attribute] });
export const ref = (resource: string) => ({ Ref: resource });

const keyed = {
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
};

/** A table with the key `pk`. */
export const table = (more: object = {}): object => ({ Type: 'AWS::DynamoDB::Table', Properties: { ...keyed, ...more } });

/** The same table as CDK's TableV2 creates it. */
export const globalTable = (more: object = {}): object => ({
  Type: 'AWS::DynamoDB::GlobalTable',
  Properties: { ...keyed, Replicas: [{ Region: ref('AWS::Region') }], ...more },
});

/**
 * Code for a Lambda: `note(item)` writes an item to the table of the variable SEEN, by an HTTP request to the emulator.
 */
export const noteCode = `
const note = (Item) => fetch(process.env.AWS_ENDPOINT_URL, {
  method: 'POST',
  headers: {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': 'DynamoDB_20120810.PutItem',
    authorization: 'AWS4-HMAC-SHA256 Credential=000000000000/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
  },
  body: JSON.stringify({ TableName: process.env.SEEN, Item }),
});`;

const role = {
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
    },
    ManagedPolicyArns: ['arn:aws:iam::aws:policy/AdministratorAccess'],
  },
};

/** The resources of a Lambda with this inline code: `exports.handler = …`. */
export const lambda = (name: string, code: string, properties: object = {}): Record<string, object> => ({
  [`${name}Role`]: role,
  [name]: {
    Type: 'AWS::Lambda::Function',
    Properties: {
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Timeout: 10,
      MemorySize: 128,
      Role: getAtt(`${name}Role`, 'Arn'),
      Code: { ZipFile: code },
      ...properties,
    },
  },
});

/** An HTTP API with the route `$default`, and its Lambda. */
export const httpApi = (code: string, { api = {} }: { api?: object } = {}): Record<string, object> => ({
  ...lambda('Handler', code),
  Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { Name: 'trial', ProtocolType: 'HTTP', ...api } },
  Integration: {
    Type: 'AWS::ApiGatewayV2::Integration',
    Properties: { ApiId: ref('Api'), IntegrationType: 'AWS_PROXY', IntegrationUri: getAtt('Handler', 'Arn'), PayloadFormatVersion: '2.0' },
  },
  Route: {
    Type: 'AWS::ApiGatewayV2::Route',
    Properties: { ApiId: ref('Api'), RouteKey: '$default', Target: { 'Fn::Join': ['', ['integrations/', ref('Integration')]] } },
  },
  Stage: { Type: 'AWS::ApiGatewayV2::Stage', Properties: { ApiId: ref('Api'), StageName: '$default', AutoDeploy: true } },
});

const webSocketRoute = (name: string, RouteKey: string, isAnswered: boolean): Record<string, object> => ({
  [name]: {
    Type: 'AWS::ApiGatewayV2::Route',
    Properties: {
      ApiId: ref('Api'),
      RouteKey,
      Target: { 'Fn::Join': ['', ['integrations/', ref('Integration')]] },
      ...(isAnswered && { RouteResponseSelectionExpression: '$default' }),
    },
  },
  ...(isAnswered && {
    [`${name}Answer`]: { Type: 'AWS::ApiGatewayV2::RouteResponse', Properties: { ApiId: ref('Api'), RouteId: ref(name), RouteResponseKey: '$default' } },
  }),
});

/**
 * A WebSocket API with the stage `live`, and its Lambda.
 * @param routes the route keys, and whether the Lambda's response is sent to the client.
 */
export const webSocketApi = (code: string, routes: Readonly<Record<string, boolean>>): Record<string, object> => ({
  ...lambda('Handler', code),
  Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { Name: 'trial', ProtocolType: 'WEBSOCKET', RouteSelectionExpression: '$request.body.route' } },
  Integration: {
    Type: 'AWS::ApiGatewayV2::Integration',
    Properties: { ApiId: ref('Api'), IntegrationType: 'AWS_PROXY', IntegrationUri: getAtt('Handler', 'Arn') },
  },
  ...(Object.assign({}, ...Object.entries(routes).map(([key, isAnswered], index) => webSocketRoute(`Route${index}`, key, isAnswered))) as object),
  Stage: { Type: 'AWS::ApiGatewayV2::Stage', Properties: { ApiId: ref('Api'), StageName: 'live', AutoDeploy: true } },
});

/** The emulator's URL of an API's stage. */
export const apiUrl = (fixture: EmulatorFixture, apiId: string, stage = '$default'): string =>
  `${fixture.emulator.endpoint}/_aws/execute-api/${apiId}/${stage}`;

/** An emulator for the tests of one file. `stop` removes its files. */
export type TestEmulator = { readonly endpoint: string; stop(): Promise<void> };

/**
 * Starts an emulator on a free port and sets the SDK's environment variables of this process to it.
 * @throws SandboxError without Python, or when the emulator does not start.
 */
export const startTestEmulator = async (): Promise<TestEmulator> => {
  const fixture = await startEmulatorFixture();
  const { endpoint } = fixture.emulator;
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: '000000000000',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: 'us-east-1',
  });
  return { endpoint, stop: () => fixture.end() };
};

/**
 * Calls {@link startTestEmulator} before the tests of a file, and stops the emulator after them. Call it where
 * `beforeAll` is allowed.
 */
export const withTestEmulator = (): { readonly endpoint: string } => {
  const started: { emulator?: TestEmulator } = {};
  beforeAll(async () => {
    started.emulator = await startTestEmulator();
  });
  afterAll(() => started.emulator?.stop());
  return {
    get endpoint() {
      return started.emulator!.endpoint;
    },
  };
};

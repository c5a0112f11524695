import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { CloudFormationClient, ListStacksCommand, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { AdminCreateUserCommand, AdminDeleteUserCommand, CognitoIdentityProviderClient, ListUserPoolsCommand } from '@aws-sdk/client-cognito-identity-provider';
import { DeleteItemCommand, DynamoDBClient, GetItemCommand, ListTablesCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { DeleteObjectCommand, ListBucketsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { directoryPartitions } from '../../contract/deployment/keys.ts';
import { adminStackName, dataStackName } from '../../contract/deployment/monitored-resources.ts';
import { awsClientConfig, emulatorEnvironment } from '../../sandbox/deployment/aws-target.ts';
import { deploy, synthesize, type CdkDeployment } from '../../sandbox/deployment/cdk-deployment.ts';
import { cdkContext } from '../../sandbox/deployment/sandbox-stack.ts';
import { freeBasePort, portsFrom } from '../../sandbox/process/ports.ts';
import { plainLines, progressReport } from '../../sandbox/process/progress-report.ts';
import { SandboxError } from '../../sandbox/process/sandbox-error.ts';
import { projectDirectory, stateDirectory } from '../../sandbox/state/state-directory.ts';
import { startSandbox, type RunningSandbox } from '../../sandbox/supervisor.ts';
import { interruptSignal } from '../test-stages.ts';
import { changeTemplate, refused, type Resources } from './changed-template.ts';

/**
 * `npm run test:failed-deployment`: first deployments that fail late in each of the stacks, after the watch ran.
 * `remove-failed` removes what each leaves, unless somebody uses it, and the next deployment succeeds.
 */
const { values } = parseArgs({ options: { port: { type: 'string' } } });
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const directory = join(projectDirectory, '.postrider', 'failed-deployment');
const checks: { readonly title: string; readonly isHeld: boolean }[] = [];
const check = (title: string, isHeld: boolean): void => {
  say(`${isHeld ? '✓' : '✗'} ${title}`);
  checks.push({ title, isHeld });
};

const isOfWatch = (properties: unknown): boolean => String((properties as { FunctionName?: unknown } | undefined)?.FunctionName).endsWith('-watch');

/** The stacks, each with the change that makes it fail after all its other resources. */
const failures: Readonly<Record<string, { readonly stack: (name: string) => string; readonly change: (resources: Resources) => void }>> = {
  data: {
    stack: dataStackName,
    change: (resources) => {
      resources['Refused'] = refused(Object.keys(resources));
    },
  },
  services: {
    stack: (name) => name,
    // The watch runs as the Lambda of a resource, and gives CloudFormation no answer.
    change: (resources) => {
      const [watch] = Object.entries(resources).find(([, { Properties }]) => isOfWatch(Properties))!;
      resources['Unanswered'] = {
        Type: 'Custom::Unanswered',
        DependsOn: Object.keys(resources),
        Properties: { ServiceToken: { 'Fn::GetAtt': [watch, 'Arn'] }, ServiceTimeout: '20' },
      };
    },
  },
  admin: {
    stack: adminStackName,
    change: (resources) => {
      const [, admin] = Object.entries(resources).find(([, { Type }]) => Type === 'Custom::FirstAdmin')!;
      resources['Refused'] = refused([...admin.DependsOn!]);
      admin.DependsOn!.push('Refused');
    },
  },
};

const clientsOf = ({ description }: RunningSandbox) => {
  const target = awsClientConfig(description);
  return {
    cloudFormation: new CloudFormationClient(target),
    tables: new DynamoDBClient(target),
    lambdas: new LambdaClient(target),
    buckets: new S3Client({ ...target, forcePathStyle: true }),
    pools: new CognitoIdentityProviderClient(target),
  };
};
type Clients = ReturnType<typeof clientsOf>;

/** The names of everything that a deployment has in AWS. */
const leftOf = async ({ cloudFormation, tables, buckets, pools }: Clients, name: string): Promise<string[]> => {
  const { StackSummaries: stacks = [] } = await cloudFormation.send(new ListStacksCommand({}));
  const { TableNames: tableNames = [] } = await tables.send(new ListTablesCommand({}));
  const { Buckets: found = [] } = await buckets.send(new ListBucketsCommand({}));
  const { UserPools: foundPools = [] } = await pools.send(new ListUserPoolsCommand({ MaxResults: 60 }));
  const names = [
    ...stacks.filter(({ StackStatus: status }) => status !== 'DELETE_COMPLETE').map(({ StackName }) => StackName),
    ...tableNames,
    ...found.map(({ Name }) => Name),
    ...foundPools.map(({ Name }) => Name),
  ];
  return names.flatMap((each) => (each?.toLowerCase().startsWith(name.toLowerCase()) ? [each] : []));
};

/** The physical id of the first resource of the data stack whose type and logical id match. */
const resourceOf = async ({ cloudFormation: client }: Clients, name: string, type: string, logicalId: RegExp): Promise<string> => {
  for await (const { StackResourceSummaries: resources = [] } of paginateListStackResources({ client }, { StackName: dataStackName(name) })) {
    const found = resources.find(({ ResourceType, LogicalResourceId = '' }) => ResourceType === type && logicalId.test(LogicalResourceId));
    if (found) return found.PhysicalResourceId!;
  }
  throw new Error(`${name} has no ${type}.`);
};

/** Runs the command of an operator. @returns its exit code and its output. */
const removeFailed = (endpoint: string, name: string): Promise<{ readonly code: number; readonly output: string }> =>
  promisify(execFile)(process.execPath, ['bin/remove-failed.ts', name], {
    cwd: projectDirectory,
    env: { PATH: process.env['PATH'], ...emulatorEnvironment(endpoint) },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({ code: error.code, output: error.stdout + error.stderr }),
  );

/** Puts a person, a domain and a message into a deployment that failed, one after another. Each must stop `remove-failed`. */
const useIt = async (clients: Clients, endpoint: string, name: string): Promise<void> => {
  const [table, bucket, pool] = [
    await resourceOf(clients, name, 'AWS::DynamoDB::GlobalTable', /Directory/),
    await resourceOf(clients, name, 'AWS::S3::Bucket', /./),
    await resourceOf(clients, name, 'AWS::Cognito::UserPool', /./),
  ];
  const person = { UserPoolId: pool, Username: 'ada@elsewhere.example' };
  const message = { Bucket: bucket, Key: 'messages/one' };
  const domain = { pk: { S: directoryPartitions.domains }, sk: { S: 'd1' } };
  const refuses = async (what: string, words: string): Promise<void> => {
    const { code, output } = await removeFailed(endpoint, name);
    check(`${what} stops it, and is named`, code === 1 && output.includes(`Nothing is removed, because somebody uses it: ${words}`));
  };
  await clients.pools.send(new AdminCreateUserCommand({ ...person, MessageAction: 'SUPPRESS' }));
  await refuses('a person', `the user pool ${pool} has users.`);
  await clients.pools.send(new AdminDeleteUserCommand(person));
  await clients.tables.send(new PutItemCommand({ TableName: table, Item: domain }));
  await refuses('a domain', `the table ${table} has domains.`);
  await clients.tables.send(new DeleteItemCommand({ TableName: table, Key: domain }));
  const { VersionId } = await clients.buckets.send(new PutObjectCommand({ ...message, Body: 'mail' }));
  await refuses('a message', `the bucket ${bucket} has the object messages/one.`);
  await clients.buckets.send(new DeleteObjectCommand({ ...message, VersionId }));
};

/** Makes a first deployment fail in a stack, after the watch ran, and removes what it left. @returns the deployment, to be tried again. */
const failIn = async (failing: string, sandbox: RunningSandbox, clients: Clients, basePort: number): Promise<CdkDeployment> => {
  const {
    description: { awsEndpointUrl: endpoint = '' },
    deployment,
  } = sandbox;
  const { stack, change } = failures[failing]!;
  const name = `Failed${failing}`;
  const domain = `${failing}.test`;
  const context = { ...cdkContext(portsFrom(basePort), endpoint), stackName: name, domain, adminEmail: `admin@${domain}`, removalPolicy: 'retain' };
  const first: CdkDeployment = { ...deployment, state: stateDirectory(join(directory, failing)), stackName: name, context };
  await synthesize(first);
  await changeTemplate(first, stack(name), change);
  const failure = await deploy(first).then(
    () => 'none',
    (error: unknown) => {
      if (error instanceof SandboxError) return error.message;
      throw error;
    },
  );
  say(`${stack(name)}: ${failure}`);
  check(`a deployment fails in the ${failing} stack`, failure.includes('Refused') || failure.includes('Unanswered'));
  if (failing === 'admin') await clients.lambdas.send(new InvokeCommand({ FunctionName: `${name}-watch`, Payload: '{}' }));
  if (failing !== 'data') {
    const TableName = await resourceOf(clients, name, 'AWS::DynamoDB::GlobalTable', /Directory/);
    const { Item: run } = await clients.tables.send(new GetItemCommand({ TableName, Key: { pk: { S: directoryPartitions.watch }, sk: { S: 'run' } } }));
    check('the watch ran meanwhile', run !== undefined);
  }
  if (failing === 'admin') await useIt(clients, endpoint, name);
  const before = await leftOf(clients, name);
  const { code, output } = await removeFailed(endpoint, name);
  const after = await leftOf(clients, name);
  say(output);
  if (after.length > 0) say(`left: ${after.join(', ')}`);
  check(`remove-failed removes all ${before.length} of them`, before.length > 0 && code === 0 && output.endsWith('Nothing is left.\n') && after.length === 0);
  return first;
};

const run = async (): Promise<void> => {
  const basePort = values.port === undefined ? await freeBasePort(7950) : Number(values.port);
  const report = progressReport(plainLines((text) => process.stdout.write(text)));
  const sandbox = await startSandbox({ basePort, state: stateDirectory(join(directory, 'sandbox')), enforceIam: false, report, signal: interruptSignal() });
  try {
    const clients = clientsOf(sandbox);
    const deployments: CdkDeployment[] = [];
    for (const failing of Object.keys(failures)) deployments.push(await failIn(failing, sandbox, clients, basePort + 100));
    const again = deployments.at(-1)!;
    await synthesize(again);
    const { outputs } = await deploy(again);
    check('the next deployment succeeds', outputs['consoleUrl'] !== undefined);
    const { code, output } = await removeFailed(sandbox.description.awsEndpointUrl!, again.stackName);
    check('a deployment that succeeded is not removed', code === 1 && output.includes('Only what a first deployment left when it failed is removed.'));
  } finally {
    await sandbox.stop();
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
};

await run();
const failed = checks.filter(({ isHeld }) => !isHeld).length;
say(`${checks.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

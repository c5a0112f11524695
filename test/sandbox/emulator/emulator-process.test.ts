import { execFile, fork } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient, DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { CreateTableCommand, DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { isAlive } from '../../../cli/import/process-start.ts';
import { startEmulator } from '../../../sandbox/emulator/emulator-process.ts';
import { pythonIn } from '../../../sandbox/emulator/python-environment.ts';
import {
  createStack,
  eventually,
  freePort,
  getAtt,
  lambda,
  clientConfigFor,
  ref,
  startEmulatorFixture,
  venvDirectory,
  type ClientConfig,
  type EmulatorFixture,
} from '../../support/test-emulator.ts';

const idle = 'exports.handler = async () => ({ pid: process.pid, environment: process.env });';

type Answer = { readonly pid: number; readonly environment: Record<string, string> };
const invoke = async (reach: ClientConfig, name: string): Promise<Answer> => {
  const { Payload } = await new LambdaClient(reach).send(new InvokeCommand({ FunctionName: name }));
  return JSON.parse(Buffer.from(Payload!).toString('utf8')) as Answer;
};

describe('the AWS emulator', () => {
  let fixture: EmulatorFixture;
  let name: string;
  beforeAll(async () => {
    fixture = await startEmulatorFixture({ environment: { AWS_ENDPOINT_URL_SESV2: 'http://127.0.0.1:1' } });
    const outputs = await fixture.deploy({
      Resources: { ...lambda('Idle', idle), Bucket: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'kept' } } },
      Outputs: { name: { Value: ref('Idle') } },
    });
    name = outputs['name']!;
  });
  afterAll(() => fixture.end());

  test('runs Lambdas with this checkout’s Node.js and the given environment, not with the user’s', async () => {
    const { environment } = await invoke(fixture.clientConfig, name);
    expect(environment['PATH']!.split(':')[0]).toBe(resolve('node_modules/node/bin'));
    expect(environment['AWS_ENDPOINT_URL_SESV2']).toBe('http://127.0.0.1:1');
    expect(environment['AWS_ENDPOINT_URL']).toBe(fixture.emulator.endpoint);
    expect(environment['HOME']).toBe(join(fixture.stateDirectory, 'tmp'));
  });

  test('keeps its state and stacks over a restart', async () => {
    const [dynamodb, s3] = [new DynamoDBClient(fixture.clientConfig), new S3Client({ ...fixture.clientConfig, forcePathStyle: true })];
    await dynamodb.send(
      new CreateTableCommand({
        TableName: 'kept',
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      }),
    );
    await dynamodb.send(new PutItemCommand({ TableName: 'kept', Item: { pk: { S: 'a' }, value: { N: '1' } } }));
    await s3.send(new PutObjectCommand({ Bucket: 'kept', Key: 'inbound/one', Body: 'a message' }));
    await fixture.restart();
    expect((await dynamodb.send(new GetItemCommand({ TableName: 'kept', Key: { pk: { S: 'a' } } }))).Item).toEqual({ pk: { S: 'a' }, value: { N: '1' } });
    expect(await (await s3.send(new GetObjectCommand({ Bucket: 'kept', Key: 'inbound/one' }))).Body!.transformToString()).toBe('a message');
    expect((await invoke(fixture.clientConfig, name)).pid).toBeGreaterThan(0);
  });

  test('ends with its Lambda processes and leaves no temporary files', async () => {
    const { pid } = await invoke(fixture.clientConfig, name);
    expect(isAlive(pid)).toBe(true);
    const emulatorPid = fixture.emulator.pid;
    await fixture.emulator.stop();
    expect([isAlive(emulatorPid), isAlive(pid)]).toEqual([false, false]);
    expect(await readdir(fixture.stateDirectory)).not.toContain('tmp');
    await fixture.restart();
  });

  test('listens on the loopback interface only', async () => {
    const table = await readFile(`/proc/${fixture.emulator.pid}/net/tcp`, 'utf8').catch(() => undefined);
    if (table === undefined) return;
    const listening = table
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === '0A')
      .map((fields) => fields[1]!);
    const hex = Number(new URL(fixture.emulator.endpoint).port).toString(16).toUpperCase().padStart(4, '0');
    expect(listening.filter((address) => address.endsWith(`:${hex}`))).toEqual([`0100007F:${hex}`]);
  });
});

describe('an emulator that was killed in its first run', () => {
  test('starts without the buckets that no stack has', async () => {
    const fixture = await startEmulatorFixture();
    const bucket = { Resources: { Bucket: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'left-behind' } } } };
    await fixture.deploy(bucket);
    process.kill(fixture.emulator.pid, 'SIGKILL');
    await fixture.emulator.ended;
    await fixture.restart();
    await fixture.deploy(bucket);
    await fixture.end();
  });
});

describe('an emulator during a deployment', () => {
  test('stops quickly, and the next one can deploy', async () => {
    const fixture = await startEmulatorFixture();
    const silent = {
      Resources: {
        ...lambda('Silent', 'exports.handler = async () => undefined'),
        Custom: { Type: 'Custom::Silent', Properties: { ServiceToken: getAtt('Silent', 'Arn'), ServiceTimeout: 60 } },
      },
    };
    const deployment = fixture.deploy(silent).catch(() => 'interrupted');
    const logs = new CloudWatchLogsClient(fixture.clientConfig);
    await eventually(async () => (await logs.send(new DescribeLogGroupsCommand({}))).logGroups?.some((group) => group.logGroupName?.includes('Silent')));
    const begun = Date.now();
    await fixture.emulator.stop();
    expect(Date.now() - begun).toBeLessThan(45_000);
    expect(await deployment).toBe('interrupted');
    await fixture.restart();
    const { Stacks } = await new CloudFormationClient(fixture.clientConfig).send(new DescribeStacksCommand({}));
    expect(Stacks?.map((stack) => stack.StackStatus)).toEqual(['ROLLBACK_COMPLETE']);
    await fixture.end();
  });
});

describe('an emulator that cannot start', () => {
  test('names the taken port', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((done) => {
      other.once('listening', done);
    });
    const { port } = other.address() as AddressInfo;
    await expect(startEmulator({ port, stateDirectory: join(venvDirectory, '..', 'nowhere'), venvDirectory })).rejects.toMatchObject({
      name: 'SandboxError',
      message: `Port ${port} for the AWS emulator is taken by another program.`,
    });
    other.close();
  });

  test('names the missing Python environment', async () => {
    await expect(startEmulator({ port: 1, stateDirectory: '/nowhere', venvDirectory: '/nowhere/venv' })).rejects.toMatchObject({
      name: 'SandboxError',
      message: 'There is no Python environment in /nowhere/venv.',
    });
  });

  test('names the wrong version of MiniStack', async () => {
    const program = 'import launcher; launcher.MINISTACK = "9.9.9"; launcher.main()';
    const failing = promisify(execFile)(pythonIn(venvDirectory), ['-c', program], { cwd: resolve('sandbox/emulator') });
    await expect(failing).rejects.toMatchObject({
      stderr: 'The sandbox needs MiniStack 9.9.9, but 1.5.33 is installed: its gaps are closed for one version only.\n',
    });
  });
});

describe('an emulator whose parent process was killed', () => {
  test('ends with its Lambda processes', async () => {
    const [port, stateDirectory] = [await freePort(), await mkdtemp(join(tmpdir(), 'postrider-emulator-'))];
    const starter = fork(resolve('test/sandbox/emulator/emulator-parent.ts'), [String(port), stateDirectory, venvDirectory], {
      execPath: resolve('node_modules/node/bin/node'),
      execArgv: [],
    });
    const emulatorPid = await new Promise<number>((done, fail) => {
      starter.once('message', (message) => done(message as number));
      starter.once('exit', () => fail(new Error('It ended early.')));
    });
    const reach = clientConfigFor(`http://127.0.0.1:${port}`);
    const { name } = await createStack(reach, 'Killed', { Resources: lambda('Idle', idle), Outputs: { name: { Value: ref('Idle') } } });
    const { pid } = await invoke(reach, name!);
    expect([emulatorPid, pid].map(isAlive)).toEqual([true, true]);
    starter.kill('SIGKILL');
    await eventually(async () => ![emulatorPid, pid].some(isAlive));
    await rm(stateDirectory, { recursive: true, force: true });
  });
});

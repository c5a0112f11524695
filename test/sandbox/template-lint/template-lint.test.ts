import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../../sandbox/process/child-processes.ts';
import { preparePythonEnvironment } from '../../../sandbox/emulator/python-environment.ts';
import { contextKeys } from '../../../lib/deployment-context.ts';
import { everything, synthesize } from '../../lib/stack-under-test.ts';

const root = join(__dirname, '..', '..', '..');
const venv = join(root, '.postrider', 'cfn-lint');

/** A value for every setting, each of which changes the template. */
const everySetting: Record<string, unknown> = {
  ...everything, prefix: 'staging', dynamicRegistration: 'false', removalPolicy: 'destroy', webPushNetworks: '["10.1.0.0/16"]',
  publicUrls: '{"jmap":"https://mail.example.com","webSocketManagement":"https://gateway.example.net/{apiId}/jmap"}',
  lambdaConcurrency: 1000, maxOctetsPerAccount: 5_000_000_000, maxEmailsPerAccount: 200_000, maxRecipientsPerMinute: 100,
  maxRecipientsPerDay: 2_000, authDomainPrefix: 'example-mail', stackName: 'PostriderStaging',
};

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'postrider-lint-'));
  await preparePythonEnvironment({ directory: venv, requirements: join(__dirname, 'requirements.lock') });
}, 300_000);
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Findings of cfn-lint in templates, without W3005: the CDK writes dependencies that a reference implies. */
const lint = async (templates: Readonly<Record<string, unknown>>): Promise<string[]> => {
  const files = await Promise.all(Object.entries(templates).map(async ([name, template]) => {
    const file = join(directory, `${name}.json`);
    await writeFile(file, JSON.stringify(template, undefined, 1));
    return file;
  }));
  const { lines } = await run(
    join(venv, 'bin', 'cfn-lint'), ['--regions', 'us-east-1', '--ignore-checks', 'W3005', '--format', 'parseable', '--', ...files],
    { environment: { PATH: process.env['PATH'], HOME: directory } },
  );
  return lines.filter((line) => line !== '');
};

describe('cfn-lint', () => {
  test('finds nothing in the template, with the settings of cdk.json and with every setting', async () => {
    expect(Object.keys(everySetting).sort()).toEqual(Object.keys(contextKeys).sort());
    const { context } = JSON.parse(await readFile(join(root, 'cdk.json'), 'utf8')) as { context: Record<string, unknown> };
    const plain = synthesize({ ...context, domain: 'example.com' }).json;
    expect(await lint({ plain, every: synthesize(everySetting).json })).toEqual([]);
  }, 600_000);

  test('finds a property that CloudFormation does not know', async () => {
    const queue = { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeOut: 30 } };
    expect(await lint({ wrong: { Resources: { Queue: queue } } })).toEqual([expect.stringContaining('E3002')]);
  }, 600_000);
});

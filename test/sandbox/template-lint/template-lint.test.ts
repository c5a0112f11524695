import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../../sandbox/process/child-processes.ts';
import { preparePythonEnvironment } from '../../../sandbox/emulator/python-environment.ts';
import { receivingRegions } from '../../../contract/deployment/receiving-regions.ts';
import { contextKeys } from '../../../lib/deployment-context.ts';
import { everySetting, synthesize } from '../../lib/stack-under-test.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const venv = join(root, '.postrider', 'cfn-lint');

const directory = temporaryDirectory('file');
beforeAll(() => preparePythonEnvironment({ directory: venv, requirements: join(import.meta.dirname, 'requirements.lock') }));

/**
 * Findings of cfn-lint in templates, for each region in which SES receives mail. W3005 is left out: the CDK writes
 * dependencies that a reference already implies.
 */
const lint = async (templates: Readonly<Record<string, unknown>>): Promise<string[]> => {
  const files = await Promise.all(Object.entries(templates).map(async ([name, template]) => {
    const file = directory(`${name}.json`);
    await writeFile(file, JSON.stringify(template, undefined, 1));
    return file;
  }));
  const { lines } = await run(
    join(venv, 'bin', 'cfn-lint'), ['--regions', ...receivingRegions.names, '--ignore-checks', 'W3005', '--format', 'parseable', '--', ...files],
    { environment: { PATH: process.env['PATH'], HOME: directory() } },
  );
  return lines.filter((line) => line !== '');
};

describe('cfn-lint', () => {
  test('finds nothing in the template of each stack, with the settings of cdk.json and with every setting, in any region in which SES receives mail', async () => {
    expect(Object.keys(everySetting).sort()).toEqual(Object.keys(contextKeys).sort());
    const { context } = JSON.parse(await readFile(join(root, 'cdk.json'), 'utf8')) as { context: Record<string, unknown> };
    const templates = Object.entries({ plain: { ...context, domain: 'example.com' }, every: everySetting }).flatMap(([name, settings]) =>
      Object.entries(synthesize(settings).templates).map(([stack, template]) => [`${name}-${stack}`, template] as const));
    expect(templates).toHaveLength(6);
    expect(await lint(Object.fromEntries(templates))).toEqual([]);
  });

  test('finds a property that CloudFormation does not know', async () => {
    const queue = { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeOut: 30 } };
    expect(await lint({ wrong: { Resources: { Queue: queue } } })).toEqual([expect.stringContaining('E3002')]);
  });

  test('finds a resource that one of the regions does not have', async () => {
    const robot = { Type: 'AWS::RoboMaker::Fleet' };
    expect(await lint({ wrong: { Resources: { Robot: robot } } })).toContainEqual(expect.stringMatching(/E3006.*sa-east-1/));
  });
});

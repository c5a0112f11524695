import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { requiredOutput, stackWithOutputs } from '../../sandbox/deployment/sandbox-stack.ts';
import { projectDirectory } from '../../sandbox/state/state-directory.ts';
import type { Observation } from '../integration/observation.ts';
import { describeStack } from '../stack-people.ts';
import { interruptSignal, runIntegrationTests } from '../test-stages.ts';
import { assumptionsIn } from './assumptions.ts';
import { deleteServices } from './delete-services.ts';
import { linesOf, namePattern, reportText } from './report.ts';

const usage = `npm run aws:first-hour -- --outputs FILE [options]

Tries what only an AWS account can prove (docs/aws-assumptions.md) on a deployment, and prints what AWS did: a table
without addresses and secrets, to be pasted into an issue. It makes people, mail accounts, domains and a support case, and
removes them at the end. OAuth clients that it registers go when they are unused for some days. It takes about 15 minutes and costs
less than a dollar. Exit code 1: an assumption is wrong.

  --outputs FILE    the file that cdk deploy --outputs-file wrote, or a sandbox.json
  --admin-token T   an admin's access token. Without it: the headless client AdminHeadless, or the person who is signed
                    in by npx postrider-admin login --outputs FILE
  --delete-and-deploy -c KEY=VALUE …
                    first deletes the stacks of services and deploys them again, with the settings of the deployment.
                    Nothing is lost, but nobody can sign in meanwhile (about 20 minutes), and SES refuses mail

It needs AWS credentials that may set passwords in the user pool, as those of the deployment.
Mail is tried when the domain of the deployment is verified and its MX record names SES (docs/deploy.md, step 6).`;

const { values } = parseArgs({
  options: {
    outputs: { type: 'string' },
    'admin-token': { type: 'string' },
    'delete-and-deploy': { type: 'boolean' },
    context: { type: 'string', short: 'c', multiple: true, default: [] },
    help: { type: 'boolean', short: 'h' },
  },
});
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const signal = interruptSignal();

/** Deletes the services and deploys them again. Writes the outputs to the file. */
const deleteAndDeploy = async (file: string): Promise<void> => {
  const { stackName, outputs } = stackWithOutputs(JSON.parse(await readFile(file, 'utf8')) as Record<string, Record<string, string>>);
  const client = new CloudFormationClient({ region: requiredOutput(outputs, 'region') });
  await deleteServices(client, stackName, say);
  client.destroy();
  const cdk = spawn(
    process.execPath,
    [
      join(projectDirectory, 'node_modules', 'aws-cdk', 'bin', 'cdk'),
      'deploy',
      '--all',
      '--require-approval',
      'never',
      '--outputs-file',
      file,
      ...[`stackName=${stackName}`, ...values.context].flatMap((setting) => ['-c', setting]),
    ],
    { cwd: projectDirectory, stdio: 'inherit', signal },
  );
  const [code] = (await once(cdk, 'exit')) as [number | null];
  if (code !== 0) throw new Error('The services were deleted, and cdk deploy failed. Repair what it says, and deploy again: the data are all there.');
};

const versionOf = async (): Promise<string> => (JSON.parse(await readFile(join(projectDirectory, 'package.json'), 'utf8')) as { version: string }).version;

/** Runs the tests of the assumptions and prints the table. @returns whether no assumption is wrong. */
const tryAssumptions = async (file: string): Promise<boolean> => {
  const assumptions = assumptionsIn(await readFile(join(projectDirectory, 'docs', 'aws-assumptions.md'), 'utf8'));
  const directory = await mkdtemp(join(tmpdir(), 'postrider-first-hour-'));
  const observed = join(directory, 'observations');
  const stack = await describeStack(file, { adminToken: values['admin-token'], signal, say });
  try {
    if (!stack.hasPeople) return false;
    if (values['delete-and-deploy']) {
      if (stack.isSandbox) throw new Error('In a sandbox, npm run test:two-deployments deletes and deploys again.');
      await deleteAndDeploy(file);
      await stack.describeAgain();
    }
    say(`Trying ${assumptions.length} assumptions …`);
    const { tests = [], output } = await runIntegrationTests(
      stack.file,
      {
        jestOptions: ['--testNamePattern', namePattern(assumptions)],
        files: [...new Set(assumptions.map((each) => each.file))],
        environment: { POSTRIDER_OBSERVATIONS: observed },
      },
      signal,
      (line) => {
        if (/^(?:PASS|FAIL) /.test(line)) say(line);
      },
    );
    if (tests.length === 0) throw new Error(['No test ran.', ...output.slice(-20)].join('\n'));
    const observations = (await readFile(observed, 'utf8').catch(() => ''))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Observation);
    const place = stack.isSandbox ? 'the sandbox' : `AWS in ${stack.region}`;
    const title = `Postrider ${await versionOf()} on ${place}, ${new Date().toISOString().slice(0, 10)}`;
    const lines = linesOf(assumptions, tests, observations);
    say(`\n${reportText(title, lines, Math.max(100, process.stdout.columns || 160))}`);
    return lines.every(({ state }) => state !== 'FAILED');
  } finally {
    await stack.remove();
    await rm(directory, { recursive: true, force: true });
  }
};

if (values.help || values.outputs === undefined) {
  say(usage);
  process.exit(values.help ? 0 : 2);
}
process.exit(
  (await tryAssumptions(resolve(values.outputs)).catch((error: unknown) => {
    say((error as Error).message);
    return false;
  }))
    ? 0
    : 1,
);

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { deploy, synthesize, type CdkDeployment } from '../../sandbox/deployment/cdk-deployment.ts';
import { freeBasePort } from '../../sandbox/process/ports.ts';
import { plainLines, progressReport } from '../../sandbox/process/progress-report.ts';
import { SandboxError } from '../../sandbox/process/sandbox-error.ts';
import { projectDirectory, stateDirectory } from '../../sandbox/state/state-directory.ts';
import { startSandbox } from '../../sandbox/supervisor.ts';
import { interruptSignal } from '../test-stages.ts';
import { changeTemplate, refused } from './changed-template.ts';
import { mailClientOf } from './mail-client.ts';
import { deliverWhile } from './mail-in-flight.ts';

/**
 * `npm run test:rollback`: deploys services that fail after every Lambda was changed, while mail arrives. CloudFormation
 * rolls them back. No message may be lost.
 */
const { values } = parseArgs({ options: { port: { type: 'string' } } });
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const state = stateDirectory(join(projectDirectory, '.postrider', 'rollback'));

/**
 * Changes every Lambda of the synthesized services.
 * @param isBroken whether to add a resource that fails after them.
 */
const changeServices = (deployment: CdkDeployment, isBroken: boolean): Promise<void> =>
  changeTemplate(deployment, deployment.stackName, (resources) => {
    const lambdas = Object.entries(resources).filter(([, { Type }]) => Type === 'AWS::Lambda::Function');
    for (const [, lambda] of lambdas) lambda.Properties = { ...lambda.Properties, Description: isBroken ? 'A release that fails' : 'The release after it' };
    if (isBroken) resources['Refused'] = refused(lambdas.map(([id]) => id));
  });

const statusOf = async ({ aws, stackName }: CdkDeployment): Promise<string | undefined> => {
  const client = new CloudFormationClient(awsClientConfig(aws));
  try {
    return (await client.send(new DescribeStacksCommand({ StackName: stackName }))).Stacks?.[0]?.StackStatus;
  } finally {
    client.destroy();
  }
};

const run = async (): Promise<boolean> => {
  const basePort = values.port === undefined ? await freeBasePort(5950) : Number(values.port);
  const report = progressReport(plainLines((text) => process.stdout.write(text)));
  const sandbox = await startSandbox({ basePort, state, enforceIam: false, report, signal: interruptSignal() });
  try {
    const { description, deployment } = sandbox;
    const alice = description.users.find(({ accountId }) => accountId)!;
    const client = await mailClientOf(alice, description);
    let failure = 'none: the deployment succeeded';
    let status: string | undefined;
    const { accepted, lost, doubled } = await deliverWhile(description, alice.email, client, async () => {
      await synthesize(deployment);
      await changeServices(deployment, true);
      await deploy(deployment).catch((error: unknown) => {
        if (!(error instanceof SandboxError)) throw error;
        failure = error.message;
      });
      status = await statusOf(deployment);
    });
    say(`the deployment's failure: ${failure}\nthe stack: ${status}`);
    say(`mail meanwhile: ${accepted} accepted, ${lost.length} lost, ${doubled.length} doubled`);
    await synthesize(deployment);
    await changeServices(deployment, false);
    await deploy(deployment);
    const recovered = await statusOf(deployment);
    say(`the next deployment: ${recovered}`);
    return status === 'UPDATE_ROLLBACK_COMPLETE' && recovered === 'UPDATE_COMPLETE' && accepted > 0 && lost.length === 0 && doubled.length === 0;
  } finally {
    await sandbox.stop();
    await rm(state.path, { recursive: true, force: true, maxRetries: 5 });
  }
};

const isPassed = await run();
say(isPassed ? '1 passed, 0 failed' : '0 passed, 1 failed');
process.exit(isPassed ? 0 : 1);

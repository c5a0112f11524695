import { mkdir, readFile, readdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { CloudFormationClient, DescribeStacksCommand, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import { run, type Finished } from '../process/child-processes.ts';
import { SandboxError } from '../process/sandbox-error.ts';
import { projectDirectory, type StateDirectory } from '../state/state-directory.ts';
import { emulatorEnvironment, awsClientConfig, emulatorAccount, sandboxRegion, type AwsTarget } from './aws-target.ts';

export type CdkDeployment = {
  readonly aws: AwsTarget & { readonly awsEndpointUrl: string };
  readonly state: StateDirectory;
  /** The stack with the outputs. */
  readonly stackName: string;
  /** The checkout whose CDK app is deployed. Default: this one. */
  readonly appDirectory?: string;
  /** CDK context. Values other than strings are passed as JSON. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** Shows the current action. */
  readonly detail: (text: string) => void;
};

const bootstrapStack = 'CDKToolkit';
const cdkProgram = join(projectDirectory, 'node_modules', 'aws-cdk', 'bin', 'cdk');
const exitWithSupervisor = join(import.meta.dirname, '..', 'process', 'end-with-supervisor.mjs');

const cdkEnvironment = ({ aws }: CdkDeployment): Record<string, string | undefined> => ({
  ...emulatorEnvironment(aws.awsEndpointUrl),
  PATH: [dirname(process.execPath), join(projectDirectory, 'node_modules', '.bin'), process.env['PATH']].join(delimiter),
  HOME: process.env['HOME'],
  TMPDIR: process.env['TMPDIR'],
  NODE_EXTRA_CA_CERTS: aws.caCertificate,
  // Node.js processes that cdk starts, such as the CDK app, inherit both.
  POSTRIDER_SUPERVISOR: String(process.pid),
  NODE_OPTIONS: `--import ${JSON.stringify(exitWithSupervisor)}`,
  CDK_DISABLE_CLI_TELEMETRY: 'true',
  // The template tests and `cdk deploy` to AWS check the template by rules. It takes a third of a synthesis.
  CDK_VALIDATION: 'false',
  AWS_EC2_METADATA_DISABLED: 'true',
});

/** Minutes after which a deployment is aborted. */
const cdkTimeoutMinutes = 6;

const cdk = async (deployment: CdkDeployment, args: readonly string[], directory: string = projectDirectory): Promise<Finished> => {
  const tooLong = AbortSignal.timeout(cdkTimeoutMinutes * 60_000);
  try {
    return await run(process.execPath, [cdkProgram, ...args, '--no-notices', '--no-color', '--ci'], {
      cwd: directory,
      environment: cdkEnvironment(deployment),
      signal: AbortSignal.any([deployment.signal, tooLong]),
      onLine: (line) => {
        const resource = /\|\s*(\d+\/\d+)\s*\|[^|]*\|\s*(\w+)\s*\|\s*([\w:]+)/.exec(line);
        if (resource) deployment.detail(`${resource[1]} ${resource[3]}`);
      },
    });
  } catch (error) {
    if (deployment.signal.aborted || !tooLong.aborted) throw error;
    throw new SandboxError(`cdk ${args[0]} did not end within ${cdkTimeoutMinutes} minutes.`, `The emulator's log: ${deployment.state.emulatorLog}`);
  }
};

/** Kinds of lines in the output of cdk. */
const linePatterns = {
  /** Progress lines and stack traces, which are not shown. */
  noise: /^at .+[:)]\d*|^node:internal|^Node\.js v|^✨|^[\w-]+: (start|success|deploying|creating|built|building)\b|Subprocess exited with error/i,
  failed: /\b\w+_FAILED\b/,
  error: /^(❌|\w*Error\b|\[?error\]?\b|.*\bfailed:)/i,
} as const;

/**
 * The lines of a failed cdk command that give the reason: failed resources, else errors, else the last lines. Stack
 * traces are left out, and resources that were cancelled because another one failed.
 */
export const failureReason = (lines: readonly string[]): string => {
  const relevant = lines.map((line) => line.trim()).filter((line) => line !== '' && !linePatterns.noise.test(line));
  const failedResources = relevant
    .filter((line) => linePatterns.failed.test(line) && !/cancel+ed/i.test(line))
    .map((line) => line.replace(/^.*?\|\s*(?=\w+_FAILED)/, ''));
  const errors = relevant.filter((line) => linePatterns.error.test(line));
  const reason = failedResources.length > 0 ? failedResources : errors.length > 0 ? errors : relevant.slice(-5);
  return [...new Set(reason)].slice(0, 8).join('\n');
};

const withCloudFormation = async <T>(deployment: CdkDeployment, action: (client: CloudFormationClient) => Promise<T>): Promise<T> => {
  const client = new CloudFormationClient(awsClientConfig(deployment.aws));
  try {
    return await action(client);
  } finally {
    client.destroy();
  }
};

/** Outputs of a stack whose last deployment succeeded; undefined for any other stack. */
const findCompleteStack = (deployment: CdkDeployment, name: string): Promise<Record<string, string> | undefined> =>
  withCloudFormation(deployment, async (client) => {
    const response = await client.send(new DescribeStacksCommand({ StackName: name })).catch((error: Error) => {
      if (/does not exist/.test(error.message)) return undefined;
      throw error;
    });
    const stack = response?.Stacks?.[0];
    if (!stack || !['CREATE_COMPLETE', 'UPDATE_COMPLETE'].includes(stack.StackStatus ?? '')) return undefined;
    return Object.fromEntries((stack.Outputs ?? []).map((output) => [output.OutputKey ?? '', output.OutputValue ?? '']));
  });

/** Runs `cdk bootstrap`. @returns false when the account was already bootstrapped. */
export const bootstrap = async (deployment: CdkDeployment): Promise<boolean> => {
  if (await findCompleteStack(deployment, bootstrapStack)) return false;
  // Not in the project's folder: bootstrap would run the CDK app that it finds there.
  const { code, lines } = await cdk(deployment, ['bootstrap', `aws://${emulatorAccount}/${sandboxRegion}`], deployment.state.path);
  if (code !== 0) {
    throw new SandboxError(`cdk bootstrap failed:\n${failureReason(lines)}`, 'Delete the state and start again: npm run sandbox -- reset');
  }
  return true;
};

const contextOptions = (context: CdkDeployment['context']): string[] =>
  Object.entries(context).flatMap(([name, value]) => ['-c', `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`]);

/** Synthesizes template and assets of the CDK app. */
export const synthesize = async (deployment: CdkDeployment): Promise<void> => {
  await mkdir(deployment.state.path, { recursive: true });
  const { code, lines } = await cdk(
    deployment,
    ['synth', '--all', '--quiet', '--output', deployment.state.assembly, ...contextOptions(deployment.context)],
    deployment.appDirectory,
  );
  if (code !== 0) throw new SandboxError(`The CDK app could not be synthesized:\n${failureReason(lines)}`);
};

/** The synthesized templates by the names of their stacks. */
const synthesizedTemplates = async ({ state }: CdkDeployment): Promise<ReadonlyMap<string, unknown>> => {
  const ending = '.template.json';
  const files = (await readdir(state.assembly)).filter((file) => file.endsWith(ending));
  return new Map(
    await Promise.all(
      files.map(async (file) => [file.slice(0, -ending.length), JSON.parse(await readFile(join(state.assembly, file), 'utf8')) as unknown] as const),
    ),
  );
};

const deployedTemplate = (deployment: CdkDeployment, name: string): Promise<unknown> =>
  withCloudFormation(deployment, async (client) => {
    const { TemplateBody } = await client.send(new GetTemplateCommand({ StackName: name, TemplateStage: 'Original' }));
    return JSON.parse(TemplateBody ?? '{}');
  });

/**
 * Whether each synthesized template is deployed already. A template contains the hashes of its assets, so changed code
 * is a changed template.
 */
const isDeployed = async (deployment: CdkDeployment): Promise<boolean> => {
  for (const [name, template] of await synthesizedTemplates(deployment)) {
    if (!(await findCompleteStack(deployment, name)) || !isDeepStrictEqual(template, await deployedTemplate(deployment, name))) return false;
  }
  return true;
};

/** Deploys all stacks of the synthesized app, unless the same templates are deployed already. */
export const deploy = async (deployment: CdkDeployment): Promise<{ outputs: Record<string, string>; changed: boolean }> => {
  const { stackName, state } = deployment;
  const outputsBefore = await findCompleteStack(deployment, stackName);
  if (outputsBefore && (await isDeployed(deployment))) return { outputs: outputsBefore, changed: false };
  const { code, lines } = await cdk(deployment, [
    'deploy',
    '--all',
    '--app',
    state.assembly,
    '--require-approval',
    'never',
    '--outputs-file',
    state.outputs,
    '--progress',
    'events',
  ]);
  if (code !== 0) throw new SandboxError(`cdk deploy failed:\n${failureReason(lines)}`);
  const outputs: Record<string, Record<string, string>> = JSON.parse(await readFile(state.outputs, 'utf8'));
  return { outputs: outputs[stackName] ?? {}, changed: true };
};

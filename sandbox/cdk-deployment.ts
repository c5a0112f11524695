import { mkdir, readFile, readdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { CloudFormationClient, DescribeStacksCommand, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import { awsEnvironment, awsOf, emulatorAccount, sandboxRegion, type AwsPlace } from './aws-target.ts';
import { run, type Finished } from './child-processes.ts';
import { SandboxError } from './sandbox-error.ts';
import { projectDirectory, type StateDirectory } from './state-directory.ts';

export type Deployment = {
  readonly aws: AwsPlace & { readonly awsEndpointUrl: string };
  readonly state: StateDirectory;
  readonly stackName: string;
  /** CDK context; what is no string is handed over as JSON. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** What is being done just now. */
  readonly detail: (text: string) => void;
};

const bootstrapStack = 'CDKToolkit';
const cdkProgram = join(projectDirectory, 'node_modules', 'aws-cdk', 'bin', 'cdk');
const companion = join(import.meta.dirname, 'end-with-supervisor.mjs');

const environmentOf = ({ aws }: Deployment): Record<string, string | undefined> => ({
  ...awsEnvironment(aws.awsEndpointUrl),
  PATH: [dirname(process.execPath), join(projectDirectory, 'node_modules', '.bin'), process.env['PATH']].join(delimiter),
  HOME: process.env['HOME'],
  TMPDIR: process.env['TMPDIR'],
  NODE_EXTRA_CA_CERTS: aws.caCertificate,
  // For the app as well, which cdk runs.
  POSTRIDER_SUPERVISOR: String(process.pid),
  NODE_OPTIONS: `--import ${JSON.stringify(companion)}`,
  CDK_DISABLE_CLI_TELEMETRY: 'true',
  AWS_EC2_METADATA_DISABLED: 'true',
});

/** Minutes, that a loaded machine may need; a deployment that hangs ends after them. */
const patience = 6;

const cdk = async (deployment: Deployment, args: readonly string[], directory: string = projectDirectory): Promise<Finished> => {
  const tooLong = AbortSignal.timeout(patience * 60_000);
  try {
    return await run(process.execPath, [cdkProgram, ...args, '--no-notices', '--no-color', '--ci'], {
      cwd: directory,
      environment: environmentOf(deployment),
      signal: AbortSignal.any([deployment.signal, tooLong]),
      onLine: (line) => {
        const resource = /\|\s*(\d+\/\d+)\s*\|[^|]*\|\s*(\w+)\s*\|\s*([\w:]+)/.exec(line);
        if (resource) deployment.detail(`${resource[1]} ${resource[3]}`);
      },
    });
  } catch (error) {
    if (deployment.signal.aborted || !tooLong.aborted) throw error;
    throw new SandboxError(`cdk ${args[0]} did not come to an end within ${patience} minutes.`, `What the emulator says: ${deployment.state.emulatorLog}`);
  }
};

/** Kinds of lines that cdk writes. */
const says = {
  /** Progress, and stacks of calls. */
  nothing: /^at .+[:)]\d*|^node:internal|^Node\.js v|^✨|^[\w-]+: (start|success|deploying|creating|built|building)\b|Subprocess exited with error/i,
  failed: /\b\w+_FAILED\b/,
  error: /^(❌|\w*Error\b|\[?error\]?\b|.*\bfailed:)/i,
} as const;

/**
 * The lines of a failed command that say why: resources that failed by themselves, else errors, else the last lines. Stacks of calls are left out.
 * A resource that was cancelled because of another says nothing.
 */
export const reasonOf = (lines: readonly string[]): string => {
  const told = lines.map((line) => line.trim()).filter((line) => line !== '' && !says.nothing.test(line));
  const failedResources = told.filter((line) => says.failed.test(line) && !/cancel+ed/i.test(line)).map((line) => line.replace(/^.*?\|\s*(?=\w+_FAILED)/, ''));
  const errors = told.filter((line) => says.error.test(line));
  const telling = failedResources.length > 0 ? failedResources : errors.length > 0 ? errors : told.slice(-5);
  return [...new Set(telling)].slice(0, 8).join('\n');
};

const cloudFormation = async <T>(deployment: Deployment, ask: (client: CloudFormationClient) => Promise<T>): Promise<T> => {
  const client = new CloudFormationClient(awsOf(deployment.aws));
  try {
    return await ask(client);
  } finally {
    client.destroy();
  }
};

/** Outputs of a stack that stands; undefined when there is none, or one that did not come to a good end. */
const standingStack = (deployment: Deployment, name: string): Promise<Record<string, string> | undefined> => cloudFormation(deployment, async (client) => {
  const answer = await client.send(new DescribeStacksCommand({ StackName: name })).catch((error: Error) => {
    if (/does not exist/.test(error.message)) return undefined;
    throw error;
  });
  const stack = answer?.Stacks?.[0];
  if (!stack || !['CREATE_COMPLETE', 'UPDATE_COMPLETE'].includes(stack.StackStatus ?? '')) return undefined;
  return Object.fromEntries((stack.Outputs ?? []).map((output) => [output.OutputKey ?? '', output.OutputValue ?? '']));
});

/** Prepares the account for CDK. @returns false when that was done before. */
export const bootstrap = async (deployment: Deployment): Promise<boolean> => {
  if (await standingStack(deployment, bootstrapStack)) return false;
  // Elsewhere than in the project: bootstrap needs no app, and would run one that it finds.
  const { code, lines } = await cdk(deployment, ['bootstrap', `aws://${emulatorAccount}/${sandboxRegion}`], deployment.state.path);
  if (code !== 0) throw new SandboxError(`cdk bootstrap failed:\n${reasonOf(lines)}`, 'Begin anew: npm run sandbox -- reset');
  return true;
};

const contextOptions = (context: Deployment['context']): string[] =>
  Object.entries(context).flatMap(([name, value]) => ['-c', `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`]);

/** Makes template and assets of the app that goes to AWS. */
export const synthesize = async (deployment: Deployment): Promise<void> => {
  await mkdir(deployment.state.path, { recursive: true });
  const { code, lines } = await cdk(deployment, ['synth', '--quiet', '--output', deployment.state.assembly, ...contextOptions(deployment.context)]);
  if (code !== 0) throw new SandboxError(`The CDK app could not be synthesized:\n${reasonOf(lines)}`);
};

const synthesizedTemplate = async ({ state, stackName }: Deployment): Promise<unknown> => {
  const names = await readdir(state.assembly);
  const name = names.find((file) => file === `${stackName}.template.json`);
  return name ? JSON.parse(await readFile(join(state.assembly, name), 'utf8')) : undefined;
};

const deployedTemplate = (deployment: Deployment): Promise<unknown> => cloudFormation(deployment, async (client) => {
  const { TemplateBody } = await client.send(new GetTemplateCommand({ StackName: deployment.stackName, TemplateStage: 'Original' }));
  return JSON.parse(TemplateBody ?? '{}');
});

/**
 * Deploys what {@link synthesize} made, unless that very template stands already.
 * The assets' hashes are in the template, so changed code is a changed template.
 */
export const deploy = async (deployment: Deployment): Promise<{ outputs: Record<string, string>; changed: boolean }> => {
  const { stackName, state } = deployment;
  const standing = await standingStack(deployment, stackName);
  if (standing && isDeepStrictEqual(await synthesizedTemplate(deployment), await deployedTemplate(deployment))) {
    return { outputs: standing, changed: false };
  }
  const { code, lines } = await cdk(deployment, [
    'deploy', stackName, '--app', state.assembly, '--require-approval', 'never', '--outputs-file', state.outputs, '--progress', 'events',
  ]);
  if (code !== 0) throw new SandboxError(`cdk deploy failed:\n${reasonOf(lines)}`);
  const outputs = JSON.parse(await readFile(state.outputs, 'utf8')) as Record<string, Record<string, string>>;
  return { outputs: outputs[stackName] ?? {}, changed: true };
};

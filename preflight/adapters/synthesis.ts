import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..', '..');
const cdkProgram = join(root, 'node_modules', 'aws-cdk', 'bin', 'cdk');

/** A stack of the synthesized app. */
export type SynthesizedStack = {
  readonly name: string;
  readonly resources: { readonly [id: string]: { readonly Type: string; readonly Properties?: Record<string, unknown> } };
  /** The minimum version of the bootstrap stack, and the SSM parameter with its version. */
  readonly bootstrap: { readonly version: number; readonly parameter: string };
};

/** The parts of a cloud assembly's manifest that are read (aws-cdk-lib/cloud-assembly-schema). */
type Manifest = {
  readonly artifacts: {
    readonly [id: string]: {
      readonly type: string;
      readonly properties?: {
        readonly templateFile: string;
        readonly stackName?: string;
        readonly requiresBootstrapStackVersion?: number;
        readonly bootstrapStackVersionSsmParameter?: string;
      };
    };
  };
};

type Template = { readonly Resources: SynthesizedStack['resources'] };

/** The stacks of a cloud assembly. */
export const readAssembly = async (directory: string): Promise<SynthesizedStack[]> => {
  const { artifacts }: Manifest = JSON.parse(await readFile(join(directory, 'manifest.json'), 'utf8'));
  const stacks = Object.entries(artifacts).filter(([, { type }]) => type === 'aws:cloudformation:stack');
  return Promise.all(
    stacks.map(async ([id, { properties }]) => {
      const { Resources: resources }: Template = JSON.parse(await readFile(join(directory, properties!.templateFile), 'utf8'));
      return {
        name: properties!.stackName ?? id,
        resources,
        bootstrap: {
          version: properties!.requiresBootstrapStackVersion ?? 0,
          parameter: properties!.bootstrapStackVersionSsmParameter ?? '/cdk-bootstrap/hnb659fds/version',
        },
      };
    }),
  );
};

/**
 * Runs `cdk synth` with these settings, as the deployment will. The bundles of the Lambdas stay in the cache.
 * @param settings arguments `-c key=value`.
 * @throws Error with the output of the command.
 */
export const cdkSynthesis = (settings: readonly string[]) => async (): Promise<SynthesizedStack[]> => {
  const directory = await mkdtemp(join(tmpdir(), 'postrider-preflight-'));
  try {
    await promisify(execFile)(process.execPath, [cdkProgram, 'synth', '--quiet', '--output', directory, '--no-notices', '--no-color', ...settings], {
      cwd: root,
      env: {
        ...process.env,
        CDK_DISABLE_CLI_TELEMETRY: 'true',
        PATH: [dirname(process.execPath), join(root, 'node_modules', '.bin'), process.env['PATH']].join(delimiter),
      },
    });
    return await readAssembly(directory);
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
    throw stderr ? new Error(stderr.trim(), { cause: error }) : error;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

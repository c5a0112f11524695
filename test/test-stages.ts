import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../sandbox/process/child-processes.ts';
import { findChromium, installChromium } from './integration/chromium-program.ts';
import { freeBasePort } from '../sandbox/process/ports.ts';
import { plainLines, progressReport } from '../sandbox/process/progress-report.ts';
import { SandboxError } from '../sandbox/process/sandbox-error.ts';
import { projectDirectory, stateDirectory } from '../sandbox/state/state-directory.ts';
import { startSandbox } from '../sandbox/supervisor.ts';

/** The result of a stage. */
export type Outcome = {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Titles of skipped groups of tests, with the reason. */
  readonly reasons?: readonly string[];
  readonly output: readonly string[];
};

export type Stage = {
  readonly title: string;
  /** Whether the other stages cannot succeed without this one. */
  readonly isRequired?: boolean;
  /** Runs until the stage ends or the signal is aborted. `onLine` gets each line of output. */
  run(signal: AbortSignal, onLine: (line: string) => void): Promise<Outcome>;
};

const moduleProgram = (...path: string[]): string => join(projectDirectory, 'node_modules', ...path);

/** A stage that runs one program and counts as one test. */
export const programStage = (title: string, program: readonly string[], args: readonly string[]): Stage => ({
  title,
  async run(signal, onLine) {
    const { code, lines } = await run(
      process.execPath, [moduleProgram(...program), ...args], { cwd: projectDirectory, environment: process.env, signal, onLine: onLine },
    );
    return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0, output: lines };
  },
});

/** Finds a browser for the sign-in tests, or installs one. */
export const browserStage: Stage = {
  title: 'browser',
  isRequired: true,
  async run(signal) {
    const output: string[] = [];
    try {
      output.push(findChromium() ?? await installChromium(signal));
      return { passed: 0, failed: 0, skipped: 0, output };
    } catch (error) {
      signal.throwIfAborted();
      return { passed: 0, failed: 1, skipped: 0, output: inWords(error) };
    }
  },
};

type JestResult = {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly ancestorTitles: readonly string[]; readonly status: string }[];
  }[];
};

/** The titles of skipped groups, which contain the reason. */
const reasonsIn = ({ testResults }: JestResult): string[] => [...new Set(testResults.flatMap(({ assertionResults }) => assertionResults)
  .filter(({ status }) => status === 'pending').flatMap(({ ancestorTitles }) => ancestorTitles).filter((title) => title.includes('[skipped: ')))];

/** Runs jest and counts tests by its JSON report. A suite that could not run counts as one failed test. */
const jest = async (
  args: readonly string[],
  environment: Record<string, string | undefined>,
  signal: AbortSignal,
  onLine: (line: string) => void,
): Promise<Outcome> => {
  const directory = await mkdtemp(join(tmpdir(), 'postrider-jest-'));
  const file = join(directory, 'result.json');
  try {
    const { code, lines } = await run(process.execPath, [
      moduleProgram('jest', 'bin', 'jest.js'), '--json', `--outputFile=${file}`, ...args,
    ], {
      cwd: projectDirectory, environment: {
        ...process.env, ...environment,
      }, signal, onLine: (line) => { if (!line.startsWith('{"num')) onLine(line); },
    });
    const output = lines.filter((line) => !line.startsWith('{"num'));
    const result = await readFile(file, 'utf8').then((text) => JSON.parse(text) as JestResult, () => undefined);
    if (!result) return { passed: 0, failed: 1, skipped: 0, output };
    const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
    return {
      passed: result.numPassedTests,
      failed: failed === 0 && code !== 0 ? 1 : failed,
      skipped: result.numPendingTests,
      reasons: reasonsIn(result),
      output,
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

export const jestStage = (title: string, projects: readonly string[]): Stage => ({
  title,
  run: (signal, onLine) => jest(['--selectProjects', ...projects, '--maxWorkers=2'], {}, signal, onLine),
});

/**
 * Runs the integration tests against the deployment in the file: a sandbox.json, or the file of `cdk deploy
 * --outputs-file`.
 */
export const runIntegrationTests = (
  file: string,
  more: readonly string[],
  signal: AbortSignal,
  onLine: (line: string) => void,
): Promise<Outcome> =>
  jest(['--selectProjects', 'integration', '--runInBand', '--forceExit', '--testTimeout=180000', ...more], { POSTRIDER_OUTPUTS: file }, signal, onLine);

const inWords = (error: unknown): string[] =>
  (error instanceof SandboxError
    ? [error.message, error.nextStep ?? '']
    : [(error as Error).stack ?? String(error)]).flatMap((text) => text.split('\n'));

/** The first port of the search for free ones. Sandboxes that start concurrently must not find the same ports. */
const firstPort = (enforceIam: boolean): number => (enforceIam ? 5700 : 5400);

/** Runs the integration tests on a temporary sandbox on free ports. */
export const integrationStage = (
  title: string, options: { readonly enforceIam: boolean; readonly jestOptions?: readonly string[] },
): Stage => ({
  title,
  async run(signal, onLine) {
    const state = stateDirectory(join(projectDirectory, '.postrider', `test-${process.pid}${options.enforceIam ? '-iam' : ''}`));
    const log: string[] = [];
    const report = progressReport(plainLines((text) => { log.push(text.trimEnd()); onLine(text.trimEnd()); }));
    try {
      const basePort = await freeBasePort(firstPort(options.enforceIam));
      const sandbox = await startSandbox({ basePort, state, enforceIam: options.enforceIam, report, signal });
      try {
        const outcome = await runIntegrationTests(state.description, options.jestOptions ?? [], signal, onLine);
        return { ...outcome, output: [...outcome.output, '', 'The log of the sandbox:', ...log] };
      } finally {
        await sandbox.stop();
      }
    } catch (error) {
      signal.throwIfAborted();
      return { passed: 0, failed: 1, skipped: 0, output: [...log, ...inWords(error)] };
    } finally {
      await rm(state.path, { recursive: true, force: true, maxRetries: 5 });
    }
  },
});

/** The numbers in the last line of `test/run-integration.ts`. */
const totals = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/;

/**
 * The integration tests in a separate process. A sandbox that stops ends all child processes of its process, so two
 * concurrent sandboxes need two processes.
 */
export const integrationProcessStage = (title: string, args: readonly string[]): Stage => ({
  title,
  async run(signal, onLine) {
    const { code, lines } = await run(
      process.execPath, [join(projectDirectory, 'test', 'run-integration.ts'), ...args], {
        cwd: projectDirectory, environment: process.env, signal, onLine,
      },
    );
    const [, passed = 0, failed = 0, skipped = 0] = (totals.exec(lines.at(-1) ?? '') ?? []).map(Number);
    return {
      passed,
      failed: failed === 0 && code !== 0 ? 1 : failed,
      skipped,
      reasons: lines.filter((line) => line.includes('[skipped: ') && !line.includes('›')),
      output: lines,
    };
  },
});

/** Aborts on Ctrl-C and termination signals. The running stage then ends all processes that it started. */
export const interruptSignal = (): AbortSignal => {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => controller.abort(new Error('Interrupted')));
  return controller.signal;
};

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refusedRequestsFile } from '../sandbox/emulator/emulator-process.ts';
import { run } from '../sandbox/process/child-processes.ts';
import { freeBasePort } from '../sandbox/process/ports.ts';
import { plainLines, progressReport } from '../sandbox/process/progress-report.ts';
import { SandboxError } from '../sandbox/process/sandbox-error.ts';
import { projectDirectory, stateDirectory } from '../sandbox/state/state-directory.ts';
import { startSandbox } from '../sandbox/supervisor.ts';
import { findChromium, installChromium } from './integration/chromium-program.ts';
import { compareItemAccesses } from './item-accesses.ts';
import { areTooManyFlaky, jestOutcome, jestOutcomeWithSecondTry, type Outcome } from './jest-run.ts';
import { findLoggedData } from './logged-data.ts';

export type Stage = {
  readonly title: string;
  /** Whether the other stages cannot succeed without this one. */
  readonly isRequired?: boolean;
  /** Runs until the stage ends or the signal is aborted. `onLine` gets each line of output. */
  run(signal: AbortSignal, onLine: (line: string) => void): Promise<Outcome>;
};

/** A stage that runs one program, by its path in the project, and counts as one test. */
export const programStage = (title: string, program: string, args: readonly string[] = []): Stage => ({
  title,
  async run(signal, onLine) {
    const { code, lines } = await run(process.execPath, [join(projectDirectory, program), ...args], {
      cwd: projectDirectory,
      environment: process.env,
      signal,
      onLine,
    });
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
      output.push(findChromium() ?? (await installChromium(signal)));
      return { passed: 0, failed: 0, skipped: 0, output };
    } catch (error) {
      signal.throwIfAborted();
      return { passed: 0, failed: 1, skipped: 0, output: inWords(error) };
    }
  },
};

type JestStageOptions = {
  readonly title: string;
  readonly projects: readonly string[];
  readonly maxWorkers: number;
  /** Arguments of jest that choose files. */
  readonly choice?: readonly string[];
};

export const jestStage = ({ title, projects, maxWorkers, choice }: JestStageOptions): Stage => ({
  title,
  run: (signal, onLine) => jestOutcome({ args: ['--selectProjects', ...projects, `--maxWorkers=${maxWorkers}`], choice, signal, onLine }),
});

/** The checks of the whole source text: types, lint and format. */
export const sourceStages: readonly Stage[] = [
  programStage('types', 'node_modules/typescript/bin/tsc', ['--noEmit']),
  programStage('types of the console', 'node_modules/typescript/bin/tsc', ['--noEmit', '--project', 'console']),
  programStage('types of the web mail', 'node_modules/typescript/bin/tsc', ['--noEmit', '--project', 'webmail']),
  programStage('lint', 'node_modules/oxlint/bin/oxlint', ['--type-aware', '--deny-warnings']),
  programStage('format', 'node_modules/oxfmt/bin/oxfmt', ['--check', '.']),
];

export type IntegrationOptions = {
  readonly jestOptions: readonly string[];
  /** The part of the files that run, without those of the nightly tests: `1/2` is the first half. */
  readonly shard?: string;
  /** The files that run. Default: all of the shard. */
  readonly files?: readonly string[];
  /** Variables beside those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
};

/**
 * Runs the integration tests against the deployment in the file: a sandbox.json, or the file of `cdk deploy
 * --outputs-file`. A file that fails runs once more, because the tests depend on more than the code.
 */
export const runIntegrationTests = async (
  file: string,
  { jestOptions, shard, files, environment }: IntegrationOptions,
  signal: AbortSignal,
  onLine: (line: string) => void,
): Promise<Outcome> => {
  const { caCertificate } = JSON.parse(await readFile(file, 'utf8')) as { readonly caCertificate?: string };
  return jestOutcomeWithSecondTry({
    args: ['--selectProjects', 'integration', '--runInBand', '--forceExit', ...jestOptions],
    choice: [
      ...(shard === undefined ? [] : [`--shard=${shard}`, String.raw`--testPathIgnorePatterns=\.nightly\.test\.ts$`]),
      ...(files === undefined ? [] : ['--runTestsByPath', ...files]),
    ],
    environment: { ...environment, POSTRIDER_OUTPUTS: file, NODE_EXTRA_CA_CERTS: caCertificate ?? process.env['NODE_EXTRA_CA_CERTS'] },
    signal,
    onLine,
  });
};

const inWords = (error: unknown): string[] =>
  (error instanceof SandboxError ? [error.message, error.nextStep ?? ''] : [(error as Error).stack ?? String(error)]).flatMap((text) => text.split('\n'));

/** The outcome with one more test, which fails when anything was found after all tests. */
const withFindings = (outcome: Outcome, title: string, found: readonly string[]): Outcome =>
  found.length === 0
    ? { ...outcome, passed: outcome.passed + 1 }
    : { ...outcome, failed: outcome.failed + 1, failures: [...(outcome.failures ?? []), title], output: [...outcome.output, ...found] };

/** The requests that the emulator refused by the models of the services. */
const findRefusedRequests = async (emulatorDirectory: string): Promise<string[]> => {
  const lines = (await readFile(refusedRequestsFile(emulatorDirectory), 'utf8').catch(() => '')).split('\n').filter(Boolean);
  return lines.map((line) => `refused by the service's model: ${line}`);
};

/** Runs the integration tests on a temporary sandbox, on free ports from `firstPort` on. */
export const runOnTemporarySandbox = async (
  options: IntegrationOptions & { readonly enforceIam: boolean; readonly firstPort: number },
  signal: AbortSignal,
  onLine: (line: string) => void,
): Promise<Outcome> => {
  const state = stateDirectory(join(projectDirectory, '.postrider', `test-${process.pid}`));
  const log: string[] = [];
  const report = progressReport(
    plainLines((text) => {
      log.push(text.trimEnd());
      onLine(text.trimEnd());
    }),
  );
  try {
    const basePort = await freeBasePort(options.firstPort);
    const sandbox = await startSandbox({ basePort, state, enforceIam: options.enforceIam, watchesLogs: false, report, signal });
    try {
      const outcome = await runIntegrationTests(state.description, options, signal, onLine);
      const logged = await findLoggedData(sandbox.description);
      const refused = await findRefusedRequests(state.emulator);
      const { outside, unused } = options.enforceIam ? await compareItemAccesses(sandbox.description, state.emulator) : { outside: [], unused: [] };
      // A part of the tests uses a part of the grants.
      const isWhole = options.jestOptions.length === 0 && options.shard === undefined && options.files === undefined;
      for (const line of [...logged, ...refused, ...outside, ...(isWhole ? unused : [])]) onLine(line);
      const findings = {
        'test/logged-data.ts › no log has an address, a token or a subject': logged,
        "test/test-stages.ts › every request is as the service's model allows it": refused,
        'test/item-accesses.ts › every Lambda accesses only the partitions that its role names': outside,
      };
      return Object.entries(findings).reduce((tested, [title, found]) => withFindings(tested, title, found), outcome);
    } finally {
      await sandbox.stop();
    }
  } catch (error) {
    signal.throwIfAborted();
    return { passed: 0, failed: 1, skipped: 0, output: [...log, ...inWords(error)] };
  } finally {
    await rm(state.path, { recursive: true, force: true, maxRetries: 5 });
  }
};

/** The first port on which a temporary sandbox may listen. */
export const firstSandboxPort = 5400;

/** Number of parts into which the integration tests are divided. Each part has a sandbox of its own. */
const parts = 2;

/**
 * The integration tests, in parts that run concurrently because they mostly wait. Each part is a process: a sandbox that
 * stops ends all child processes of its process.
 */
export const integrationStages: readonly Stage[] = Array.from({ length: parts }, (_, index) => ({
  title: `integration ${index + 1}/${parts}`,
  async run(signal, onLine) {
    const directory = await mkdtemp(join(tmpdir(), 'postrider-integration-'));
    const file = join(directory, 'outcome.json');
    try {
      const { lines } = await run(
        process.execPath,
        [
          // Sandboxes that start concurrently must not find the same ports.
          join(projectDirectory, 'test', 'run-integration.ts'),
          '--shard',
          `${index + 1}/${parts}`,
          '--first-port',
          String(firstSandboxPort + index * 300),
          '--outcome',
          file,
        ],
        { cwd: projectDirectory, environment: process.env, signal, onLine },
      );
      const outcome = await readFile(file, 'utf8').then(
        (text) => JSON.parse(text) as Omit<Outcome, 'output'>,
        () => undefined,
      );
      return { ...(outcome ?? { passed: 0, failed: 1, skipped: 0 }), output: lines };
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
}));

/** Aborts on Ctrl-C and termination signals. The running stage then ends all processes that it started. */
export const interruptSignal = (): AbortSignal => {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => controller.abort(new Error('Interrupted')));
  return controller.signal;
};

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};
const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** Runs a stage and prints its line: time, counts, reasons of skipped tests, and flaky tests. */
const runStage = async (stage: Stage, signal: AbortSignal): Promise<Outcome> => {
  const startedAt = performance.now();
  print(`· ${stage.title} …`);
  const outcome = await stage.run(signal, () => undefined);
  const { passed, failed, skipped, flaky = [], output } = outcome;
  if (failed > 0 || flaky.length > 0) print(output.join('\n'));
  print(
    `${failed > 0 ? '✗' : '✓'} ${stage.title.padEnd(24)} ${seconds(startedAt).padStart(8)}  ${passed} passed, ${failed} failed${
      skipped > 0 ? `, ${skipped} skipped` : ''
    }`,
  );
  for (const reason of outcome.reasons ?? []) print(`  ${reason}`);
  for (const test of flaky) print(`flaky: ${test}`);
  return outcome;
};

/** Like Promise.all, but rejects only when all have ended, so that each has removed what it made. */
export const allEnded = async <T>(promises: readonly Promise<T>[]): Promise<T[]> => {
  await Promise.allSettled(promises);
  return Promise.all(promises);
};

/**
 * Runs stages one after the other, those of a list concurrently, and ends the process. The last lines of output have the
 * flaky tests and the totals.
 */
export const runStages = async (steps: readonly (Stage | readonly Stage[])[]): Promise<never> => {
  const signal = interruptSignal();
  const outcomes: Outcome[] = [];
  try {
    for (const stages of steps.map((step) => [step].flat())) {
      const ended = await allEnded(stages.map((stage) => runStage(stage, signal)));
      outcomes.push(...ended);
      if (stages.some(({ isRequired }, index) => isRequired && ended[index]!.failed > 0)) break;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    print('Interrupted.');
  }
  const total = (count: (outcome: Outcome) => number): number => outcomes.reduce((sum, outcome) => sum + count(outcome), 0);
  const flaky = outcomes.flatMap((outcome) => outcome.flaky ?? []);
  const failed = total((outcome) => outcome.failed) + (signal.aborted || areTooManyFlaky(flaky) ? 1 : 0);
  for (const test of flaky) print(`flaky: ${test}`);
  if (areTooManyFlaky(flaky)) print('The run fails, because too many files of tests are flaky.');
  print(`${total((outcome) => outcome.passed)} passed, ${failed} failed`);
  process.exit(failed > 0 ? 1 : 0);
};

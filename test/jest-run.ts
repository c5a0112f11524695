import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { run } from '../sandbox/process/child-processes.ts';
import { projectDirectory } from '../sandbox/state/state-directory.ts';

/** The result of a stage. */
export type Outcome = {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Titles of skipped groups of tests, with the reason. */
  readonly reasons?: readonly string[];
  /** Tests that failed in the end: `<file> › <title>`. */
  readonly failures?: readonly string[];
  /** Tests that failed, and passed when their file ran once more: `<file> › <title>`. */
  readonly flaky?: readonly string[];
  readonly tests?: readonly TestResult[];
  readonly output: readonly string[];
};

/** One test of a run. `groups` are the titles around its own; `status` is `passed`, `failed` or `pending`. */
export type TestResult = {
  readonly file: string;
  readonly groups: readonly string[];
  readonly title: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
};

/** One file of a run. A file that could not run counts as one failed test. */
type TestedFile = {
  readonly passed: number;
  readonly skipped: number;
  readonly failures: readonly string[];
  readonly reasons: readonly string[];
  readonly tests: readonly TestResult[];
};

type JestRun = {
  /** The files by their paths from the project's folder. */
  readonly files: ReadonlyMap<string, TestedFile>;
  /** Whether jest failed for another reason than a file. */
  readonly hasFailed: boolean;
  readonly output: readonly string[];
};

type JestReport = {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
};

export type JestOptions = {
  readonly args: readonly string[];
  /** More arguments of a first run, which choose its files. */
  readonly choice?: readonly string[];
  /** Variables beside those of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds without a line of output after which the run hangs, and ends. Default: 15 minutes. */
  readonly longestSilence?: number;
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
};

const testedFile = (file: string, { status, assertionResults }: JestReport['testResults'][number]): TestedFile => {
  const titlesOf = (wanted: string) =>
    assertionResults.filter((each) => each.status === wanted).map(({ ancestorTitles, title }) => [...ancestorTitles, title].join(' › '));
  const failures = titlesOf('failed');
  return {
    passed: titlesOf('passed').length,
    skipped: titlesOf('pending').length,
    failures: failures.length === 0 && status === 'failed' ? ['the file could not run'] : failures,
    reasons: assertionResults
      .filter((each) => each.status === 'pending')
      .flatMap(({ ancestorTitles }) => ancestorTitles)
      .filter((title) => title.includes('[skipped: ')),
    tests: assertionResults.map(({ ancestorTitles, title, status: outcome, failureMessages }) => ({
      file,
      groups: ancestorTitles,
      title,
      status: outcome,
      failureMessages,
    })),
  };
};

/** Runs jest in a process of its own and reads its JSON report. */
const runJest = async ({ args, choice = [], environment, longestSilence = 15 * 60_000, signal, onLine }: JestOptions): Promise<JestRun> => {
  const directory = await mkdtemp(join(tmpdir(), 'postrider-jest-'));
  const file = join(directory, 'result.json');
  // Temporary files of tests and their processes are removed with this folder.
  const temporary = join(directory, 'tmp');
  await mkdir(temporary);
  const [lines, hang] = [[] as string[], new AbortController()];
  const timer = setTimeout(() => {
    hang.abort(new Error('hangs'));
  }, longestSilence);
  const takeLine = (line: string): void => {
    timer.refresh();
    if (line.startsWith('{"num')) return;
    lines.push(line);
    onLine(line);
  };
  try {
    const code = await run(
      process.execPath,
      [join(projectDirectory, 'node_modules', 'jest', 'bin', 'jest.js'), '--json', `--outputFile=${file}`, ...args, ...choice],
      {
        cwd: projectDirectory,
        environment: { ...process.env, TMPDIR: temporary, ...environment },
        signal: AbortSignal.any([signal, hang.signal]),
        onLine: takeLine,
      },
    ).then(
      (finished) => finished.code,
      (error: unknown) => {
        if (error !== hang.signal.reason) throw error;
        takeLine(`A test hangs: no file of tests ended for ${longestSilence / 1000} s. The files above had ended.`);
        return null;
      },
    );
    const { testResults } = await readFile(file, 'utf8').then(
      (text) => JSON.parse(text) as JestReport,
      () => ({ testResults: [] }),
    );
    const files = new Map(
      testResults.map((result) => {
        const path = relative(projectDirectory, result.name);
        return [path, testedFile(path, result)] as const;
      }),
    );
    const hasFailed = code !== 0 && [...files.values()].every(({ failures }) => failures.length === 0);
    return { files, hasFailed, output: lines };
  } finally {
    clearTimeout(timer);
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
};

const failuresOf = (files: Iterable<readonly [path: string, file: TestedFile]>): string[] =>
  [...files].flatMap(([path, { failures }]) => failures.map((title) => `${path} › ${title}`));

const testsOf = (files: JestRun['files']): TestResult[] => [...files.values()].flatMap(({ tests }) => tests);

const outcomeOf = ({ files, hasFailed, output }: JestRun): Outcome => {
  const total = (count: (file: TestedFile) => number): number => [...files.values()].reduce((sum, file) => sum + count(file), 0);
  return {
    passed: total(({ passed }) => passed),
    failed: total(({ failures }) => failures.length) + (hasFailed ? 1 : 0),
    skipped: total(({ skipped }) => skipped),
    reasons: [...new Set([...files.values()].flatMap(({ reasons }) => reasons))],
    failures: failuresOf(files),
    output,
  };
};

/** Runs jest and counts its tests. */
export const jestOutcome = async (options: JestOptions): Promise<Outcome> => outcomeOf(await runJest(options));

/** Maximum number of files that may pass only when they run once more. With more of them the fault is no chance. */
const maxFlakyFiles = 3;

/** Whether more files are flaky than may be. */
export const areTooManyFlaky = (flaky: readonly string[]): boolean => new Set(flaky.map((test) => test.split(' › ')[0])).size > maxFlakyFiles;

/**
 * Runs jest, then each file that failed once more, alone. A file that passes then counts as passed, and its failures
 * are the outcome's flaky tests. When more than three files fail, none of them runs again.
 */
export const jestOutcomeWithSecondTry = async (options: JestOptions): Promise<Outcome> => {
  const first = await runJest(options);
  const failing = [...first.files].filter(([, { failures }]) => failures.length > 0);
  if (failing.length > maxFlakyFiles) return { ...outcomeOf(first), tests: testsOf(first.files) };
  const [files, flaky, output] = [new Map(first.files), [] as string[], [...first.output]];
  for (const [path, failed] of failing) {
    options.onLine(`Once more, alone: ${path}`);
    // Jest takes a path of a file only when it is a test file, so that the patterns among the options choose no others.
    const second = await runJest({ ...options, args: ['--runTestsByPath', path, ...options.args], choice: [] });
    output.push('', `Once more, alone: ${path}`, ...second.output);
    const again = second.files.get(path);
    if (!again || second.hasFailed) continue;
    files.set(path, again);
    if (again.failures.length === 0) flaky.push(...failuresOf([[path, failed]]));
  }
  return { ...outcomeOf({ files, hasFailed: first.hasFailed, output }), flaky, tests: testsOf(files) };
};

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endAllProcesses, run, startProcess } from '../../sandbox/process/child-processes.ts';
import { preparePythonEnvironment } from '../../sandbox/emulator/python-environment.ts';
import { freeBasePort } from '../../sandbox/process/ports.ts';
import { SandboxError } from '../../sandbox/process/sandbox-error.ts';
import { projectDirectory } from '../../sandbox/state/state-directory.ts';
import { differences } from './differences.ts';
import { compareMail } from './mail/compare-mail.ts';
import { mailDifferences } from './mail/mail-differences.ts';
import { secondOpinionHome, startDynamodbLocal, untilItAnswers } from './dynamodb-local.ts';

/**
 * `npm run test:second-opinion`: our parser of mail beside others, and the suites of the adapters, with AWS's own
 * DynamoDB engine and with moto instead of the sandbox's emulator. It fails when there is a difference that is not
 * known, and when a known difference of the adapters no longer exists. `--mail` compares the parsers only.
 */
const here = join(projectDirectory, 'test', 'second-opinion');
const print = (text: string): void => { process.stdout.write(`${text}\n`); };

/** Starts the emulator moto. @returns its URL. */
const startMoto = async (port: number): Promise<string> => {
  const directory = join(secondOpinionHome, 'venv');
  await preparePythonEnvironment({ directory, requirements: join(here, 'requirements.lock'), report: print });
  startProcess(join(directory, 'bin', 'moto_server'), ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  await untilItAnswers('moto', `http://127.0.0.1:${port}/moto-api/`);
  return `http://127.0.0.1:${port}`;
};

type Assertion = { readonly fullName: string; readonly status: string };
type JestResult = {
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults: readonly { readonly assertionResults: readonly Assertion[] }[];
};

/** The adapters' suites: the test files that start their emulator by `startTestEmulator` or `withTestEmulator`. */
const suites = [
  'test/core/storage/.*emulator', 'test/core/mail-types/.*emulator', 'test/core/push/.*emulator', 'test/core/directory/.*emulator',
  'test/core/sending/.*emulator', 'test/core/aws/(?!cloudwatch|service-quotas)[a-z0-9-]+/(?!ses-bounce).*emulator',
];

const runSuites = async (dynamodb: string, others: string): Promise<JestResult> => {
  const directory = await mkdtemp(join(tmpdir(), 'postrider-second-opinion-'));
  const file = join(directory, 'result.json');
  try {
    await run(process.execPath, [
      join(projectDirectory, 'node_modules', 'jest', 'bin', 'jest.js'), '--selectProjects', 'sandbox', '--runInBand', '--forceExit',
      '--json', `--outputFile=${file}`, ...suites,
    ], {
      cwd: projectDirectory,
      environment: { ...process.env, POSTRIDER_SECOND_OPINION: JSON.stringify({ dynamodb, others }) },
      onLine: (line) => { if (/^(PASS|FAIL)/.test(line)) print(line); },
    });
    return JSON.parse(await readFile(file, 'utf8')) as JestResult;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

/** Prints the differences. @returns the number of passed tests, and of unexpected findings. */
const printDifferences = ({ testResults, numRuntimeErrorTestSuites }: JestResult): { passed: number; failed: number } => {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failures = tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
  const isKnown = (title: string): boolean => differences.some((each) => title.startsWith(each.tests));
  const unexpected = failures.filter((title) => !isKnown(title));
  const gone = differences.filter((each) => !failures.some((title) => title.startsWith(each.tests)));
  for (const { tests: title, finding } of differences) print(`differs: ${title}\n         ${finding}`);
  for (const title of unexpected) print(`✗ ${title}`);
  for (const { tests: title } of gone) print(`✗ no longer differs; remove it from differences.ts: ${title}`);
  const passed = tests.filter(({ status }) => status === 'passed').length;
  return { passed, failed: unexpected.length + gone.length + numRuntimeErrorTestSuites };
};

const { values } = parseArgs({ options: { mail: { type: 'boolean' }, seed: { type: 'string', default: '1' } } });

/** Compares our parser of mail with others. Each field of a message that reads the same, or differs as known, passes. */
const compareParsers = async (): Promise<{ passed: number; failed: number }> => {
  const { compared, known, unknown } = await compareMail(1000, Number(values.seed));
  for (const { parser, of, kind, reason } of mailDifferences) print(`${kind}: ${parser} ${reason} (${of.join(', ')})`);
  for (const difference of unknown) print(`✗ ${difference}`);
  print(`${compared} messages, ${known} known differences, ${unknown.length} others`);
  return { passed: compared, failed: unknown.length };
};

const compareAdapters = async (): Promise<{ passed: number; failed: number }> => {
  const port = await freeBasePort(7400);
  const [dynamodb, others] = [await startDynamodbLocal(port), await startMoto(port + 1)];
  return printDifferences(await runSuites(dynamodb, others));
};

try {
  const mail = await compareParsers();
  const adapters = values.mail ? undefined : await compareAdapters();
  const [passed, failed] = [mail.passed + (adapters?.passed ?? 0), mail.failed + (adapters?.failed ?? 0)];
  print(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 || adapters?.passed === 0 ? 1 : 0;
} catch (error) {
  if (!(error instanceof SandboxError)) throw error;
  print(`${error.message}\n${error.nextStep ?? ''}`);
  process.exitCode = 1;
} finally {
  await endAllProcesses();
}

import { columns } from '../cli/admin/help.ts';
import type { CliContext } from '../cli/terminal/cli-context.ts';
import { CliError, exitCodes, usageError, type ExitCode } from '../cli/terminal/cli-error.ts';
import { parseOptions } from '../cli/terminal/parse.ts';
import { printingSafely } from '../cli/terminal/response-table.ts';
import { ContextError, deploymentContext, type DeploymentContext } from '../lib/deployment-context.ts';
import type { PreflightPorts } from './adapters/aws-preflight-ports.ts';
import { collectFacts } from './facts.ts';
import { checkAll, reportText, wouldFail } from './report.ts';

const defaultPeople = 25;

const help = `Asks AWS, read-only, whether a deployment would succeed, and says what it will make and cost.

  npm run preflight -- -c domain=example.com [-c KEY=VALUE]...

${columns([
  ['-c KEY=VALUE', 'a setting, as for cdk deploy (docs/deploy.md#settings); may be repeated'],
  ['--people N', `people for whom the cost is estimated; without it, ${defaultPeople}`],
])}

Exit codes: 0 a deployment can begin, 1 it would fail, 2 wrong command line.`;

const options = { context: { type: 'string', short: 'c', multiple: true }, people: { type: 'string' }, help: { type: 'boolean' } } as const;

/** @throws CliError for a text without `=`. */
const readSetting = (text: string): readonly [string, string] => {
  const end = text.indexOf('=');
  if (end < 1) throw usageError(`-c ${text} has no value, as in -c domain=example.com`);
  return [text.slice(0, end), text.slice(end + 1)];
};

const readPeople = (text: string): number => {
  const people = Number(text);
  if (!Number.isInteger(people) || people < 1) throw usageError('--people must be a whole number of at least 1');
  return people;
};

export type PreflightDependencies = Pick<CliContext, 'print' | 'printMessage'> & {
  readonly region: string;
  /** The settings of cdk.json. */
  readonly storedSettings: Readonly<Record<string, unknown>>;
  /** Columns of the terminal. */
  readonly columns: number;
  readonly createPorts: (settings: DeploymentContext, settingArguments: readonly string[]) => PreflightPorts;
};

const run = async (
  args: readonly string[],
  { print, printMessage, region, storedSettings, columns: width, createPorts }: PreflightDependencies,
): Promise<ExitCode> => {
  const {
    values: { context = [], people, help: isHelp },
  } = parseOptions(args, options);
  if (isHelp) {
    print(help);
    return exitCodes.done;
  }
  const estimated = people === undefined ? defaultPeople : readPeople(people);
  const settings = deploymentContext({ ...storedSettings, ...Object.fromEntries(context.map(readSetting)) });
  printMessage(`Asking AWS and DNS about ${settings.domain} in ${region}, and synthesizing the app. Nothing is changed.`);
  const facts = await collectFacts(
    settings,
    region,
    estimated,
    createPorts(
      settings,
      context.flatMap((setting) => ['-c', setting]),
    ),
  );
  const groups = checkAll(facts);
  print(reportText(groups, width));
  return wouldFail(groups) ? exitCodes.refused : exitCodes.done;
};

/** Runs `npm run preflight`. @returns the exit code of the process. */
export const runPreflight = async (args: readonly string[], given: PreflightDependencies): Promise<ExitCode> => {
  const dependencies = printingSafely(given);
  try {
    return await run(args, dependencies);
  } catch (error) {
    if (error instanceof ContextError) {
      dependencies.printMessage(error.message);
      return exitCodes.refused;
    }
    if (!(error instanceof CliError)) throw error;
    dependencies.printMessage(error.message);
    return error.exitCode;
  }
};

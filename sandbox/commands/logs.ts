import { readFile } from 'node:fs/promises';
import { numberFrom, print, readOptions, stateFrom, stateOption, UsageError, type Command } from '../command-line.ts';
import { lambdaLogsOf } from '../lambda-logs.ts';
import { runningSandbox } from '../running-sandbox.ts';
import { SandboxError } from '../sandbox-error.ts';
import type { StateDirectory } from '../state-directory.ts';

const lastLines = (text: string, count: number): string => text.trimEnd().split('\n').slice(-count).join('\n');

const sandboxLog = async (state: StateDirectory): Promise<string> => readFile(state.log, 'utf8').catch(() => {
  throw new SandboxError(`There is no log in ${state.path}: no sandbox was started there.`);
});

const lambdaLog = async (state: StateDirectory, lambda: string): Promise<string> => {
  const { description } = await runningSandbox(state);
  const logs = lambdaLogsOf(description, description.stackName);
  try {
    const known = await logs.lambdas();
    if (!known.includes(lambda)) throw new UsageError(`There is no Lambda ${lambda}. There are: ${known.join(', ')}`);
    const lines = await logs.read(lambda, 0);
    return lines.map(({ at, message }) => `${new Date(at).toISOString()}  ${message}`).join('\n');
  } finally {
    logs.close();
  }
};

export const logs: Command = {
  summary: 'what it logged, or what one of its Lambdas did',
  usage: `npm run sandbox -- logs [lambda] [options]

  lambda         the name of a folder of lambdas/, such as deliver; without one: the sandbox's own log
  --lines N      the last N lines (default 100)
  --state DIR    the sandbox that keeps its things in DIR (default .postrider)`,
  async run(args) {
    const { values, positionals: [lambda] } = readOptions(args, { ...stateOption, lines: { type: 'string', default: '100' } }, { max: 1 });
    const state = stateFrom(values);
    print(lastLines(lambda ? await lambdaLog(state, lambda) : await sandboxLog(state), numberFrom('--lines', values.lines)));
    return 0;
  },
};

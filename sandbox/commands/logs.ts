import { readFile } from 'node:fs/promises';
import { usageError } from '../../cli/terminal/cli-error.ts';
import { parseOptions } from '../../cli/terminal/parse.ts';
import { openLambdaLogs } from '../deployment/lambda-logs.ts';
import { SandboxError } from '../process/sandbox-error.ts';
import { getRunningSandbox } from '../state/running-sandbox.ts';
import type { StateDirectory } from '../state/state-directory.ts';
import { parseNumber, print, stateDirectoryFrom, stateOption, type Command } from './command-line.ts';

const lastLines = (text: string, count: number): string => text.trimEnd().split('\n').slice(-count).join('\n');

const sandboxLog = async (state: StateDirectory): Promise<string> =>
  readFile(state.log, 'utf8').catch(() => {
    throw new SandboxError(`There is no log in ${state.path}: no sandbox was started with this state directory.`);
  });

const lambdaLog = async (state: StateDirectory, lambda: string): Promise<string> => {
  const { description } = await getRunningSandbox(state);
  const logs = openLambdaLogs(description, description.stackName);
  try {
    const known = await logs.lambdas();
    if (!known.includes(lambda)) throw usageError(`There is no Lambda ${lambda}. There are: ${known.join(', ')}`);
    const lines = await logs.read(lambda, 0);
    return lines.map(({ at, message }) => `${new Date(at).toISOString()}  ${message}`).join('\n');
  } finally {
    logs.close();
  }
};

export const logs: Command = {
  summary: 'print the log of the sandbox or of a Lambda',
  usage: `npm run sandbox -- logs [lambda] [options]

  lambda         the Lambda's name, such as deliver; without it: the sandbox's log
  --lines N      the last N lines (default 100)
  --state DIR    the sandbox with the state directory DIR (default .postrider)`,
  async run(args) {
    const {
      values,
      positionals: [lambda],
    } = parseOptions(args, { ...stateOption, lines: { type: 'string', default: '100' } }, 1);
    const state = stateDirectoryFrom(values);
    print(lastLines(lambda ? await lambdaLog(state, lambda) : await sandboxLog(state), parseNumber('--lines', values.lines)));
    return 0;
  },
};

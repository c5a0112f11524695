import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { usageError } from '../../cli/terminal/cli-error.ts';
import { parseOptions } from '../../cli/terminal/parse.ts';
import { bundleForDebugging, debugRequestFile, startDebugging, stopDebugging } from '../emulator/lambda-debugger.ts';
import { getRunningSandbox } from '../state/running-sandbox.ts';
import { commandFor, projectDirectory, type StateDirectory } from '../state/state-directory.ts';
import { parseNumber, print, stateDirectoryFrom, stateOption, type Command } from './command-line.ts';

/** The default port of Node's inspector, as for `node --inspect`. */
const defaultInspectorPort = 9229;

const startText = (
  lambda: string,
  entry: string,
  port: number,
  state: StateDirectory,
): string => `The Lambda ${lambda} waits for a debugger at 127.0.0.1:${port}.

  VS Code     launch.json: { "type": "node", "request": "attach", "name": "${lambda}", "port": ${port}, "restart": true }
  Chrome      chrome://inspect, "Configure…", 127.0.0.1:${port}
  terminal    node inspect 127.0.0.1:${port}

Set breakpoints in ${entry} and the files that it imports.
After a change of the code, run this command again.
End it: ${commandFor(state, 'npm run sandbox -- debug --off')}`;

/**
 * The Lambdas with the file that exports their handler. Imported when needed, because the list depends on the whole
 * contract.
 */
const lambdaEntryFiles = async (): Promise<Readonly<Record<string, string>>> => (await import('../../lib/lambda/lambda-entries.ts')).lambdaEntries;

const currentPort = async (state: StateDirectory): Promise<number | undefined> => {
  const text = await readFile(debugRequestFile(state.emulator), 'utf8').catch(() => undefined);
  const request: { readonly port: number } | undefined = text === undefined ? undefined : JSON.parse(text);
  return request?.port;
};

export const debug: Command = {
  summary: 'run one Lambda under a debugger',
  usage: `npm run sandbox -- debug <lambda> [options]
npm run sandbox -- debug --off

  lambda         the Lambda's name, such as jmap or deliver (npm run sandbox -- debug x lists them)
  --port N       the port of Node's inspector on 127.0.0.1 (default ${defaultInspectorPort})
  --off          end debugging: calls go to the deployed code again
  --state DIR    the sandbox whose state is in DIR (default .postrider)

The Lambda's code is bundled from the source as it is now, with source maps. One Lambda is debugged at a time. All its calls go to one
process, one after the other.`,
  async run(args) {
    const entries = await lambdaEntryFiles();
    const {
      values,
      positionals: [lambda],
    } = parseOptions(args, { ...stateOption, port: { type: 'string', default: String(defaultInspectorPort) }, off: { type: 'boolean', default: false } }, 1);
    if ((lambda === undefined) !== values.off) throw usageError('Name a Lambda, or give --off');
    const entry = lambda === undefined ? undefined : entries[lambda];
    if (lambda !== undefined && entry === undefined) {
      throw usageError(`There is no Lambda ${lambda}. There are: ${Object.keys(entries).sort().join(', ')}`);
    }
    const state = stateDirectoryFrom(values);
    const { description } = await getRunningSandbox(state);
    const before = await currentPort(state);
    if (before !== undefined) await stopDebugging(state.emulator, before);
    if (lambda === undefined || entry === undefined) {
      print(before === undefined ? 'No Lambda was debugged.' : 'Debugging has ended. Calls go to the deployed code again.');
      return 0;
    }
    const port = parseNumber('--port', values.port);
    const module = await bundleForDebugging(join(projectDirectory, entry), join(state.debug, lambda));
    await startDebugging(state.emulator, { function: `${description.stackName}-${lambda}`, module, port });
    print(startText(lambda, entry, port, state));
    return 0;
  },
};

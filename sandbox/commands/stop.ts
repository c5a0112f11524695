import { parseOptions } from '../../cli/terminal/parse.ts';
import { stopSandbox } from '../state/running-sandbox.ts';
import { print, stateDirectoryFrom, stateOption, type Command } from './command-line.ts';

export const stop: Command = {
  summary: 'stop the sandbox and keep its state',
  usage: `npm run sandbox -- stop [options]

  --state DIR    the sandbox with the state directory DIR (default .postrider)`,
  async run(args) {
    const { values } = parseOptions(args, stateOption);
    const state = stateDirectoryFrom(values);
    print((await stopSandbox(state)) ? `Stopped. The state is kept in ${state.path}` : `No sandbox runs with the state directory ${state.path}.`);
    return 0;
  },
};

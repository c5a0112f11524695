import { parseOptions } from '../../cli/terminal/parse.ts';
import { stopSandbox } from '../state/running-sandbox.ts';
import { removeState } from '../state/state-directory.ts';
import { print, stateDirectoryFrom, stateOption, type Command } from './command-line.ts';

export const reset: Command = {
  summary: 'stop the sandbox and delete its state',
  usage: `npm run sandbox -- reset [options]

  --state DIR    the sandbox with the state directory DIR (default .postrider)

The Python environment is kept.`,
  async run(args) {
    const { values } = parseOptions(args, stateOption);
    const state = stateDirectoryFrom(values);
    await stopSandbox(state);
    await removeState(state);
    print(`The state in ${state.path} is deleted. The next start begins anew.`);
    return 0;
  },
};

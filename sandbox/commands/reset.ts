import { print, readOptions, stateFrom, stateOption, type Command } from '../command-line.ts';
import { removeState } from '../state-directory.ts';
import { stopSandbox } from '../running-sandbox.ts';

export const reset: Command = {
  summary: 'stop it and forget everything: the next start begins anew',
  usage: `npm run sandbox -- reset [options]

  --state DIR    the sandbox that keeps its things in DIR (default .postrider)

The Python environment stays: it holds nothing of the sandbox's.`,
  async run(args) {
    const { values } = readOptions(args, stateOption);
    const state = stateFrom(values);
    await stopSandbox(state);
    await removeState(state);
    print(`Forgotten. The next start from ${state.path} begins anew.`);
    return 0;
  },
};

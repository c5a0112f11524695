import { print, readOptions, stateFrom, stateOption, type Command } from '../command-line.ts';
import { stopSandbox } from '../running-sandbox.ts';

export const stop: Command = {
  summary: 'stop it; what was stored is kept',
  usage: `npm run sandbox -- stop [options]

  --state DIR    the sandbox that keeps its things in DIR (default .postrider)`,
  async run(args) {
    const { values } = readOptions(args, stateOption);
    const state = stateFrom(values);
    print(await stopSandbox(state) ? `Stopped. What was stored is kept in ${state.path}` : `No sandbox runs from ${state.path}.`);
    return 0;
  },
};

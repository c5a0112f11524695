import { parseOptions } from '../../cli/terminal/parse.ts';
import { findDescription } from '../state/sandbox-description.ts';
import { summaryText } from '../state/sandbox-summary.ts';
import { commandFor, findSupervisor } from '../state/state-directory.ts';
import { print, stateDirectoryFrom, stateOption, type Command } from './command-line.ts';

export const status: Command = {
  summary: 'say whether the sandbox runs, and print all addresses',
  usage: `npm run sandbox -- status [options]

  --json         the same for programs: {"state", "pid", "basePort", "since", "doing"?, "description"?}
  --state DIR    the sandbox with the state directory DIR (default .postrider)

Exit code 0 when it is ready, 1 when not.`,
  async run(args) {
    const { values } = parseOptions(args, { ...stateOption, json: { type: 'boolean', default: false } });
    const state = stateDirectoryFrom(values);
    const supervisor = await findSupervisor(state);
    const description = supervisor?.state === 'ready' ? await findDescription(state.description) : undefined;
    if (values.json) {
      print(JSON.stringify({ state: 'stopped', ...supervisor, description: description ? state.description : undefined }));
    } else if (!supervisor) {
      print(`No sandbox runs with the state directory ${state.path}.\nStart one: ${commandFor(state, 'npm start')}`);
    } else {
      const step = supervisor.doing ? `: ${supervisor.doing}` : '';
      print(`The sandbox is ${supervisor.state}${step} (process ${supervisor.pid}, since ${supervisor.since}).`);
      if (description) print(summaryText(description, state, supervisor.basePort));
    }
    return supervisor?.state === 'ready' ? 0 : 1;
  },
};

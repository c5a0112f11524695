#!/usr/bin/env node
import { CliError } from '../cli/terminal/cli-error.ts';
import { print, printError, type Command } from './commands/command-line.ts';
import { debug } from './commands/debug.ts';
import { logs } from './commands/logs.ts';
import { reset } from './commands/reset.ts';
import { send } from './commands/send.ts';
import { start, superviseCommand } from './commands/start.ts';
import { status } from './commands/status.ts';
import { stop } from './commands/stop.ts';
import { token } from './commands/token.ts';
import { SandboxError } from './process/sandbox-error.ts';

const commands: Readonly<Record<string, Command>> = { start, status, stop, reset, logs, debug, token, send };

const overview = `The sandbox: Postrider on an AWS emulator on this machine (docs/sandbox.md).

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(9)}${summary}`)
  .join('\n')}

npm start, npm run token and npm run send are short forms. Help for a command: npm run sandbox -- COMMAND --help`;

const runCommand = async (name: string | undefined, args: readonly string[]): Promise<number> => {
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    print(overview);
    return name === undefined ? 2 : 0;
  }
  const command = name === 'supervise' ? superviseCommand : Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    printError(`There is no command ${name}.\n\n${overview}`);
    return 2;
  }
  if (args.includes('--help') || args.includes('-h')) {
    print(`${name}: ${command.summary}\n\n${command.usage}`);
    return 0;
  }
  try {
    return await command.run(args);
  } catch (error) {
    if (error instanceof CliError) printError(`${error.message}.\n\n${command.usage}`);
    else if (error instanceof SandboxError) printError(`\n${[error.message, error.nextStep].filter(Boolean).join('\n')}`);
    else throw error;
    return error instanceof CliError ? error.exitCode : 1;
  }
};

// The reader of a pipe may have ended (`| head`). The command continues.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const [name, ...args] = process.argv.slice(2);
process.exit(await runCommand(name, args));

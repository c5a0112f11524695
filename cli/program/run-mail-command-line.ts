import { logout } from '../admin/login.ts';
import { exportCommand } from '../export/export-command.ts';
import { importCommand } from '../import/import-command.ts';
import { Interrupted } from '../jmap/http-client.ts';
import { mailLogin, mailToken } from '../jmap/mail-login.ts';
import { findServer } from '../jmap/mail-server.ts';
import type { MailContext } from '../terminal/cli-context.ts';
import { CliError, exitCodes, usageError, type ExitCode } from '../terminal/cli-error.ts';
import { parseOptions } from '../terminal/parse.ts';
import { printingSafely } from '../terminal/response-table.ts';
import { exportHelp, importHelp, mailHelp, mailLoginHelp } from './mail-help.ts';

type Command = { readonly help: string; readonly run: (args: readonly string[], context: MailContext) => Promise<ExitCode> };

const string = { type: 'string' } as const;

/** Reads the options of `postrider login`. @throws CliError for a wrong command line. */
export const readLoginArguments = (args: readonly string[]) =>
  parseOptions(args, { server: string, outputs: string, 'client-id': string, 'no-browser': { type: 'boolean' } }).values;

const login = async (args: readonly string[], context: MailContext): Promise<ExitCode> => {
  const values = readLoginArguments(args);
  await mailLogin(context, { ...values, clientId: values['client-id'], noBrowser: values['no-browser'] === true });
  return exitCodes.done;
};

/** Prints an access token of the person who is signed in, which is refreshed when it ends soon. */
const token = async (args: readonly string[], context: MailContext): Promise<ExitCode> => {
  const { values } = parseOptions(args, { server: string, outputs: string });
  context.print(await mailToken(context, await findServer(context, values), { toWrite: true }));
  return exitCodes.done;
};

const mailCommands: { readonly [name: string]: Command } = {
  login: { help: mailLoginHelp, run: login },
  logout: {
    help: mailHelp,
    async run(args, context) {
      await logout(args, context);
      return exitCodes.done;
    },
  },
  token: { help: mailHelp, run: token },
  import: { help: importHelp, run: importCommand },
  export: { help: exportHelp, run: exportCommand },
};

const isHelp = (arg: string): boolean => ['--help', '-h', 'help'].includes(arg);

const dispatch = async ([first, ...rest]: readonly string[], context: MailContext): Promise<ExitCode> => {
  if (first === undefined) throw usageError(mailHelp);
  const command = Object.hasOwn(mailCommands, first) ? mailCommands[first] : undefined;
  if (!command && !isHelp(first)) throw usageError(`there is no command '${first}'; postrider --help lists them`);
  if (command && !rest.some((arg) => arg === '--help' || arg === '-h')) return command.run(rest, context);
  context.print(command?.help ?? mailHelp);
  return exitCodes.done;
};

const describeError = (error: unknown): { readonly message: string; readonly exitCode: ExitCode } => {
  if (error instanceof CliError) return error;
  if (error instanceof Interrupted) return { message: 'Interrupted.', exitCode: exitCodes.interrupted };
  return { message: error instanceof Error ? `${error.name}: ${error.message}` : 'unknown error', exitCode: exitCodes.refused };
};

/** Runs a command line of `postrider`. Errors are printed as messages. @returns the process's exit code. */
export const runMailCommandLine = async (args: readonly string[], given: MailContext): Promise<ExitCode> => {
  const context = printingSafely(given);
  try {
    return await dispatch(args, context);
  } catch (error) {
    const { message, exitCode } = describeError(error);
    context.printMessage(message);
    return exitCode;
  }
};

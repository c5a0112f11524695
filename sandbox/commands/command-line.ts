import { usageError } from '../../cli/terminal/cli-error.ts';
import { printableLines } from '../../contract/values/printable.ts';
import { stateDirectory, type StateDirectory } from '../state/state-directory.ts';

/** A command of the sandbox's command line. */
export type Command = {
  /** One line for the list of commands. */
  readonly summary: string;
  /** The whole help, without the summary. */
  readonly usage: string;
  /** Runs the command with the arguments after its name. @returns the process's exit code. */
  run(args: readonly string[]): Promise<number>;
};

export const stateOption = { state: { type: 'string' } } as const;

/** The state directory of `--state`, or the default one. */
export const stateDirectoryFrom = (values: { readonly state?: string }): StateDirectory => stateDirectory(values.state);

/** @throws CliError unless the value is a number of one to five digits. */
export const parseNumber = (option: string, value: string): number => {
  if (!/^\d{1,5}$/.test(value)) throw usageError(`${option} takes a number, not '${value}'`);
  return Number(value);
};

/** Prints lines, in which control characters of logs, mail and names are escaped. */
export const print = (text: string): void => {
  process.stdout.write(`${printableLines(text)}\n`);
};

/** {@link print}, to standard error. */
export const printError = (text: string): void => {
  process.stderr.write(`${printableLines(text)}\n`);
};

import { parseArgs, type ParseArgsConfig } from 'node:util';
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

/** A wrong command line. The message is shown with the command's usage; the exit code is 2. */
export class UsageError extends Error {}

/** Parses options. @throws UsageError for unknown or incomplete options, or too many arguments. */
export const readOptions = <const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[], options: Options, positionals: { readonly max: number } = { max: 0 },
) => {
  try {
    const read = parseArgs({ args: [...args], options, allowPositionals: positionals.max > 0, strict: true });
    if (read.positionals.length > positionals.max) throw new Error(`Unexpected argument '${read.positionals[positionals.max]}'.`);
    return read;
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0]);
  }
};

export const stateOption = { state: { type: 'string' } } as const;

/** The state directory of `--state`, or the default one. */
export const stateDirectoryFrom = (values: { readonly state?: string }): StateDirectory => stateDirectory(values.state);

/** @throws UsageError unless the value is a number of one to five digits. */
export const parseNumber = (option: string, value: string): number => {
  if (!/^\d{1,5}$/.test(value)) throw new UsageError(`${option} takes a number, not '${value}'`);
  return Number(value);
};

/** Prints lines, in which control characters of logs, mail and names are escaped. */
export const print = (text: string): void => { process.stdout.write(`${printableLines(text)}\n`); };

/** {@link print}, to standard error. */
export const printError = (text: string): void => { process.stderr.write(`${printableLines(text)}\n`); };

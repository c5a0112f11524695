import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { messageOf } from '../../contract/values/thrown.ts';
import { usageError } from './cli-error.ts';

/** Parses the options and at most `max` positional arguments of a command line. @throws CliError for a wrong command line. */
export const parseOptions = <const Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options, max = 0) => {
  try {
    const parsed = parseArgs({ args: [...args], options, strict: true, allowPositionals: max > 0 });
    if (parsed.positionals.length > max) throw new Error(`Unexpected argument '${parsed.positionals[max]}'`);
    return parsed;
  } catch (error) {
    throw usageError(messageOf(error).split('. ')[0] ?? 'wrong options');
  }
};

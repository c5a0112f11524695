import { mkdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseJson } from '../../contract/values/parse-json.ts';
import { codeOf } from '../../contract/values/thrown.ts';
import type { CliContext } from '../terminal/cli-context.ts';
import { CliError } from '../terminal/cli-error.ts';
import { writePrivateFile } from '../terminal/private-file.ts';

/**
 * The path of a configuration file: in `postrider` below XDG_CONFIG_HOME or `~/.config` (XDG Base Directory
 * Specification).
 */
export const configFile = ({ XDG_CONFIG_HOME: base, HOME: home }: CliContext['environment'], name: 'config.json' | 'tokens.json' | 'mail.json'): string =>
  join(base?.startsWith('/') ? base : join(home ?? homedir(), '.config'), 'postrider', name);

/**
 * The path of a file with recorded progress: in `postrider` below XDG_STATE_HOME or `~/.local/state` (XDG Base
 * Directory Specification).
 */
export const stateFile = ({ XDG_STATE_HOME: base, HOME: home }: CliContext['environment'], ...names: readonly string[]): string =>
  join(base?.startsWith('/') ? base : join(home ?? homedir(), '.local', 'state'), 'postrider', ...names);

/** Reads a JSON file; undefined when it does not exist. @throws CliError when it is not JSON. */
export const readJsonFile = async (path: string): Promise<unknown> => {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const code = codeOf(error);
    if (code === 'ENOENT') return undefined;
    throw new CliError(`${path} cannot be read: ${code}`);
  });
  const value = text === undefined ? undefined : parseJson(text);
  if (text !== undefined && value === undefined) throw new CliError(`${path} is not JSON`);
  return value;
};

/**
 * Writes a JSON file atomically. Only its owner can read it (mode 0600, folder 0700). Concurrent writers do no harm.
 */
export const writeConfigFile = async (path: string, content: unknown): Promise<void> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  writePrivateFile(path, `${JSON.stringify(content, null, 2)}\n`);
};

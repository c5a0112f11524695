import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CliError } from './cli-error.ts';
import type { CliContext } from './cli-context.ts';

/** Where the command line keeps a file of its own: below XDG_CONFIG_HOME, or `~/.config` (XDG Base Directory Specification). */
export const configFile = ({ XDG_CONFIG_HOME: base, HOME: home }: CliContext['environment'], name: 'config.json' | 'tokens.json'): string =>
  join(base?.startsWith('/') ? base : join(home ?? homedir(), '.config'), 'postrider', name);

/** A JSON file's content; undefined when there is no such file. @throws CliError when it is no JSON. */
export const readJsonFile = async (path: string): Promise<unknown> => {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CliError(`${path} can't be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new CliError(`${path} is not JSON`);
  }
};

/** Writes for the owner only (mode 0600, folder 0700), whole or not at all, whoever writes at the same time. */
export const writeConfigFile = async (path: string, content: unknown): Promise<void> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw new CliError(`${path} can't be written: ${(error as NodeJS.ErrnoException).code}`);
  }
};

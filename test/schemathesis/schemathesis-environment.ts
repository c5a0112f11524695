import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../sandbox/child-processes.ts';
import { SandboxError } from '../../sandbox/sandbox-error.ts';

const requirements = join(import.meta.dirname, 'requirements.lock');
const oldest = 'Python 3.11';

/** Runs one step of making the environment. @throws SandboxError with the last that it said. */
const step = async (words: string, command: string, args: readonly string[], signal: AbortSignal): Promise<void> => {
  const { code, lines } = await run(command, args, { environment: process.env, signal }).catch((error: NodeJS.ErrnoException) => {
    throw new SandboxError(
      `${words}: ${command} can't be started (${error.code}).`, `Schemathesis needs ${oldest} or newer with its venv module.`,
    );
  });
  if (code !== 0) {
    throw new SandboxError(
      `${words} failed:\n${lines.slice(-6).join('\n')}`,
      `Schemathesis needs ${oldest} or newer with its venv module, and the package index.`,
    );
  }
};

/**
 * Makes the Python environment of Schemathesis in a folder, or finds it made already from the same locked requirements.
 * @returns the path of its program.
 */
export const prepareSchemathesis = async (directory: string, signal: AbortSignal): Promise<string> => {
  const stamp = join(directory, 'postrider-requirements');
  const wanted = createHash('sha256').update(await readFile(requirements)).digest('hex');
  if (await readFile(stamp, 'utf8').catch(() => '') !== wanted) {
    await step('Making a Python environment', 'python3', ['-m', 'venv', '--clear', directory], signal);
    await step('Installing Schemathesis', join(directory, 'bin', 'python'), [
      '-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--quiet', '--require-hashes', '--only-binary', ':all:',
      '-r', requirements,
    ], signal);
    await writeFile(stamp, wanted);
  }
  return join(directory, 'bin', 'schemathesis');
};

import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../sandbox/process/child-processes.ts';
import { SandboxError } from '../../sandbox/process/sandbox-error.ts';

const requirements = join(import.meta.dirname, 'requirements.lock');
const oldest = 'Python 3.11';

/** Runs one step of the installation. @throws SandboxError with the last lines of output. */
const step = async (words: string, command: string, args: readonly string[], signal: AbortSignal): Promise<void> => {
  const { code, lines } = await run(command, args, { environment: process.env, signal }).catch((error: NodeJS.ErrnoException) => {
    throw new SandboxError(`${words}: ${command} cannot be started (${error.code}).`, `Schemathesis needs ${oldest} or newer with its venv module.`);
  });
  if (code !== 0) {
    throw new SandboxError(
      `${words} failed:\n${lines.slice(-6).join('\n')}`,
      `Schemathesis needs ${oldest} or newer with its venv module, and the package index.`,
    );
  }
};

/**
 * Creates the Python environment of Schemathesis, unless one with the same locked requirements exists.
 * @returns the path of the schemathesis program.
 */
export const prepareSchemathesis = async (directory: string, signal: AbortSignal): Promise<string> => {
  const stamp = join(directory, 'postrider-requirements');
  const expectedHash = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex');
  if ((await readFile(stamp, 'utf8').catch(() => '')) !== expectedHash) {
    await step('Creating a Python environment', 'python3', ['-m', 'venv', '--clear', directory], signal);
    await step(
      'Installing Schemathesis',
      join(directory, 'bin', 'python'),
      ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--quiet', '--require-hashes', '--only-binary', ':all:', '-r', requirements],
      signal,
    );
    await writeFile(stamp, expectedHash);
  }
  return join(directory, 'bin', 'schemathesis');
};

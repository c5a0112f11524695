/**
 * Starts a command line. It is TypeScript, which Node runs itself from version 22.18 on; an older one starts the Node that the project brings
 * with it (`node_modules/node`).
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));

/** @param {'postrider' | 'postrider-admin'} program */
export const startProgram = async (program) => {
  if (process.features.typescript) {
    process.argv.splice(2, 0, program);
    await import('./main.ts');
    return;
  }
  const own = fileURLToPath(new URL('../../node_modules/node/bin/node', import.meta.url));
  if (!existsSync(own)) {
    process.stderr.write(`${program} needs Node.js 22.18 or newer, or the one that \`npm ci\` brings: run \`npm ci\` first.\n`);
    process.exit(1);
  }
  // The child process gets Ctrl-C from the terminal, and ends as it needs.
  process.on('SIGINT', () => undefined);
  const { status, signal, error } = spawnSync(own, [main, program, ...process.argv.slice(2)], { stdio: 'inherit' });
  if (error) process.stderr.write(`${own} can't be started: ${error.message}\n`);
  if (signal) process.kill(process.pid, signal);
  process.exit(status ?? 1);
};

#!/usr/bin/env node
/**
 * `npx postrider-admin`. The rest is TypeScript, which Node runs itself from version 22.18 on; an older one starts the Node that the project
 * brings with it (`node_modules/node`).
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));

if (process.features.typescript) await import('./main.ts');
else {
  const own = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));
  if (!existsSync(own)) {
    process.stderr.write('postrider-admin needs Node.js 22.18 or newer, or the one that `npm ci` brings: run `npm ci` first.\n');
    process.exit(1);
  }
  const { status, signal, error } = spawnSync(own, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  if (error) process.stderr.write(`${own} can't be started: ${error.message}\n`);
  if (signal) process.kill(process.pid, signal);
  process.exit(status ?? 1);
}

import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { runCommandLine } from './run-command-line.ts';

const browsers: { readonly [platform: string]: readonly [string, ...string[]] } = {
  darwin: ['open'], win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

const openBrowser = (url: string): void => {
  const [program, ...args] = browsers[process.platform] ?? ['xdg-open'];
  // Without a browser the user can open the printed URL elsewhere.
  spawn(program, [...args, url], { stdio: 'ignore', detached: true }).once('error', () => undefined).unref();
};

process.exitCode = await runCommandLine(process.argv.slice(2), {
  environment: process.env,
  print: (words) => { process.stdout.write(`${words}\n`); },
  printMessage: (words) => { process.stderr.write(`${words}\n`); },
  readInput: () => text(process.stdin),
  fetch,
  now: () => Date.now(),
  openBrowser,
});

import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { setTimeout as pauseFor } from 'node:timers/promises';
import { runCommandLine } from '../admin/run-command-line.ts';
import type { CliContext, MailContext } from '../terminal/cli-context.ts';
import { exitCodes, usageError } from '../terminal/cli-error.ts';
import { runMailCommandLine } from './run-mail-command-line.ts';

const browsers: { readonly [platform: string]: readonly [string, ...string[]] } = { darwin: ['open'], win32: ['rundll32', 'url.dll,FileProtocolHandler'] };

const openBrowser = (url: string): void => {
  const [program, ...args] = browsers[process.platform] ?? ['xdg-open'];
  // A user without a browser can open the printed URL elsewhere.
  spawn(program, [...args, url], { stdio: 'ignore', detached: true })
    .once('error', () => undefined)
    .unref();
};

const processContext: CliContext = {
  environment: process.env,
  print: (words) => {
    process.stdout.write(`${words}\n`);
  },
  printMessage: (words) => {
    process.stderr.write(`${words}\n`);
  },
  readInput: () => text(process.stdin),
  fetch,
  now: () => Date.now(),
  openBrowser,
};

const endOfLine = ['\r', '\n', '\u0004'];
const controlC = '\u0003';
const backspaces = ['\u007f', '\b'];

/** Reads a line from the terminal without showing it. */
const readSecret = async (prompt: string): Promise<string> => {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) throw usageError('the password cannot be asked for without a terminal; set POSTRIDER_IMAP_PASSWORD');
  stderr.write(prompt);
  stdin.setRawMode(true).setEncoding('utf8').resume();
  try {
    return await new Promise<string>((resolve) => {
      let secret = '';
      stdin.on('data', (typed: string) => {
        for (const character of typed) {
          if (endOfLine.includes(character)) return resolve(secret);
          if (character === controlC) process.exit(exitCodes.interrupted);
          secret = backspaces.includes(character) ? secret.slice(0, -1) : secret + character;
        }
      });
    });
  } finally {
    stdin.removeAllListeners('data');
    stdin.setRawMode(false).pause();
    stderr.write('\n');
  }
};

/**
 * The environment of this process for the commands about mail. The first Ctrl-C ends a command after its current work,
 * the second immediately.
 */
const mailProcessContext = (): MailContext => {
  const interrupted = new AbortController();
  process.on('SIGINT', () => {
    if (interrupted.signal.aborted) process.exit(exitCodes.interrupted);
    interrupted.abort();
  });
  return {
    ...processContext,
    terminal: {
      isInteractive: process.stderr.isTTY,
      columns: () => process.stderr.columns || 80,
      write: (words) => {
        process.stderr.write(words);
      },
    },
    readSecret,
    signal: interrupted.signal,
    pause: (milliseconds) => pauseFor(milliseconds, undefined, { signal: interrupted.signal }).catch(() => undefined),
  };
};

const [program, ...args] = process.argv.slice(2);

process.exitCode = program === 'postrider' ? await runMailCommandLine(args, mailProcessContext()) : await runCommandLine(args, processContext);

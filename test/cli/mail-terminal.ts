import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runMailCommandLine } from '../../cli/program/run-mail-command-line.ts';
import type { MailContext } from '../../cli/terminal/cli-context.ts';
import { mailDeployment } from './mail-deployment.ts';

/** A terminal signed in as Alice, for a deployment in memory. `close` removes its files. Pauses take no time. */
export const openMailTerminal = async (parts: Parameters<typeof mailDeployment>[0] = {}) => {
  const [home, deployment] = [await mkdtemp(join(tmpdir(), 'postrider-mail-')), await mailDeployment(parts)];
  const said = { out: '', err: '' };
  const pauses: number[] = [];
  const environment: Record<string, string | undefined> = { HOME: home, POSTRIDER_JMAP_URL: deployment.url, POSTRIDER_TOKEN: 'alice' };
  let interrupt = new AbortController();
  const contextOf = (): MailContext => ({
    environment,
    print: (text) => {
      said.out += `${text}\n`;
    },
    printMessage: (text) => {
      said.err += `${text}\n`;
    },
    readInput: async () => '',
    fetch,
    now: () => Date.now(),
    openBrowser: () => undefined,
    terminal: {
      isInteractive: false,
      columns: () => 80,
      write: (text) => {
        said.err += text;
      },
    },
    readSecret: async () => 'secret',
    signal: interrupt.signal,
    pause: async (milliseconds) => {
      pauses.push(milliseconds);
    },
  });
  return {
    ...deployment,
    home,
    environment,
    pauses,
    /** A file in the terminal's folder. */
    path: (...names: string[]) => join(home, ...names),
    /** Writes a file into the terminal's folder. @returns its path. */
    async put(name: string, content: string) {
      const path = join(home, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      return path;
    },
    interrupt: () => interrupt.abort(),
    /** Runs a command line. @returns its exit code and its output. */
    async run(...args: string[]) {
      [said.out, said.err, interrupt] = ['', '', new AbortController()];
      const code = await runMailCommandLine(args, contextOf());
      return { code, out: said.out, err: said.err };
    },
    close: async () => {
      deployment.close();
      await rm(home, { recursive: true, force: true });
    },
  };
};
export type MailTerminal = Awaited<ReturnType<typeof openMailTerminal>>;

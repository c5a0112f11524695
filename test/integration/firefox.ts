import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';

/** Finds a Firefox: the one that FIREFOX_PATH names, or one on the PATH. */
export const findFirefox = (): string | undefined => {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const usual = folders.flatMap((folder) => ['firefox', 'firefox-esr'].map((name) => join(folder, name)));
  return process.env['FIREFOX_PATH'] ?? usual.find((path) => existsSync(path));
};

export type FirefoxPage = {
  /** @returns the value of an expression, or of its promise, as JSON has it. */
  evaluate<T>(expression: string): Promise<T>;
  /** The URLs that were requested since the page was opened. */
  readonly requests: string[];
  close(): void;
};

type RemoteValue = { readonly handle?: string; readonly value?: string };
type Result = {
  readonly contexts?: readonly { readonly context: string }[];
  readonly result?: RemoteValue;
  readonly exceptionDetails?: { readonly text: string };
};
type Answer = {
  readonly id?: number;
  readonly result?: Result;
  readonly message?: string;
  readonly method?: string;
  readonly params?: { readonly request?: { readonly url: string } };
};

/**
 * Opens a page in a new profile of a headless Firefox, by WebDriver BiDi (W3C): Playwright drives only a Firefox of its own.
 */
export const openFirefoxPage = async (program: string, url: string): Promise<FirefoxPage> => {
  const profile = mkdtempSync(join(tmpdir(), 'firefox-'));
  const browser = spawn(program, ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'], {
    env: { ...process.env, HOME: profile },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const address = await new Promise<string>((resolve, reject) => {
    createInterface(browser.stderr).on('line', (line) => {
      const found = /listening on (ws:\S+)/.exec(line)?.[1];
      if (found) resolve(found);
    });
    browser.on('exit', (code) => reject(new Error(`Firefox ended with ${code}`)));
  });
  const socket = new WebSocket(`${address}/session`);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  const requests: string[] = [];
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer;
    if (answer.method === 'network.beforeRequestSent') requests.push(answer.params?.request?.url ?? '');
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
  });
  let count = 0;
  const call = async (method: string, params: object): Promise<Result> => {
    const id = (count += 1);
    socket.send(JSON.stringify({ id, method, params }));
    const { result, message } = await new Promise<Answer>((resolve) => waiting.set(id, resolve));
    if (!result) throw new Error(`${method}: ${message}`);
    return result;
  };
  await call('session.new', { capabilities: {} });
  const context = (await call('browsingContext.getTree', {})).contexts![0]!.context;
  await call('browsingContext.navigate', { context, url, wait: 'complete' });
  await call('session.subscribe', { events: ['network.beforeRequestSent'] });
  const run = async (method: string, params: object): Promise<RemoteValue> => {
    const { result, exceptionDetails } = await call(method, { ...params, target: { context }, awaitPromise: true, resultOwnership: 'root' });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result!;
  };
  return {
    async evaluate<T>(expression: string): Promise<T> {
      const found = await run('script.evaluate', { expression });
      const text = await run('script.callFunction', {
        functionDeclaration: '(value) => JSON.stringify(value ?? null)',
        arguments: [found.handle === undefined ? found : { handle: found.handle }],
      });
      return JSON.parse(text.value!) as T;
    },
    requests,
    close() {
      socket.close();
      browser.on('exit', () => rmSync(profile, { recursive: true, force: true }));
      browser.kill();
    },
  };
};

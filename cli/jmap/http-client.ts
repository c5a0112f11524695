import { parseJson } from '../../contract/values/parse-json.ts';
import { oneLine } from '../sign-in/token-endpoint.ts';
import type { MailContext } from '../terminal/cli-context.ts';
import { CliError, signInError } from '../terminal/cli-error.ts';

/** Thrown after Ctrl-C. All confirmed messages are recorded. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

export const assertNotInterrupted = (signal: AbortSignal): void => {
  if (signal.aborted) throw new Interrupted('interrupted');
};

/** Thrown when the server refuses a request that it would refuse again. */
export class HttpRefused extends CliError {
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** Maximum milliseconds of all pauses together while a server does not respond, and of a single pause. */
const maxWaiting = 10 * 60_000;
const maxPause = 60_000;

const requestTimeout = 120_000;

/** Waits longer after each failure, up to {@link maxPause}. */
export type Backoff = { readonly wait: (reason: string, retryAfter?: number) => Promise<void> };

/** The pauses of one operation. For pauses of several seconds, a message is printed. */
export const backoff = (context: Pick<MailContext, 'pause' | 'signal' | 'printMessage'>): Backoff => {
  let [waited, failures] = [0, 0];
  return {
    async wait(reason, retryAfter = 0) {
      if (waited >= maxWaiting) {
        throw new CliError(`${reason}, for ${Math.round(maxWaiting / 60_000)} minutes. Run the same command again later: it continues`);
      }
      failures += 1;
      const pause = Math.min(maxPause, Math.max(retryAfter * 1000, 500 * 2 ** failures * (0.5 + Math.random() / 2)));
      if (failures === 3) context.printMessage(`${reason}; trying again for up to ${Math.round(maxWaiting / 60_000)} minutes`);
      waited += pause;
      await context.pause(pause);
      assertNotInterrupted(context.signal);
    },
  };
};

export type HttpClient = {
  /**
   * Sends a request. The response has a status below 400.
   * @throws CliError for another status, or when there is no response after many attempts; Interrupted.
   */
  readonly send: (url: string, init: { readonly method: 'GET' | 'POST'; readonly body?: Buffer | string; readonly type?: string }) => Promise<Response>;
};

const problemText = async (response: Response): Promise<string> => {
  const { detail, title } = (parseJson(await response.text().catch(() => '')) ?? {}) as { detail?: unknown; title?: unknown };
  const text = [detail, title].find((each) => typeof each === 'string');
  return text === undefined ? `status ${response.status}` : oneLine(text);
};

/** Whether the server may respond otherwise to the same request later. */
const isTransient = (status: number): boolean => status === 429 || status >= 500;

const failureText = (error: unknown): string => {
  if (!(error instanceof Error)) return 'no response';
  return oneLine(error.cause instanceof Error && error.cause.message ? error.cause.message : error.message);
};

/**
 * Sends requests with the token. A request is repeated when the server throttles it, cannot serve it or does not
 * respond, so it must be repeatable.
 */
export const httpClient = (context: MailContext, token: () => Promise<string>): HttpClient => ({
  async send(url, { method, body, type }) {
    const pauses = backoff(context);
    const { host } = new URL(url);
    for (;;) {
      assertNotInterrupted(context.signal);
      const headers = { authorization: `Bearer ${await token()}`, ...(type !== undefined && { 'content-type': type }) };
      let response: Response;
      try {
        response = await context.fetch(url, { method, headers, signal: AbortSignal.timeout(requestTimeout), ...(body !== undefined && { body }) });
      } catch (error) {
        await pauses.wait(`${host} cannot be reached: ${failureText(error)}`);
        continue;
      }
      if (response.ok) return response;
      const problem = await problemText(response);
      if (response.status === 401) throw signInError(`${host} refused the token: ${problem}. Sign in again: npx postrider login`);
      if (!isTransient(response.status)) throw new HttpRefused(`${host} refused a request: ${problem}`, response.status);
      await pauses.wait(`${host} answers ${response.status}: ${problem}`, Number(response.headers.get('retry-after')) || 0);
    }
  },
});

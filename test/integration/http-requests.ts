import { setTimeout as delay } from 'node:timers/promises';
import { longestWait } from '../support/longest-wait.ts';

export type HttpResponse = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined when it is not JSON. */
  readonly json: unknown;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Milliseconds until the next attempt of a request, and maximum attempts, by the status of the response. */
const repeats: { readonly [status: number]: readonly [pause: number, most: number] } = { 429: [100, 40], 503: [1000, 60] };

/**
 * Sends one request. Repeats the request while the gateway throttles (429), as clients do.
 * @param repeated the statuses after which it is repeated. A client that can send a request twice repeats it also when
 * the server is busy (503).
 */
export const httpRequest = async (url: string, init: RequestInit = {}, repeated: readonly (429 | 503)[] = [429]): Promise<HttpResponse> => {
  for (let tries = 1; ; tries += 1) {
    const response = await fetch(url, { ...init, redirect: 'manual' });
    const text = await response.text();
    const [pause, most] = (repeated as readonly number[]).includes(response.status) ? repeats[response.status]! : [0, 0];
    if (tries >= most) return { status: response.status, headers: response.headers, text, json: parseJson(text) };
    await delay(pause);
  }
};

/** The challenge of a 401 or 403. API Gateway may rename WWW-Authenticate of a Lambda's answer. */
export const challengeOf = ({ headers }: { readonly headers: Headers }): string =>
  headers.get('www-authenticate') ?? headers.get('x-amzn-remapped-www-authenticate') ?? '';

export const bearer = (token: string | undefined): Record<string, string> => (token === undefined ? {} : { authorization: `Bearer ${token}` });

/**
 * Calls `check` until it succeeds, first after `interval` milliseconds and then after pauses that grow to a second.
 * @param patience milliseconds after which it fails: three minutes, or longer for operations that are retried after minutes.
 * @throws the last error of `check`.
 */
export const eventually = async <T>(check: () => Promise<T>, interval = 100, patience = longestWait): Promise<T> => {
  const deadline = Date.now() + patience;
  for (let pause = interval; ; pause = Math.max(interval, Math.min(1000, pause * 1.3))) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(pause);
    }
  }
};

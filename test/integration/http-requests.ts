import { setTimeout as delay } from 'node:timers/promises';

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

/** Sends one request. Repeats it while the gateway throttles (429), as clients do. */
export const httpRequest = async (url: string, init: RequestInit = {}): Promise<HttpResponse> => {
  for (let tries = 1; ; tries += 1) {
    const response = await fetch(url, { ...init, redirect: 'manual' });
    const text = await response.text();
    if (response.status !== 429 || tries >= 40) return { status: response.status, headers: response.headers, text, json: parseJson(text) };
    await delay(100);
  }
};

export const bearer = (token: string | undefined): Record<string, string> =>
  (token === undefined ? {} : { authorization: `Bearer ${token}` });

/** Milliseconds after which a wait is given up. It is for hangs: a slow machine must not fail a test. */
const longestWait = 60_000;

/**
 * Calls `check` until it succeeds.
 * @throws the last error of `check` after a minute.
 */
export const eventually = async <T>(check: () => Promise<T>, interval = 100): Promise<T> => {
  for (const deadline = Date.now() + longestWait; ;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(interval);
    }
  }
};

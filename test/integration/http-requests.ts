import { setTimeout as delay } from 'node:timers/promises';

export type HttpResponse = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined when it is none. */
  readonly json: unknown;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** One request. A gateway that throttles (429) is asked again a little later, as clients do. */
export const httpRequest = async (url: string, init: RequestInit = {}): Promise<HttpResponse> => {
  for (let tries = 1; ; tries += 1) {
    const answer = await fetch(url, { ...init, redirect: 'manual' });
    const text = await answer.text();
    if (answer.status !== 429 || tries >= 40) return { status: answer.status, headers: answer.headers, text, json: parseJson(text) };
    await delay(100);
  }
};

export const bearer = (token: string | undefined): Record<string, string> => (token === undefined ? {} : { authorization: `Bearer ${token}` });

/** Asks again until the check holds; its last failure is the test's. */
export const eventually = async <T>(within: number, look: () => Promise<T>, every = 100): Promise<T> => {
  for (const until = Date.now() + within; ;) {
    try {
      return await look();
    } catch (error) {
      if (Date.now() > until) throw error;
      await delay(every);
    }
  }
};

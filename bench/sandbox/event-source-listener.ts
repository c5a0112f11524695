import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { StateChange } from '../../contract/jmap/push.ts';

/**
 * When a client of the event source reconnects: immediately after each response, or after `retry`, with its last event
 * id.
 */
export type ReturnOfClient = 'at once' | 'by retry';

export type EventSourceListener = {
  /** The time at which the client reads the next push of new mail (`performance.now()`). */
  readonly nextPush: () => Promise<number>;
  /** HTTP requests so far, including redirected ones. */
  readonly requests: number;
  readonly stop: () => void;
};

type Event = { readonly [field: string]: string };
const eventsIn = (stream: string): Event[] => stream.split('\n\n').slice(0, -1)
  .map((block) => Object.fromEntries(block.split('\n').map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string])));

/** Listens to the event source of a running sandbox. Pushes before the client's first response are not counted. */
export const listenByEventSource = async (jmapUrl: string, token: string, returns: ReturnOfClient): Promise<EventSourceListener> => {
  const stopped = new AbortController();
  const waiting: ((at: number) => void)[] = [];
  const headers: Record<string, string> = { 'authorization': `Bearer ${token}`, 'user-agent': `bench/${randomUUID()}` };
  const listener = {
    requests: 0,
    nextPush: () => new Promise<number>((resolve) => { waiting.push(resolve); }),
    stop: () => stopped.abort(),
  };
  /** @returns seconds until the next request. */
  const ask = async (isFirst: boolean): Promise<number> => {
    let response: Response;
    for (let url = `${jmapUrl}/eventsource?types=EmailDelivery&closeafter=no&ping=0`; ; url = new URL(response.headers.get('location')!, url).href) {
      response = await fetch(url, { headers, redirect: 'manual', signal: stopped.signal });
      listener.requests += 1;
      if (response.status !== 307) break;
    }
    let retry = 0;
    for (const { event, data, id, retry: milliseconds } of eventsIn(await response.text())) {
      retry = Number(milliseconds ?? 0) / 1000;
      if (returns === 'by retry' && id !== undefined) headers['last-event-id'] = id;
      if (event !== 'state' || isFirst || Object.keys((JSON.parse(data!) as StateChange).changed).length === 0) continue;
      for (const resolve of waiting.splice(0)) resolve(performance.now());
    }
    return returns === 'by retry' ? retry : 0;
  };
  const listen = async (retry: number): Promise<void> => {
    for (let seconds = retry; ;) {
      await pause(seconds * 1000, undefined, { signal: stopped.signal });
      seconds = await ask(false);
    }
  };
  listen(await ask(true)).catch((error: unknown) => {
    if (!stopped.signal.aborted) throw error;
  });
  return listener;
};

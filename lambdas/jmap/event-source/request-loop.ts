import { eventSourceLoop } from '../../../contract/jmap/push.ts';
import type { Clock } from '../../../core/runtime/clock.ts';

/** Maximum clients whose requests are counted. The client with the oldest last request is dropped first. */
const countedClients = 1000;

/** Counts a request of a client. @returns whether the request exceeds the limit. */
type LoopingClients = (client: string) => boolean;

/**
 * Detects clients that reconnect without a pause. It counts the requests to this instance, which receives nearly all
 * requests of such a client.
 */
export const loopingClients = (clock: Clock): LoopingClients => {
  const windows = new Map<string, { readonly since: number; requests: number }>();
  return (client) => {
    const now = clock().getTime();
    const known = windows.get(client);
    const window = known && now - known.since < eventSourceLoop.seconds * 1000 ? known : { since: now, requests: 0 };
    window.requests += 1;
    windows.delete(client);
    windows.set(client, window);
    if (windows.size > countedClients) windows.delete(windows.keys().next().value!);
    return window.requests > eventSourceLoop.requests;
  };
};

import { eventSourceLoop } from '../../../contract/jmap/push.ts';
import type { Clock } from '../../../core/runtime/clock.ts';

/** Clients whose requests are counted at a time. When there are more, the one without a request for longest is dropped. */
const countedClients = 1000;

/** Counts a request of a client, and says whether it exceeds the limit. */
type LoopingClients = (client: string) => boolean;

/**
 * Detects clients that reconnect without a pause, by the requests that this instance of the Lambda receives. A client
 * that sends one request after the other nearly always meets the same instance.
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

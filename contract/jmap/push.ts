/** The values that the three kinds of push share (RFC 8620 §7): WebSocket, event source and Web Push. */

/** New states of the types that changed, by type name (RFC 8620 §7.1). */
export type TypeState = { readonly [type: string]: string };

/**
 * The StateChange object (RFC 8620 §7.1). Over a WebSocket it may have a pushState, which a client sends in
 * WebSocketPushEnable to continue from there (RFC 8887 §4.3.5.1).
 */
export type StateChange = { readonly '@type': 'StateChange'; readonly changed: { readonly [accountId: string]: TypeState }; readonly pushState?: string };

/** The PushVerification object (RFC 8620 §7.2.2). */
export type PushVerification = { readonly '@type': 'PushVerification'; readonly pushSubscriptionId: string; readonly verificationCode: string };

export const pushLimits = {
  /** Maximum names in a list of types, including unknown ones. */
  maxTypes: 64,
  /** Maximum characters of a pushState or Last-Event-ID. A longer one is treated as unreadable. */
  maxSizePushState: 8192,
} as const;

/** The path of the event source (RFC 8620 §7.3). */
export const eventSourcePath = '/eventsource';

/**
 * Seconds after which a client of the event source reconnects (`retry`). Each response has the new states and ends, so
 * that no Lambda runs while nothing changes. It is also the maximum delay of a push to a client that respects it.
 */
export const eventSourceRetry = 30;

/**
 * The path to which a client that reconnects earlier is redirected. API Gateway itself makes the request wait, as a
 * long poll of the stack's wait queue with this number. Each number is a route of its own, so that no request can name
 * another queue.
 */
export const eventSourceWaitPath = (queue: number): string => `/eventsource/wait/${queue}`;

export const eventSourceWait = {
  /** Seconds of a wait, the longest long poll of SQS. A client must get response headers within 30 seconds. */
  seconds: 20,
  /**
   * Number of wait queues. A client may receive a message for another client of the same queue; that client then waits
   * for the maximum time.
   */
  queues: 16,
  /** Seconds since the last response before which a reconnecting client is redirected. */
  earlierThan: eventSourceRetry - 5,
  /**
   * Messages that are sent for each change. Each waiting request receives one of them. A second message is needed when
   * two clients have the same name, or when the request of a disconnected client still waits.
   */
  wakes: 2,
  /**
   * Maximum waiting clients of a principal that a change wakes. The number of records has no limit, because each name of
   * a client makes one; they expire. Further clients get the change when their wait ends.
   */
  wokenClients: 100,
} as const;

/**
 * Maximum times that an instance of the Lambda sends the same states to clients with one name, because each request may
 * come from another client. One maximum applies to the seconds immediately after the change, the other to the time in
 * which a client may still wait.
 */
export const eventSourceNews = { atOnce: 2, atOnceSeconds: 5, inAll: 3 } as const;

/** Maximum requests of one client within this number of seconds. Further requests get 429 with `Retry-After`. */
export const eventSourceLoop = { requests: 30, seconds: 10, retryAfter: 30 } as const;

/** Values of `closeafter`. With either value, the response ends even when nothing is new. */
export const closeAfter = ['state', 'no'] as const;

/** The values that the three ways of push share (RFC 8620 §7): WebSocket, event source and Web Push. */

/** New states by type name, of the types that changed (RFC 8620 §7.1). */
export type TypeState = { readonly [type: string]: string };

/**
 * RFC 8620 §7.1. Over a WebSocket it may have a pushState, with which WebSocketPushEnable continues from there (RFC
 * 8887 §4.3.5.1).
 */
export type StateChange = {
  readonly '@type': 'StateChange';
  readonly changed: { readonly [accountId: string]: TypeState };
  readonly pushState?: string;
};

/** RFC 8620 §7.2.2 */
export type PushVerification = {
  readonly '@type': 'PushVerification';
  readonly pushSubscriptionId: string;
  readonly verificationCode: string;
};

export const pushLimits = {
  /** Names in a list of types, unknown ones included. */
  maxTypes: 64,
  /** Maximum characters of a pushState or Last-Event-ID. A longer one counts as unreadable. */
  maxSizePushState: 8192,
} as const;

/** RFC 8620 §7.3 */
export const eventSourcePath = '/eventsource';

/**
 * Seconds after which a client of the event source reconnects (`retry`). Each response has the new states and ends, so
 * that no Lambda runs while nothing changes. It is also the maximum delay of a push to a client that waits this long.
 */
export const eventSourceRetry = 30;

/**
 * The path to which a client that reconnects earlier is redirected. API Gateway itself holds the request: it is a long
 * poll of one of the stack's wait queues, whose URL is in the query.
 */
export const eventSourceWaitPath = '/eventsource/wait';
export const eventSourceWaitQueueParameter = 'queue';

export const eventSourceWait = {
  /** Seconds: the longest long poll of SQS. A client must get response headers within 30. */
  seconds: 20,
  /** Clients that wait on the same queue may take each other's wake-ups, and then wait to the end. */
  queues: 16,
  /** Seconds within which a returning client is redirected. */
  earlierThan: eventSourceRetry - 5,
  /**
   * Messages for each change: a wait takes one. Two clients may have one name, and the wait of a disconnected client
   * lasts to its end and takes one too.
   */
  wakes: 2,
} as const;

/**
 * Maximum times that an instance of the Lambda sends the same states under one name, since each request may be another
 * client's: immediately after the change, and in all while one of the clients may still wait.
 */
export const eventSourceNews = { atOnce: 2, atOnceSeconds: 5, inAll: 3 } as const;

/** Maximum requests of one client within this many seconds. More get 429 with `Retry-After`. */
export const eventSourceLoop = { requests: 30, seconds: 10, retryAfter: 30 } as const;

/** Values of `closeafter`. The response ends in both cases, also when nothing is new. */
export const closeAfter = ['state', 'no'] as const;

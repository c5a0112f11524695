/** What the three ways of push share (RFC 8620 §7): WebSocket, event source and Web Push. */

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
  /** Characters of a pushState or Last-Event-ID. A longer one counts as one that cannot be read. */
  maxSizePushState: 8192,
} as const;

/** RFC 8620 §7.3 */
export const eventSourcePath = '/eventsource';

/**
 * Seconds after which a client of the event source reconnects (`retry`). Each response has what is new and ends, so
 * that no Lambda runs while nothing changes. It is also the longest delay of a push. A client that listens all month
 * costs 86,400 requests, about 0.19 USD (DECISIONS.md#the-event-source-answers-at-once-and-ends).
 */
export const eventSourceRetry = 30;

/** Values of `closeafter`. The response ends in both cases, also when nothing is new. */
export const closeAfter = ['state', 'no'] as const;

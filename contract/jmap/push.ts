/** What push has in common whichever way it goes (RFC 8620 §7): over a WebSocket, by EventSource or by Web Push. */

/** New states by type name, of the types that changed (RFC 8620 §7.1). */
export type TypeState = { readonly [type: string]: string };

/** RFC 8620 §7.1. Over a WebSocket it may carry where in history it stands, for WebSocketPushEnable to go on from (RFC 8887 §4.3.5.1). */
export type StateChange = {
  readonly '@type': 'StateChange';
  readonly changed: { readonly [accountId: string]: TypeState };
  readonly pushState?: string;
};

/** RFC 8620 §7.2.2 */
export type PushVerification = { readonly '@type': 'PushVerification'; readonly pushSubscriptionId: string; readonly verificationCode: string };

export const pushLimits = {
  /** Names in one list of types, those included that this server does not know. */
  maxTypes: 64,
  /** Characters of a pushState or Last-Event-ID; a longer one is taken for one that can't be read. */
  maxSizePushState: 8192,
} as const;

/** RFC 8620 §7.3 */
export const eventSourcePath = '/eventsource';

/**
 * Seconds after which a client of the event source asks again (`retry`): each answer says at once what is new and ends, so that nothing runs
 * while nothing happens. It is how late a push can be, and what it costs: 86,400 requests, some 0.19 USD, for a client that listens all month
 * (the sum is in DECISIONS.md, "JMAP"). Twice as often is twice as much; a WebSocket is told within a second for a seventh of it.
 */
export const eventSourceRetry = 30;

/** Values of `closeafter`. The answer ends after what is new, and also when nothing is. */
export const closeAfter = ['state', 'no'] as const;

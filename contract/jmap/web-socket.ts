import type { Problem } from './core.ts';
import type { TypeState } from './push.ts';

/** The subprotocol that a client offers and the server echoes (RFC 8887 §4.1). */
export const webSocketSubprotocol = 'jmap';

/** Seconds after which API Gateway closes any connection. */
export const maxConnectionAge = 7200;

/**
 * The query parameter with the access token for a WebSocket or EventSource of a browser, which cannot send headers
 * (docs/specification.md#websocket).
 */
export const accessTokenParameter = 'access_token';

/** Limits that ordinary clients do not reach. They stop floods, and are not exact quotas. */
export const webSocketLimits = {
  /** Maximum open connections of a principal. A further connection closes the oldest idle one. */
  maxSockets: 50,
  /**
   * Maximum frames of a principal within {@link webSocketLimits.frameWindow}, over all its connections. A connection
   * that sends more is closed, because each frame costs a call of a Lambda.
   */
  maxSocketFrames: 200,
  /** Length of a window in seconds. Windows begin at multiples of this length since 1970. */
  frameWindow: 10,
  /** Maximum octets of one frame from the server. API Gateway sends a longer message as several frames. */
  maxSizeFrame: 32 * 1024,
} as const;

/** The RequestError object (RFC 8887 §4.3.4): the problem details of a request that failed as a whole. */
export type RequestErrorFrame = Problem & { readonly '@type': 'RequestError'; readonly requestId?: string | null };

/** The `@type` of the frames that a client sends (RFC 8887 §4.3.2, §4.3.5.2, §4.3.5.3). */
export const clientFrameTypes = ['Request', 'WebSocketPushEnable', 'WebSocketPushDisable'] as const;

/**
 * Responses to subscription frames, an extension of RFC 8887 (docs/specification.md#websocket). A subscription replaces
 * the one with the same id. Unsubscribing from an unknown id is also confirmed.
 */
export type SubscribedFrame = { readonly subscribed: { readonly id: string } };
export type UnsubscribedFrame = { readonly unsubscribed: { readonly id: string } };
/** A frame from the server with the new states of an account, for the types that its subscriptions name. */
export type SubscriptionStateChangeFrame = { readonly stateChange: { readonly accountId: string; readonly changes: TypeState } };

/** Codes of an error frame. */
export const subscriptionErrorCodes = [
  /** The frame is not valid. The description gives the reason. */
  'invalidArguments',
  /** The account does not exist, or the caller is not a member of it. */
  'accountNotFound',
  /** The connection has `maxSubscriptions` subscriptions already. */
  'tooManySubscriptions',
  /** Concurrent changes conflicted too many times, or AWS throttles. The client may try again. */
  'serverUnavailable',
  'serverFail',
] as const;
export type SubscriptionErrorCode = (typeof subscriptionErrorCodes)[number];
/** An error of a subscription frame. `id` is the subscription's id; null when it could not be read. */
export type SubscriptionErrorFrame = { readonly error: { readonly id: string | null; readonly code: SubscriptionErrorCode; readonly description: string } };

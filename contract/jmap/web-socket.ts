import type { Problem } from './core.ts';
import type { JsonObject } from './data-type.ts';
import type { TypeState } from './push.ts';

/** The subprotocol that a client offers and the server echoes (RFC 8887 §4.1). */
export const webSocketSubprotocol = 'jmap';

/** Seconds after which API Gateway closes any connection. */
export const maxConnectionAge = 7200;

/**
 * The query parameter for the access token of a browser's WebSocket or EventSource, which cannot send headers
 * (docs/specification.md#websocket).
 */
export const accessTokenParameter = 'access_token';

/** Limits that ordinary clients do not reach. They stop a flood, and are no exact quotas. */
export const webSocketLimits = {
  /** Maximum open connections of a principal. An additional one closes the oldest idle one. */
  maxSockets: 50,
  /**
   * Frames of a principal within {@link webSocketLimits.frameWindow}, over all its connections. Each frame costs a call
   * of a Lambda, so a connection that sends more is closed.
   */
  maxSocketFrames: 200,
  /** Length of a window in seconds. Windows begin at its multiples since 1970. */
  frameWindow: 10,
  /** Octets of one frame from the server: API Gateway sends a longer message as several frames. */
  maxSizeFrame: 32 * 1024,
} as const;

/** RFC 8887 §4.3.2, client to server: an API request, and an id that its response repeats. */
export type RequestFrame = JsonObject & { readonly '@type': 'Request'; readonly id?: string };

/** RFC 8887 §4.3.3. */
export type ResponseFrame = JsonObject & { readonly '@type': 'Response'; readonly requestId?: string };

/** RFC 8887 §4.3.4: the problem details of a request that failed as a whole. */
export type RequestErrorFrame = Problem & { readonly '@type': 'RequestError'; readonly requestId?: string | null };

/** RFC 8887 §4.3.5.2: which types to push (null or absent: all), and how far the client was notified before. */
export type PushEnableFrame = {
  readonly '@type': 'WebSocketPushEnable';
  readonly dataTypes?: readonly string[] | null;
  readonly pushState?: string | null;
};

/** RFC 8887 §4.3.5.3 */
export type PushDisableFrame = { readonly '@type': 'WebSocketPushDisable' };

/** `@type` of the frames that a client sends. */
export const clientFrameTypes = ['Request', 'WebSocketPushEnable', 'WebSocketPushDisable'] as const;

/**
 * Subscription frames, an extension of RFC 8887 (docs/specification.md#websocket). A subscription replaces the one with
 * the same id. Unsubscribing from an unknown id is confirmed too.
 */
export type SubscribeFrame = { readonly subscribe: { readonly id: string; readonly accountId: string; readonly types: readonly string[] } };
export type SubscribedFrame = { readonly subscribed: { readonly id: string } };
export type UnsubscribeFrame = { readonly unsubscribe: { readonly id: string } };
export type UnsubscribedFrame = { readonly unsubscribed: { readonly id: string } };
/** Server to client: the new states of an account, of the types that its subscriptions name. */
export type SubscriptionStateChangeFrame = { readonly stateChange: { readonly accountId: string; readonly changes: TypeState } };

/** Codes of an error frame. */
export const subscriptionErrorCodes = [
  /** The frame is not valid; the description says why. */
  'invalidArguments',
  /** The account does not exist, or the caller is not a member of it. */
  'accountNotFound',
  /** The connection has `maxSubscriptions` subscriptions already. */
  'tooManySubscriptions',
  /** Concurrent changes conflicted too often, or AWS throttles: try again. */
  'serverUnavailable',
  'serverFail',
] as const;
export type SubscriptionErrorCode = (typeof subscriptionErrorCodes)[number];
/** `id`: of the subscription; null when it could not be read. */
export type SubscriptionErrorFrame = {
  readonly error: { readonly id: string | null; readonly code: SubscriptionErrorCode; readonly description: string };
};

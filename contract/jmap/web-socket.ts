import type { Problem } from './core.ts';
import type { JsonObject } from './data-type.ts';
import type { TypeState } from './push.ts';

/** The subprotocol a client asks for and the server echoes (RFC 8887 §4.1). */
export const webSocketSubprotocol = 'jmap';

/** Longest life of a connection, in seconds: API Gateway ends it then. */
export const maxConnectionAge = 7200;

/** The query parameter for the token of a client that can't send headers, a browser's WebSocket or EventSource (docs/specification.md#websocket). */
export const accessTokenParameter = 'access_token';

/**
 * Bounds of one connection that a client does not meet in ordinary use. A flood ends the connection: each frame costs a call.
 * What one Lambda sees is counted, so it bounds a client that sends without end, and is no exact quota.
 */
export const webSocketLimits = {
  /** Frames within {@link webSocketLimits.seconds}. */
  frames: 200,
  seconds: 10,
  /** Accounts in one StateChange, so that it stays below a frame of 32 KB with its pushState; what more there is comes in further ones. */
  accountsInStateChange: 150,
} as const;

/** RFC 8887 §4.3.2, client to server: an API request that may carry an id to recognise its answer by. */
export type RequestFrame = JsonObject & { readonly '@type': 'Request'; readonly id?: string };

/** RFC 8887 §4.3.3. */
export type ResponseFrame = JsonObject & { readonly '@type': 'Response'; readonly requestId?: string };

/** RFC 8887 §4.3.4: the problem details of a request that failed as a whole. */
export type RequestErrorFrame = Problem & { readonly '@type': 'RequestError'; readonly requestId?: string | null };

/** RFC 8887 §4.3.5.2: which types to push (null or left out: all), and where the client's knowledge ends. */
export type PushEnableFrame = { readonly '@type': 'WebSocketPushEnable'; readonly dataTypes?: readonly string[] | null; readonly pushState?: string | null };

/** RFC 8887 §4.3.5.3 */
export type PushDisableFrame = { readonly '@type': 'WebSocketPushDisable' };

/** `@type` of what a client sends. */
export const clientFrameTypes = ['Request', 'WebSocketPushEnable', 'WebSocketPushDisable'] as const;

/**
 * The service's own frames beside RFC 8887 (docs/specification.md#websocket). A subscription replaces one with the same id; taking away one
 * that is not there is confirmed too.
 */
export type SubscribeFrame = { readonly subscribe: { readonly id: string; readonly accountId: string; readonly types: readonly string[] } };
export type SubscribedFrame = { readonly subscribed: { readonly id: string } };
export type UnsubscribeFrame = { readonly unsubscribe: { readonly id: string } };
export type UnsubscribedFrame = { readonly unsubscribed: { readonly id: string } };
/** Server to client, unasked: new states of an account by type, of those that its subscriptions name. */
export type SubscriptionStateChangeFrame = { readonly stateChange: { readonly accountId: string; readonly changes: TypeState } };

/** Every code of an error frame. */
export const subscriptionErrorCodes = [
  /** The frame is not of its form: what is wrong is in the description. */
  'invalidArguments',
  /** There is no such account, or the caller is no member of it. */
  'accountNotFound',
  /** The connection has maxSubscriptions already. */
  'tooManySubscriptions',
  /** Others were faster too often, or AWS can't keep up: trying again is right. */
  'serverUnavailable',
  'serverFail',
] as const;
export type SubscriptionErrorCode = (typeof subscriptionErrorCodes)[number];
/** `id` is that of the subscription, null when it could not be read. */
export type SubscriptionErrorFrame = { readonly error: { readonly id: string | null; readonly code: SubscriptionErrorCode; readonly description: string } };

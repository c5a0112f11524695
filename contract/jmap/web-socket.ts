import type { Problem } from './core.ts';
import type { JsonObject } from './data-type.ts';

/** The subprotocol a client asks for and the server echoes (RFC 8887 §4.1). */
export const webSocketSubprotocol = 'jmap';

/** Longest life of a connection, in seconds: API Gateway ends it then. */
export const maxConnectionAge = 7200;

/** The query parameter for the token of a client that can't send headers, a browser (docs/choices.md §3 "WebSocket"). */
export const accessTokenParameter = 'access_token';

/** RFC 8887 §4.3.1, client to server: an API request that may carry an id to recognise its answer by. */
export type RequestFrame = JsonObject & { readonly '@type': 'Request'; readonly id?: string };

/** RFC 8887 §4.3.2. */
export type ResponseFrame = JsonObject & { readonly '@type': 'Response'; readonly requestId?: string };

/** RFC 8887 §4.3.3: the problem details of a request that failed as a whole. */
export type RequestErrorFrame = Problem & { readonly '@type': 'RequestError'; readonly requestId?: string | null };

/** RFC 8887 §4.3.5.2: which types to push (null: all), and where the client's knowledge ends. */
export type PushEnableFrame = { readonly '@type': 'WebSocketPushEnable'; readonly dataTypes?: readonly string[] | null; readonly pushState?: string | null };

/** RFC 8887 §4.3.5.3 */
export type PushDisableFrame = { readonly '@type': 'WebSocketPushDisable' };

/** RFC 8887 §4.3.5, both from client to server. */
export const pushFrames = ['WebSocketPushEnable', 'WebSocketPushDisable'] as const;

/** The service's own frames beside RFC 8887 (docs/choices.md §3 "WebSocket"). */
export type SubscribeFrame = { readonly subscribe: { readonly id: string; readonly accountId: string; readonly types: readonly string[] } };
export type OwnErrorFrame = { readonly error: { readonly id: string | null; readonly code: string; readonly description: string } };

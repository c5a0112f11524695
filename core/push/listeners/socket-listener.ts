import type { Item, Key } from '../../storage/table.ts';
import { decodeNotifiedUpTo, encodeNotifiedUpTo, listenerKey, socketListenerPrefix, type NotifiedUpTo } from './listener-record.ts';

/** A subscription of a `subscribe` frame, which is not of RFC 8887 (docs/specification.md#websocket). */
export type SocketSubscription = { readonly id: string; readonly accountId: string; readonly types: readonly string[] };

/**
 * An open WebSocket as a listener: which changes its client wants to be notified of (none at first), and how far it was
 * notified.
 */
export type SocketListener = {
  readonly connectionId: string;
  readonly principalId: string;
  /** When the person signed in, the same as its connection's. */
  readonly authenticatedAt: number;
  /** Seconds since 1970, the same as its connection's. DynamoDB removes the item some time after. */
  readonly expiresAt: number;
  /** Milliseconds since 1970. */
  readonly openedAt: number;
  /** Types of WebSocketPushEnable (RFC 8887 §4.3.5.2), null for all; undefined while push is not enabled. */
  readonly dataTypes?: readonly string[] | null;
  readonly subscriptions: readonly SocketSubscription[];
  readonly notifiedUpTo: NotifiedUpTo;
  /** Grows with each change of the subscriptions, so that no concurrent change is lost; undefined before the first. */
  readonly revision?: number;
  /** When a failed notification is tried again, in seconds since 1970; a past time means nothing. */
  readonly retryAt?: number;
};

export type SocketListenerReference = Pick<SocketListener, 'principalId' | 'connectionId'>;

export const socketListenerKey = ({ principalId, connectionId }: SocketListenerReference): Key =>
  listenerKey(principalId, `${socketListenerPrefix}${connectionId}`);

export const socketListenerItem = ({ connectionId, principalId, notifiedUpTo, ...listener }: SocketListener): Item => ({
  ...socketListenerKey({ principalId, connectionId }),
  ...listener,
  ...encodeNotifiedUpTo(notifiedUpTo),
});

export const decodeSocketListener = (principalId: string, item: Item): SocketListener => ({
  connectionId: item.sk.slice(socketListenerPrefix.length),
  principalId,
  authenticatedAt: item['authenticatedAt'] as number,
  expiresAt: item['expiresAt'] as number,
  openedAt: item['openedAt'] as number,
  ...(item['dataTypes'] !== undefined && { dataTypes: item['dataTypes'] as string[] | null }),
  subscriptions: item['subscriptions'] as SocketSubscription[],
  notifiedUpTo: decodeNotifiedUpTo(item),
  ...(item['revision'] !== undefined && { revision: item['revision'] as number }),
  ...(item['retryAt'] !== undefined && { retryAt: item['retryAt'] as number }),
});

import { rowOf, type Item, type Key } from '../../storage/table.ts';
import { decodeNotifiedUpTo, encodeNotifiedUpTo, listenerKey, socketListenerPrefix, type NotifiedUpTo } from './listener-record.ts';

/** A subscription by a `subscribe` frame, an extension of RFC 8887 (docs/specification.md#websocket). */
export type SocketSubscription = { readonly id: string; readonly accountId: string; readonly types: readonly string[] };

/**
 * An open WebSocket as a listener: the notifications that its client requests, and the commits up to which it was
 * notified.
 */
export type SocketListener = {
  readonly connectionId: string;
  readonly principalId: string;
  /** Time of the person's sign-in, as in the connection. */
  readonly authenticatedAt: number;
  /** Time of expiry, in seconds since 1970, as in the connection. DynamoDB removes the item later. */
  readonly expiresAt: number;
  /** Time of opening, in milliseconds since 1970. */
  readonly openedAt: number;
  /** Types of WebSocketPushEnable (RFC 8887 §4.3.5.2), null for all; undefined while push is not enabled. */
  readonly dataTypes?: readonly string[] | null;
  readonly subscriptions: readonly SocketSubscription[];
  readonly notifiedUpTo: NotifiedUpTo;
  /**
   * Increases with each change of the subscriptions, so that no concurrent change is lost. Undefined before the first
   * change.
   */
  readonly revision?: number;
  /** Time of the next attempt after a failed notification, in seconds since 1970. A past time is ignored. */
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

const listenerRow = rowOf<Omit<SocketListener, 'connectionId' | 'principalId' | 'notifiedUpTo'>>;

export const decodeSocketListener = (principalId: string, item: Item): SocketListener => {
  const { authenticatedAt, expiresAt, openedAt, dataTypes, subscriptions, revision, retryAt } = listenerRow(item);
  return {
    connectionId: item.sk.slice(socketListenerPrefix.length),
    principalId,
    authenticatedAt,
    expiresAt,
    openedAt,
    ...(dataTypes !== undefined && { dataTypes }),
    subscriptions,
    notifiedUpTo: decodeNotifiedUpTo(item),
    ...(revision !== undefined && { revision }),
    ...(retryAt !== undefined && { retryAt }),
  };
};

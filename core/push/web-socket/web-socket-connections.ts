import { mailKeys, mailPartitions } from '../../../contract/deployment/keys.ts';
import { retryOnConflict } from '../../storage/retry-on-conflict.ts';
import { contentOf, type Key, type Table } from '../../storage/table.ts';
import { socketListenerItem, socketListenerKey, type SocketListener } from '../listeners/socket-listener.ts';

/** An open WebSocket connection: its principal, and the scopes of the access token with which it was opened. */
export type WebSocketConnection = {
  readonly connectionId: string;
  readonly principalId: string;
  readonly isMachine: boolean;
  readonly scopes: readonly string[];
  /** Time of the person's sign-in, as in the access token. */
  readonly authenticatedAt: number;
  /** Time of expiry, in seconds since 1970: the end of the token, or of API Gateway's longest connection. */
  readonly expiresAt: number;
};

export type WebSocketConnections = {
  /** Stores the connection and its listener, which has neither push nor subscriptions yet. */
  put(connection: WebSocketConnection & Pick<SocketListener, 'openedAt'>): Promise<void>;
  /**
   * @returns undefined when the connection was closed or never opened. A returned connection may have expired: the
   * caller checks.
   */
  find(connectionId: string): Promise<WebSocketConnection | undefined>;
  /** Removes the connection and its listener. A connection that does not exist is ignored. */
  remove(connectionId: string): Promise<void>;
};

const partitionPrefix = mailPartitions.webSocketConnections('');

export const webSocketConnectionKey = mailKeys.webSocketConnection;

const connectionOf = contentOf<Omit<WebSocketConnection, 'connectionId'>>;

/** The connection id in the key of a connection; undefined for any other key. */
export const webSocketConnectionIdOf = ({ pk }: Key): string | undefined => (pk.startsWith(partitionPrefix) ? pk.slice(partitionPrefix.length) : undefined);

/** Removes a connection and its listener, so that nothing is sent to a closed connection. */
export const removeWebSocketConnection = async (table: Table, connection: Pick<WebSocketConnection, 'connectionId' | 'principalId'>): Promise<void> => {
  await retryOnConflict(() => table.write([{ delete: webSocketConnectionKey(connection.connectionId) }, { delete: socketListenerKey(connection) }]));
};

/** WebSocket connections in the mail table, in which items expire. */
export const webSocketConnectionsIn = (table: Table): WebSocketConnections => ({
  put: ({ connectionId, openedAt, ...connection }) =>
    table.write([
      { put: { ...webSocketConnectionKey(connectionId), ...connection } },
      {
        put: socketListenerItem({
          connectionId,
          principalId: connection.principalId,
          authenticatedAt: connection.authenticatedAt,
          expiresAt: connection.expiresAt,
          openedAt,
          subscriptions: [],
          notifiedUpTo: new Map(),
        }),
      },
    ]),
  async find(connectionId) {
    const item = await table.get(webSocketConnectionKey(connectionId));
    return item && { connectionId, ...connectionOf(item) };
  },
  async remove(connectionId) {
    const item = await table.get(webSocketConnectionKey(connectionId));
    if (item) await removeWebSocketConnection(table, { connectionId, principalId: connectionOf(item).principalId });
  },
});

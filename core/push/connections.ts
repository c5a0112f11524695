import { retryOnConflict } from '../storage/retry-on-conflict.ts';
import { socketItem, socketKey } from './socket.ts';
import type { Key, Table } from '../storage/table.ts';

/** An open WebSocket connection: whose it is, and what their token permitted when it was opened. */
export type Connection = {
  readonly connectionId: string;
  readonly principalId: string;
  readonly isMachine: boolean;
  readonly scopes: readonly string[];
  /** In seconds since 1970: with the token, or when API Gateway ends every connection. DynamoDB removes the item some time after. */
  readonly expiresAt: number;
};

export type Connections = {
  /** Remembers it, by its own id and among what its principal has open; it wants to be told of nothing yet. */
  put(connection: Connection): Promise<void>;
  /** Undefined when it was closed or never opened. It may have expired: the caller looks. */
  find(connectionId: string): Promise<Connection | undefined>;
  /** The connection and what it wanted to be told; it may be gone already. */
  remove(connectionId: string): Promise<void>;
};

const partitionPrefix = 'connection#';

export const connectionKey = (connectionId: string): Key => ({ pk: `${partitionPrefix}${connectionId}`, sk: 'connection' });

/** The id of the connection whose key this is; undefined for the key of anything else. */
export const connectionOf = ({ pk }: Key): string | undefined => (pk.startsWith(partitionPrefix) ? pk.slice(partitionPrefix.length) : undefined);

/** Forgets a connection together with what it wanted to be told, so that nothing is told to nobody; both may be gone already. */
export const removeConnection = async (table: Table, connection: Pick<Connection, 'connectionId' | 'principalId'>): Promise<void> => {
  await retryOnConflict(() => table.write([{ delete: connectionKey(connection.connectionId) }, { delete: socketKey(connection) }]));
};

/** Connections in the mail table, which lets items expire. */
export const connectionsIn = (table: Table): Connections => ({
  put: ({ connectionId, ...connection }) => table.write([
    { put: { ...connectionKey(connectionId), ...connection } },
    { put: socketItem({ connectionId, principalId: connection.principalId, expiresAt: connection.expiresAt, subscriptions: [], told: new Map() }) },
  ]),
  async find(connectionId) {
    const item = await table.get(connectionKey(connectionId));
    if (!item) return undefined;
    return {
      connectionId,
      principalId: item['principalId'] as string,
      isMachine: item['isMachine'] as boolean,
      scopes: item['scopes'] as string[],
      expiresAt: item['expiresAt'] as number,
    };
  },
  async remove(connectionId) {
    const item = await table.get(connectionKey(connectionId));
    if (item) await removeConnection(table, { connectionId, principalId: item['principalId'] as string });
  },
});

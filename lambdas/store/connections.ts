import type { Table } from './table.ts';

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
  put(connection: Connection): Promise<void>;
  /** Undefined when it was closed or never opened. It may have expired: the caller looks. */
  find(connectionId: string): Promise<Connection | undefined>;
  remove(connectionId: string): Promise<void>;
};

const keyOf = (connectionId: string) => ({ pk: `connection#${connectionId}`, sk: 'connection' });

/** Connections in the mail table, which lets items expire. */
export const connectionsIn = (table: Table): Connections => ({
  put: ({ connectionId, ...connection }) => table.write([{ put: { ...keyOf(connectionId), ...connection } }]),
  async find(connectionId) {
    const item = await table.get(keyOf(connectionId));
    if (!item) return undefined;
    return {
      connectionId,
      principalId: item['principalId'] as string,
      isMachine: item['isMachine'] as boolean,
      scopes: item['scopes'] as string[],
      expiresAt: item['expiresAt'] as number,
    };
  },
  remove: (connectionId) => table.write([{ delete: keyOf(connectionId) }]),
});

import type { Item, Key } from '../storage/table.ts';
import { listenerKey, socketPrefix } from './keys.ts';
import type { Told } from './push-state.ts';
import { toldIn } from './told.ts';

/** One of the service's own subscriptions on a socket (docs/specification.md#websocket). */
export type OwnSubscription = { readonly id: string; readonly accountId: string; readonly types: readonly string[] };

/** An open WebSocket, and what it wants to be told of: nothing, at first. */
export type Socket = {
  readonly connectionId: string;
  readonly principalId: string;
  /** In seconds since 1970, as its connection's: DynamoDB removes the item some time after. */
  readonly expiresAt: number;
  /** Types of WebSocketPushEnable, null for all; undefined while that is not enabled. */
  readonly dataTypes?: readonly string[] | null;
  readonly subscriptions: readonly OwnSubscription[];
  /** What was pushed, by account. */
  readonly told: Told;
  /** Grows with each change of the subscriptions, so that of two changes at once neither is lost; undefined before the first. */
  readonly revision?: number;
};

export const socketKey = ({ principalId, connectionId }: Pick<Socket, 'principalId' | 'connectionId'>): Key => listenerKey(principalId, `${socketPrefix}${connectionId}`);

export const socketItem = ({ connectionId, principalId, told, ...socket }: Socket): Item => ({
  ...socketKey({ principalId, connectionId }),
  ...socket,
  told: Object.fromEntries(told),
});

export const decodeSocket = (principalId: string, item: Item): Socket => ({
  connectionId: item.sk.slice(socketPrefix.length),
  principalId,
  expiresAt: item['expiresAt'] as number,
  ...(item['dataTypes'] !== undefined && { dataTypes: item['dataTypes'] as string[] | null }),
  subscriptions: item['subscriptions'] as OwnSubscription[],
  told: toldIn(item),
  ...(item['revision'] !== undefined && { revision: item['revision'] as number }),
});

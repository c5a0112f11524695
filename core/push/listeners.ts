import type { Table } from '../storage/table.ts';
import { listenerPartition, socketPrefix, subscriptionPrefix } from './keys.ts';
import { decodeSubscription, type PushSubscription } from './push-subscription.ts';
import { decodeSocket, type Socket } from './socket.ts';

/** All that a principal wants to be told by; some of it may have expired or not be verified: the caller looks. */
export type Listeners = { readonly sockets: readonly Socket[]; readonly subscriptions: readonly PushSubscription[] };

/** One query. */
export const listenersOf = async (table: Table, principalId: string): Promise<Listeners> => {
  const items = await table.query({ pk: listenerPartition(principalId) });
  return {
    sockets: items.filter(({ sk }) => sk.startsWith(socketPrefix)).map((item) => decodeSocket(principalId, item)),
    subscriptions: items.filter(({ sk }) => sk.startsWith(subscriptionPrefix)).map((item) => decodeSubscription(principalId, item)),
  };
};

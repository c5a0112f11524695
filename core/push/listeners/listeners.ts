import type { Table } from '../../storage/table.ts';
import { decodeEventSource, type EventSourceListener } from './event-source-listener.ts';
import { eventSourcePrefix, listenerPartition, pushSubscriptionPrefix, socketListenerPrefix } from './listener-record.ts';
import { decodeSubscription, type PushSubscription } from './push-subscription.ts';
import { decodeSocketListener, type SocketListener } from './socket-listener.ts';

/** All listeners of a principal. The caller checks which listeners have expired or are not verified yet. */
export type Listeners = {
  readonly sockets: readonly SocketListener[];
  readonly subscriptions: readonly PushSubscription[];
  readonly eventSources: readonly EventSourceListener[];
};

/** Finds the listeners of a principal by one query. */
export const findListeners = async (table: Table, principalId: string): Promise<Listeners> => {
  const items = await table.query({ pk: listenerPartition(principalId) });
  return {
    sockets: items.filter(({ sk }) => sk.startsWith(socketListenerPrefix)).map((item) => decodeSocketListener(principalId, item)),
    subscriptions: items.filter(({ sk }) => sk.startsWith(pushSubscriptionPrefix)).map((item) => decodeSubscription(principalId, item)),
    eventSources: items.filter(({ sk }) => sk.startsWith(eventSourcePrefix)).map((item) => decodeEventSource(principalId, item)),
  };
};

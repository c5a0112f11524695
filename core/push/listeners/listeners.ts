import { mailPartitions } from '../../../contract/deployment/keys.ts';
import { pushSubscriptionLimits } from '../../../contract/jmap/push-subscription.ts';
import { eventSourceWait } from '../../../contract/jmap/push.ts';
import { webSocketLimits } from '../../../contract/jmap/web-socket.ts';
import type { Table } from '../../storage/table.ts';
import { decodeEventSource, type EventSourceListener } from './event-source-listener.ts';
import { eventSourcePrefix, pushSubscriptionPrefix, socketListenerPrefix } from './listener-record.ts';
import { decodeSubscription, type PushSubscription } from './push-subscription.ts';
import { decodeSocketListener, type SocketListener } from './socket-listener.ts';

/** All listeners of a principal. The caller checks which listeners have expired or are not verified yet. */
export type Listeners = {
  readonly sockets: readonly SocketListener[];
  readonly subscriptions: readonly PushSubscription[];
  readonly eventSources: readonly EventSourceListener[];
};

/**
 * Maximum listeners that are read: all subscriptions and sockets, also while sockets beyond the limit are being closed,
 * and then clients of the event source.
 */
const maxListeners = pushSubscriptionLimits.maxSubscriptions + 2 * webSocketLimits.maxSockets + eventSourceWait.wokenClients;

/**
 * Finds the listeners of a principal by one query. Clients of the event source sort first, so that the query in
 * descending order leaves out only these when there are too many.
 */
export const findListeners = async (table: Table, principalId: string): Promise<Listeners> => {
  const items = (await table.query({ pk: mailPartitions.listeners(principalId), descending: true, limit: maxListeners })).toReversed();
  return {
    sockets: items.filter(({ sk }) => sk.startsWith(socketListenerPrefix)).map((item) => decodeSocketListener(principalId, item)),
    subscriptions: items.filter(({ sk }) => sk.startsWith(pushSubscriptionPrefix)).map((item) => decodeSubscription(principalId, item)),
    eventSources: items.filter(({ sk }) => sk.startsWith(eventSourcePrefix)).map((item) => decodeEventSource(principalId, item)),
  };
};

/** Finds all sockets of a principal, also beyond their limit. */
export const findSockets = async (table: Table, principalId: string): Promise<readonly SocketListener[]> =>
  (await table.query({ pk: mailPartitions.listeners(principalId), prefix: socketListenerPrefix })).map((item) => decodeSocketListener(principalId, item));

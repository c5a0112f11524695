import { webSocketLimits } from '../../../contract/jmap/web-socket.ts';
import { secondsNow, type Clock } from '../../runtime/clock.ts';
import { mapConcurrently } from '../../runtime/concurrency/map-concurrently.ts';
import { findListeners } from '../listeners/listeners.ts';
import type { SocketListener, SocketListenerReference } from '../listeners/socket-listener.ts';
import { closeAndRemoveSocket, type SocketDependencies } from './socket-notification.ts';

/**
 * Maximum sockets that one handshake closes, so that hundreds of concurrent handshakes do not close the same hundreds
 * each.
 */
const closesPerHandshake = 5;

/** So many of the items, chosen at random. */
const randomOf = <T>(items: readonly T[], count: number): T[] => {
  const remaining = [...items];
  return Array.from({ length: Math.min(count, items.length) }, () => remaining.splice(Math.floor(Math.random() * remaining.length), 1)[0]!);
};

/** A socket without push and subscriptions. Its client notices its end at the next request only. */
const isIdle = ({ dataTypes, subscriptions }: SocketListener): boolean => dataTypes === undefined && subscriptions.length === 0;

/** Idle sockets first, then the others; among each, those that were opened first. */
const byUse = (one: SocketListener, other: SocketListener): number =>
  Number(isIdle(other)) - Number(isIdle(one)) || one.openedAt - other.openedAt
  || (one.connectionId < other.connectionId ? -1 : 1);

/**
 * Closes the sockets of a principal beyond `maxSockets`, with a reason for their clients. Call it after the new
 * connection is stored: of connections that open concurrently, the last one finds all of them. Later handshakes close
 * the sockets that one handshake leaves. API Gateway does not always report the end of a connection; the record of such
 * a connection is old, and removed first.
 * @throws Error when a socket could not be closed.
 */
export const closeExcessSockets = async (dependencies: SocketDependencies, opened: SocketListenerReference, clock: Clock): Promise<void> => {
  const { sockets } = await findListeners(dependencies.mail, opened.principalId);
  const open = sockets.filter(({ expiresAt }) => expiresAt > secondsNow(clock));
  const closable = open.filter(({ connectionId }) => connectionId !== opened.connectionId).toSorted(byUse);
  const excess = closable.slice(0, Math.max(0, open.length - webSocketLimits.maxSockets));
  await mapConcurrently(randomOf(excess, closesPerHandshake), (socket) => closeAndRemoveSocket(dependencies, socket, 'tooManySockets'));
};

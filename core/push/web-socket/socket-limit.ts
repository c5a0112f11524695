import { webSocketLimits } from '../../../contract/jmap/web-socket.ts';
import { secondsNow, type Clock } from '../../runtime/clock.ts';
import { mapConcurrently } from '../../runtime/map-concurrently.ts';
import { findSockets } from '../listeners/listeners.ts';
import type { SocketListener, SocketListenerReference } from '../listeners/socket-listener.ts';
import { closeAndRemoveSocket, type SocketDependencies } from './socket-notification.ts';

/**
 * Maximum sockets that one handshake closes. With a higher number, concurrent handshakes would close the same sockets.
 */
const closesPerHandshake = 5;

/** Items in random order, up to a number. */
const randomOf = <T>(items: readonly T[], count: number): T[] => {
  const remaining = [...items];
  return Array.from({ length: Math.min(count, items.length) }, () => remaining.splice(Math.floor(Math.random() * remaining.length), 1)[0]!);
};

/**
 * Whether a socket has neither push nor subscriptions. If it is closed, its client notices that only at the next
 * request.
 */
const isIdle = ({ dataTypes, subscriptions }: SocketListener): boolean => dataTypes === undefined && subscriptions.length === 0;

/** Compares sockets: idle ones first, and within each group those that were opened earlier. */
const byUse = (one: SocketListener, other: SocketListener): number =>
  Number(isIdle(other)) - Number(isIdle(one)) || one.openedAt - other.openedAt || (one.connectionId < other.connectionId ? -1 : 1);

/**
 * Closes a principal's sockets beyond `maxSockets`, and tells their clients the reason. Call it after the new
 * connection is stored, so that the last of several concurrent handshakes finds all connections. Later handshakes close
 * the sockets that remain. API Gateway does not always report the end of a connection; the record of such a connection
 * is old, and removed first.
 * @throws Error when a socket could not be closed.
 */
export const closeExcessSockets = async (dependencies: SocketDependencies, opened: SocketListenerReference, clock: Clock): Promise<void> => {
  const sockets = await findSockets(dependencies.mail, opened.principalId);
  const open = sockets.filter(({ expiresAt }) => expiresAt > secondsNow(clock));
  const closable = open.filter(({ connectionId }) => connectionId !== opened.connectionId).toSorted(byUse);
  const excess = closable.slice(0, Math.max(0, open.length - webSocketLimits.maxSockets));
  await mapConcurrently(randomOf(excess, closesPerHandshake), (socket) => closeAndRemoveSocket(dependencies, socket, 'tooManySockets'));
};

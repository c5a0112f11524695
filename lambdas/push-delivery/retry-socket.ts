import { isRevoked, type Principals } from '../../core/directory/users/principals.ts';
import { findAccountStates } from '../../core/push/listeners/account-states.ts';
import { decodeSocketListener, socketListenerKey } from '../../core/push/listeners/socket-listener.ts';
import { closeAndRemoveSocket, notifySocket, socketNotification, type SocketDependencies } from '../../core/push/web-socket/socket-notification.ts';
import { scheduleSocketRetry, waitsForRetry, type SocketRetry } from '../../core/push/web-socket/socket-retry.ts';
import { removeWebSocketConnection } from '../../core/push/web-socket/web-socket-connections.ts';
import { secondsNow, type Clock } from '../../core/runtime/clock.ts';
import type { Queue } from '../../core/runtime/lambda/queue.ts';
import type { Log } from '../../core/runtime/log.ts';
import { findPrincipal } from './web-push-handler.ts';

export type RetrySocketDependencies = SocketDependencies & {
  readonly principals: Principals;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
};

/**
 * Notifies a socket again: reads its listener and principal, then the states of the principal's accounts, and sends the
 * current new states. If sending fails without an answer twice in a row, the socket is closed. Its client then connects
 * again with its pushState.
 * @throws Error when the socket cannot be closed; the message then returns to the queue.
 */
export const retrySocket = async (dependencies: RetrySocketDependencies, message: SocketRetry): Promise<void> => {
  const { mail, webSocketSender, principals, clock, log } = dependencies;
  const { principalId, connectionId, attempt } = message;
  const [item, principal] = await Promise.all([mail.get(socketListenerKey(message)), findPrincipal(principals, principalId)]);
  if (!item) return;
  const listener = decodeSocketListener(principalId, item);
  if (!principal?.isActive) return closeAndRemoveSocket(dependencies, listener, 403);
  if (listener.expiresAt <= secondsNow(clock) || isRevoked(listener, principal)) return closeAndRemoveSocket(dependencies, listener, 401);
  if (waitsForRetry(listener, clock)) return;
  const accounts = await findAccountStates(
    mail,
    principal.memberships.map(({ accountId }) => accountId),
  );
  const notification = socketNotification(
    listener,
    accounts.map((account) => ({ account, after: account.sequence })),
  );
  if (!notification) return;
  const outcome = await notifySocket(dependencies, listener, notification);
  if (outcome === 'silent' && message.after === 'silent') {
    await webSocketSender.close(connectionId);
    await removeWebSocketConnection(mail, listener);
    log.warn('the socket was closed, because API Gateway did not respond twice');
  } else if (outcome === 'silent' || outcome === 'refused') {
    await scheduleSocketRetry(dependencies, listener, { attempt: attempt + 1, after: outcome });
  }
};

import { problemType, type Problem } from '../../../contract/jmap/core.ts';
import { webSocketLimits, type RequestErrorFrame, type SubscriptionStateChangeFrame } from '../../../contract/jmap/web-socket.ts';
import type { WebSocketSender } from '../../aws/api-gateway-web-socket-sender.ts';
import type { Table } from '../../storage/table.ts';
import {
  currentSequences,
  stateChangesSince,
  toStateChange,
  unseenBy,
  withBatchStarts,
  type AccountChange,
  type AccountStates,
} from '../listeners/account-states.ts';
import { setNotifiedUpTo, type NotifiedUpTo } from '../listeners/listener-record.ts';
import { socketListenerKey, type SocketListener } from '../listeners/socket-listener.ts';
import { removeWebSocketConnection } from './web-socket-connections.ts';

export type SocketDependencies = { readonly mail: Table; readonly webSocketSender: WebSocketSender };

/** Frames to send to a socket, and the newest commits that these frames include. */
type SocketNotification = { readonly frames: readonly string[]; readonly notifiedUpTo: NotifiedUpTo };

/** The frame of all `subscribe` subscriptions to an account (docs/specification.md#websocket). */
const subscriptionFrame = ({ subscriptions }: SocketListener, account: AccountStates, notifiedUpTo: NotifiedUpTo): SubscriptionStateChangeFrame[] => {
  const types = subscriptions.filter(({ accountId }) => accountId === account.accountId).flatMap((subscription) => subscription.types);
  return stateChangesSince([account], notifiedUpTo, types).map(({ accountId, typeState }) => ({ stateChange: { accountId, changes: typeState } }));
};

/**
 * The frames that notify a socket of the changes in a batch; undefined when the client requested none of them. A
 * pushState states that the client knows every earlier state (RFC 8887 §4.3.5.1). So the first StateChange of an
 * account has all of the account's states. Frames of `subscribe` subscriptions have no pushState, so the first frame
 * has only the changes of the batch.
 */
export const socketNotification = (listener: SocketListener, changes: readonly AccountChange[]): SocketNotification | undefined => {
  const unseen = unseenBy(listener.notifiedUpTo, changes);
  const accounts = unseen.map(({ account }) => account);
  const reached = currentSequences(accounts);
  const since = listener.dataTypes === undefined ? withBatchStarts(listener.notifiedUpTo, unseen) : listener.notifiedUpTo;
  const stateChanges = listener.dataTypes === undefined ? [] : stateChangesSince(accounts, since, listener.dataTypes);
  const frames = [
    ...(stateChanges.length > 0 ? [toStateChange(stateChanges, new Map([...listener.notifiedUpTo, ...reached]))] : []),
    ...accounts.flatMap((account) => subscriptionFrame(listener, account, since)),
  ];
  return frames.length === 0 ? undefined : { frames: frames.map((frame) => JSON.stringify(frame)), notifiedUpTo: reached };
};

const closeProblems = {
  401: { type: 'about:blank', status: 401, detail: 'The access token has ended: connect again with a new one.' },
  403: { type: 'about:blank', status: 403, detail: 'The user may not use this service any more.' },
  tooManySockets: {
    type: problemType.limit,
    status: 400,
    limit: 'maxSockets',
    detail: `You have ${webSocketLimits.maxSockets} connections at most; a newer one replaces this one.`,
  },
} as const satisfies Record<string | number, Problem>;

/**
 * A reason to close a socket: the socket has expired, its user is no longer active, or the user has too many newer
 * sockets.
 */
type CloseReason = keyof typeof closeProblems;

const requestErrorFrame = (reason: CloseReason): RequestErrorFrame => ({ '@type': 'RequestError', requestId: null, ...closeProblems[reason] });

/** Sends the reason, if the client is still connected, and closes the socket. */
export const closeSocket = async (
  { webSocketSender }: Pick<SocketDependencies, 'webSocketSender'>,
  connectionId: string,
  reason: CloseReason,
): Promise<void> => {
  const outcome = await webSocketSender.post(connectionId, JSON.stringify(requestErrorFrame(reason))).catch(() => 'unconfirmed' as const);
  if (outcome !== 'gone') await webSocketSender.close(connectionId);
};

/** Closes a socket that may no longer receive notifications, and removes its connection. */
export const closeAndRemoveSocket = async (dependencies: SocketDependencies, listener: SocketListener, reason: CloseReason): Promise<void> => {
  await closeSocket(dependencies, listener.connectionId, reason);
  await removeWebSocketConnection(dependencies.mail, listener);
};

/**
 * The outcome of a notification. `silent`: API Gateway did not respond, so the client may have missed a frame.
 * `refused`: API Gateway throttles or fails, or the client reads too slowly. The same frames may be sent again.
 */
export type NotificationOutcome = 'sent' | 'gone' | 'silent' | 'refused';

/** Sends the frames in order, until a frame can't be sent. */
const sendFrames = async (
  { webSocketSender }: SocketDependencies,
  { connectionId }: SocketListener,
  frames: readonly string[],
): Promise<NotificationOutcome> => {
  for (const frame of frames) {
    const outcome = await webSocketSender.post(connectionId, frame).catch(() => 'refused' as const);
    if (outcome !== 'sent') return outcome;
  }
  return 'sent';
};

/**
 * Sends a notification and stores the client's new position. Removes the connection of a socket that is gone. A client
 * that receives the same frames again is notified of the same states.
 */
export const notifySocket = async (
  dependencies: SocketDependencies,
  listener: SocketListener,
  { frames, notifiedUpTo }: SocketNotification,
): Promise<NotificationOutcome> => {
  const outcome = await sendFrames(dependencies, listener, frames);
  if (outcome === 'sent') await setNotifiedUpTo(dependencies.mail, socketListenerKey(listener), notifiedUpTo);
  if (outcome === 'gone') await removeWebSocketConnection(dependencies.mail, listener);
  return outcome;
};

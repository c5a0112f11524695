import { isOfType, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { pushLimits, type StateChange } from '../../../contract/jmap/push.ts';
import { webSocketLimits } from '../../../contract/jmap/web-socket.ts';
import {
  currentSequences,
  findAccountStates,
  stateChangesSince,
  supportedPushTypes,
  toStateChange,
  type AccountStateChange,
} from '../../../core/push/listeners/account-states.ts';
import { setNotifiedUpTo, type NotifiedUpTo } from '../../../core/push/listeners/listener-record.ts';
import { decodePushState } from '../../../core/push/listeners/push-state.ts';
import { socketListenerKey } from '../../../core/push/listeners/socket-listener.ts';
import { disableSocketPush, enableSocketPush } from '../../../core/push/web-socket/socket-listener-changes.ts';
import { removeWebSocketConnection, type WebSocketConnection } from '../../../core/push/web-socket/web-socket-connections.ts';
import { requestProblem } from '../request/jmap-errors.ts';
import { connectionExpired, getConnectionCaller, type FrameContext } from './frame-context.ts';

type PushEnableArguments = { readonly dataTypes: readonly string[] | null; readonly pushState: string | null };

/** Decodes WebSocketPushEnable (RFC 8887 §4.3.5.2). */
const decodePushEnable = ({ dataTypes = null, pushState = null }: JsonObject): PushEnableArguments => {
  if (!isOfType({ orNull: { list: 'String' } }, dataTypes)) {
    throw requestProblem.notRequest('"dataTypes" must be a list of type names or null.');
  }
  if (!isOfType({ orNull: 'String' }, pushState)) throw requestProblem.notRequest('"pushState" must be a string.');
  if (dataTypes && dataTypes.length > pushLimits.maxTypes) throw requestProblem.notRequest(`"dataTypes" has ${pushLimits.maxTypes} names at most.`);
  return { dataTypes: supportedPushTypes(dataTypes), pushState };
};

/** Maximum octets of the changes in one StateChange, so that it fits into a frame with the longest pushState. */
const maxSizeChanges = webSocketLimits.maxSizeFrame - pushLimits.maxSizePushState - 256;

/** Groups changes so that each group fits into one frame. */
const groupsBySize = (changes: readonly AccountStateChange[]): readonly (readonly AccountStateChange[])[] => {
  const groups: AccountStateChange[][] = [];
  let size = Infinity;
  for (const change of changes) {
    const ownSize = Buffer.byteLength(JSON.stringify([change.accountId, change.typeState]));
    if (size + ownSize > maxSizeChanges) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)!.push(change);
    size += ownSize;
  }
  return groups;
};

/** The frames that contain all changes. Only the last frame has a pushState. */
const catchUpFrames = (changes: readonly AccountStateChange[], current: NotifiedUpTo): readonly StateChange[] => {
  const groups = groupsBySize(changes);
  return groups.map((group, index) => toStateChange(group, index === groups.length - 1 ? current : undefined));
};

/** Sends frames. @returns false when the client has left. @throws RequestProblem 503 when a frame was not sent. */
const sendFrames = async ({ webSocketSender }: FrameContext, connectionId: string, frames: readonly StateChange[]): Promise<boolean> => {
  for (const frame of frames) {
    const outcome = await webSocketSender.post(connectionId, JSON.stringify(frame));
    if (outcome === 'gone') return false;
    if (outcome === 'silent') throw requestProblem.plain(503, 'The server is busy. Enable push again later.');
  }
  return true;
};

/**
 * Handles WebSocketPushEnable. It stores the listener before it reads the states of the accounts, so that no change is
 * lost in between. It sends the new states before it stores the client's position. A client without a readable
 * pushState is sent all states.
 * @returns a StateChange without changes, so that the client has a pushState before the first change.
 */
export const enablePush = async (frame: JsonObject, connection: WebSocketConnection, context: FrameContext): Promise<string> => {
  const { mailTable } = context.jmap;
  const { dataTypes, pushState } = decodePushEnable(frame);
  const accountIds = (await getConnectionCaller(connection, context)).memberships.map(({ accountId }) => accountId);
  const notifiedUpTo: NotifiedUpTo = decodePushState(pushState, accountIds) ?? new Map();
  if (!(await enableSocketPush(mailTable, connection, dataTypes, notifiedUpTo))) throw connectionExpired();
  const accounts = await findAccountStates(mailTable, accountIds);
  const current = currentSequences(accounts);
  if (await sendFrames(context, connection.connectionId, catchUpFrames(stateChangesSince(accounts, notifiedUpTo, dataTypes), current))) {
    const changed = new Map([...current].filter(([accountId, sequence]) => notifiedUpTo.get(accountId) !== sequence));
    if (changed.size > 0) await setNotifiedUpTo(mailTable, socketListenerKey(connection), changed);
  } else await removeWebSocketConnection(mailTable, connection);
  return JSON.stringify(toStateChange([], current));
};

/** Handles WebSocketPushDisable (RFC 8887 §4.3.5.3). The response is a StateChange without changes. */
export const disablePush = async (connection: WebSocketConnection, context: FrameContext): Promise<string> => {
  await getConnectionCaller(connection, context);
  await disableSocketPush(context.jmap.mailTable, connection);
  return JSON.stringify(toStateChange([]));
};

import { fits, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { pushLimits, type StateChange } from '../../../contract/jmap/push.ts';
import { socketLimits } from '../../../contract/jmap/web-socket.ts';
import { removeConnection, type Connection } from '../../../core/push/connections.ts';
import { accountStates, newsSince, standing, type AccountNews } from '../../../core/push/account-states.ts';
import type { Told } from '../../../core/push/push-state.ts';
import { socketKey } from '../../../core/push/socket.ts';
import { disablePush, enablePush } from '../../../core/push/sockets.ts';
import { raiseTold } from '../../../core/push/told.ts';
import { refusal } from '../protocol/errors.ts';
import { knownBy, stateChange, typesThere } from '../push/news.ts';
import { callerOn, connectionEnded, type FrameTools } from './frame-context.ts';

type Enabling = { readonly dataTypes: readonly string[] | null; readonly pushState: string | null };

/** RFC 8887 §4.3.5.2 */
const enablingOf = ({ dataTypes = null, pushState = null }: JsonObject): Enabling => {
  if (!fits({ orNull: { list: 'String' } }, dataTypes)) throw refusal.notRequest('"dataTypes" must be a list of type names or null.');
  if (!fits({ orNull: 'String' }, pushState)) throw refusal.notRequest('"pushState" must be a string.');
  const names = dataTypes as string[] | null;
  if (names && names.length > pushLimits.maxTypes) throw refusal.notRequest(`"dataTypes" has ${pushLimits.maxTypes} names at most.`);
  return { dataTypes: typesThere(names), pushState: pushState as string | null };
};

/** What is newer than the client knows, in as many frames as it takes; the last one says where the client stands then. */
const catchUpFrames = (news: readonly AccountNews[], now: Told): readonly StateChange[] => {
  const size = socketLimits.accountsInStateChange;
  const frames = Math.ceil(news.length / size);
  return Array.from({ length: frames }, (_, index) => stateChange(news.slice(index * size, (index + 1) * size), index === frames - 1 ? now : undefined));
};

/** @returns false when the client went away meanwhile. */
const sendAll = async ({ sockets }: FrameTools, connectionId: string, frames: readonly StateChange[]): Promise<boolean> => {
  for (const frame of frames) {
    if (await sockets.post(connectionId, JSON.stringify(frame)) === 'gone') return false;
  }
  return true;
};

/**
 * WebSocketPushEnable. First it is stored who listens, then it is read where the accounts stand, so that no change falls between the two. What
 * the client does not know yet is sent, and only then remembered as told. The answer is a StateChange that changes nothing and says from which
 * pushState to go on, so that a client has one before anything happens.
 */
export const answerEnable = async (frame: JsonObject, connection: Connection, tools: FrameTools): Promise<string> => {
  const { mailTable } = tools.jmap;
  const { dataTypes, pushState } = enablingOf(frame);
  const accountIds = (await callerOn(connection, tools)).memberships.map(({ accountId }) => accountId);
  const told = knownBy(pushState, accountIds);
  if (!await enablePush(mailTable, connection, dataTypes, told)) throw connectionEnded();
  const accounts = await accountStates(mailTable, accountIds);
  const now = standing(accounts);
  if (await sendAll(tools, connection.connectionId, catchUpFrames(newsSince(accounts, told, dataTypes), now))) {
    const raised = [...now].filter(([accountId, sequence]) => told.get(accountId) !== sequence);
    if (raised.length > 0) await raiseTold(mailTable, socketKey(connection), Object.fromEntries(raised));
  } else await removeConnection(mailTable, connection);
  return JSON.stringify(stateChange([], now));
};

/**
 * WebSocketPushDisable (RFC 8887 §4.3.5.3) has no answer. API Gateway does not say what becomes of an empty one, so a frame is sent that
 * means nothing to any client: a StateChange without changes.
 */
export const answerDisable = async (connection: Connection, tools: FrameTools): Promise<string> => {
  await callerOn(connection, tools);
  await disablePush(tools.jmap.mailTable, connection);
  return JSON.stringify(stateChange([]));
};

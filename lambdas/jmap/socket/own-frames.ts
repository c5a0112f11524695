import { ownWebSocketLimits } from '../../../contract/jmap/core.ts';
import { fits, isObject, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { pushLimits } from '../../../contract/jmap/push.ts';
import type { OwnErrorCode, OwnErrorFrame, SubscribedFrame, UnsubscribedFrame } from '../../../contract/jmap/web-socket.ts';
import { isTransient, errorLogFields } from '../../../core/runtime/errors.ts';
import type { Connection } from '../../../core/push/connections.ts';
import { StoreConflict } from '../../../core/runtime/domain-errors.ts';
import { subscribe, unsubscribe } from '../../../core/push/sockets.ts';
import { RequestProblem } from '../protocol/errors.ts';
import { typesThere } from '../push/news.ts';
import { callerOn, connectionEnded, type FrameTools } from './frame-context.ts';

/** Fails one of the service's own frames. */
class OwnError extends Error {
  override readonly name = 'OwnError';
  readonly code: OwnErrorCode;
  constructor(code: OwnErrorCode, description: string) {
    super(description);
    this.code = code;
  }
}

const longestId = 255;

const idIn = (given: unknown): string | null => {
  const id = isObject(given) ? given['id'] : undefined;
  return typeof id === 'string' && id.length > 0 && id.length <= longestId ? id : null;
};

const requiredId = (given: unknown): string => {
  const id = idIn(given);
  if (id === null) throw new OwnError('invalidArguments', `"id" must be a string of 1 to ${longestId} characters.`);
  return id;
};

const typesIn = (given: JsonObject): readonly string[] => {
  const types = given['types'];
  if (!fits({ list: 'String' }, types)) throw new OwnError('invalidArguments', '"types" must be a list of type names.');
  const names = types as string[];
  if (names.length === 0 || names.length > pushLimits.maxTypes) throw new OwnError('invalidArguments', `"types" has 1 to ${pushLimits.maxTypes} names.`);
  return typesThere(names)!;
};

const answerSubscribe = async (given: unknown, connection: Connection, tools: FrameTools): Promise<SubscribedFrame> => {
  const { memberships } = await callerOn(connection, tools);
  const id = requiredId(given);
  const types = typesIn(given as JsonObject);
  const { accountId } = given as JsonObject;
  if (typeof accountId !== 'string') throw new OwnError('invalidArguments', '"accountId" must be a string.');
  if (!memberships.some((membership) => membership.accountId === accountId)) throw new OwnError('accountNotFound', 'There is no such account, or it is not yours.');
  const outcome = await subscribe(tools.jmap.mailTable, connection, { id, accountId, types });
  if (outcome === 'closed') throw connectionEnded();
  if (outcome === 'tooMany') throw new OwnError('tooManySubscriptions', `A connection has ${ownWebSocketLimits.maxSubscriptions} subscriptions at most: unsubscribe from another, or replace one by its id.`);
  return { subscribed: { id } };
};

const answerUnsubscribe = async (given: unknown, connection: Connection, tools: FrameTools): Promise<UnsubscribedFrame> => {
  await callerOn(connection, tools);
  const id = requiredId(given);
  if (await unsubscribe(tools.jmap.mailTable, connection, id) === 'closed') throw connectionEnded();
  return { unsubscribed: { id } };
};

const errorOf = (failure: unknown, { jmap }: FrameTools): OwnError => {
  if (failure instanceof OwnError) return failure;
  if (failure instanceof StoreConflict) return new OwnError('serverUnavailable', 'This connection is changing its subscriptions all the time; try again.');
  jmap.log.error('a subscription failed', errorLogFields(failure));
  return isTransient(failure) ? new OwnError('serverUnavailable', 'The server is busy; try again in a moment.') : new OwnError('serverFail', 'Something went wrong on the server.');
};

/** Whether a frame is one of the service's own, which have no `@type` (docs/specification.md#websocket). */
export const isOwnFrame = (frame: JsonObject): boolean => frame['@type'] === undefined && ('subscribe' in frame || 'unsubscribe' in frame);

/** @throws RequestProblem 401 or 403, which end the connection. All else that goes wrong is an error frame with the subscription's id. */
export const answerOwnFrame = async (frame: JsonObject, connection: Connection, tools: FrameTools): Promise<string> => {
  const [given, answer] = 'subscribe' in frame ? [frame['subscribe'], answerSubscribe] : [frame['unsubscribe'], answerUnsubscribe];
  try {
    if ('subscribe' in frame && 'unsubscribe' in frame) throw new OwnError('invalidArguments', 'A frame has one of "subscribe" and "unsubscribe".');
    return JSON.stringify(await answer(given, connection, tools));
  } catch (failure) {
    if (failure instanceof RequestProblem) throw failure;
    const { code, message } = errorOf(failure, tools);
    return JSON.stringify({ error: { id: idIn(given), code, description: message } } satisfies OwnErrorFrame);
  }
};

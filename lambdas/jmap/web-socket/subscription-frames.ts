import { webSocketSubscriptionLimits } from '../../../contract/jmap/core.ts';
import { isOfType, isObject, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { pushLimits } from '../../../contract/jmap/push.ts';
import type { SubscriptionErrorCode, SubscriptionErrorFrame, SubscribedFrame, UnsubscribedFrame } from '../../../contract/jmap/web-socket.ts';
import { supportedPushTypes } from '../../../core/push/listeners/account-states.ts';
import { addSocketSubscription, removeSocketSubscription } from '../../../core/push/web-socket/socket-listener-changes.ts';
import type { WebSocketConnection } from '../../../core/push/web-socket/web-socket-connections.ts';
import { isTransient } from '../../../core/runtime/aws-errors.ts';
import { StoreConflict } from '../../../core/runtime/domain-errors.ts';
import { errorLogFields } from '../../../core/runtime/error-log-fields.ts';
import { RequestProblem } from '../request/jmap-errors.ts';
import { getConnectionCaller, connectionExpired, type FrameContext } from './frame-context.ts';

/** The error of a `subscribe` or `unsubscribe` frame. */
class SubscriptionError extends Error {
  override readonly name = 'SubscriptionError';
  readonly code: SubscriptionErrorCode;
  constructor(code: SubscriptionErrorCode, description: string) {
    super(description);
    this.code = code;
  }
}

const longestId = 255;

const subscriptionIdOf = (given: unknown): string | null => {
  const id = isObject(given) ? given['id'] : undefined;
  return typeof id === 'string' && id.length > 0 && id.length <= longestId ? id : null;
};

const requiredId = (given: unknown): string => {
  const id = subscriptionIdOf(given);
  if (id === null) throw new SubscriptionError('invalidArguments', `"id" must be a string of 1 to ${longestId} characters.`);
  return id;
};

const requiredTypes = (types: unknown): readonly string[] => {
  if (!isOfType({ list: 'String' }, types)) throw new SubscriptionError('invalidArguments', '"types" must be a list of type names.');
  if (types.length === 0 || types.length > pushLimits.maxTypes) {
    throw new SubscriptionError('invalidArguments', `"types" has 1 to ${pushLimits.maxTypes} names.`);
  }
  return supportedPushTypes(types)!;
};

const addSubscription = async (given: unknown, connection: WebSocketConnection, context: FrameContext): Promise<SubscribedFrame> => {
  const { memberships } = await getConnectionCaller(connection, context);
  const id = requiredId(given);
  const { types: names, accountId }: JsonObject = isObject(given) ? given : {};
  const types = requiredTypes(names);
  if (typeof accountId !== 'string') throw new SubscriptionError('invalidArguments', '"accountId" must be a string.');
  if (!memberships.some((membership) => membership.accountId === accountId)) {
    throw new SubscriptionError('accountNotFound', 'There is no such account, or you are not a member of it.');
  }
  const outcome = await addSocketSubscription(context.jmap.mailTable, connection, { id, accountId, types });
  if (outcome === 'closed') throw connectionExpired();
  if (outcome === 'tooMany') {
    const { maxSubscriptions } = webSocketSubscriptionLimits;
    throw new SubscriptionError(
      'tooManySubscriptions',
      `A connection has ${maxSubscriptions} subscriptions at most: unsubscribe from another, or replace one by its id.`,
    );
  }
  return { subscribed: { id } };
};

const removeSubscription = async (given: unknown, connection: WebSocketConnection, context: FrameContext): Promise<UnsubscribedFrame> => {
  await getConnectionCaller(connection, context);
  const id = requiredId(given);
  if ((await removeSocketSubscription(context.jmap.mailTable, connection, id)) === 'closed') throw connectionExpired();
  return { unsubscribed: { id } };
};

const toSubscriptionError = (failure: unknown, { jmap }: FrameContext): SubscriptionError => {
  if (failure instanceof SubscriptionError) return failure;
  if (failure instanceof StoreConflict) {
    return new SubscriptionError('serverUnavailable', 'The subscriptions of this connection are being changed by other frames; try again.');
  }
  jmap.log.error('subscription frame failed', errorLogFields(failure));
  return isTransient(failure)
    ? new SubscriptionError('serverUnavailable', 'The server is busy; try again in a moment.')
    : new SubscriptionError('serverFail', 'Something went wrong on the server.');
};

/** Whether a frame is a `subscribe` or `unsubscribe` frame, which has no `@type` (docs/specification.md#websocket). */
export const isSubscriptionFrame = (frame: JsonObject): boolean => frame['@type'] === undefined && ('subscribe' in frame || 'unsubscribe' in frame);

/**
 * Handles a subscription frame. @throws RequestProblem 401 or 403, which close the connection; other failures are error
 * frames.
 */
export const answerSubscriptionFrame = async (frame: JsonObject, connection: WebSocketConnection, context: FrameContext): Promise<string> => {
  const [given, handle] = 'subscribe' in frame ? [frame['subscribe'], addSubscription] : [frame['unsubscribe'], removeSubscription];
  try {
    if ('subscribe' in frame && 'unsubscribe' in frame) {
      throw new SubscriptionError('invalidArguments', 'A frame has one of "subscribe" and "unsubscribe".');
    }
    return JSON.stringify(await handle(given, connection, context));
  } catch (failure) {
    if (failure instanceof RequestProblem) throw failure;
    const { code, message } = toSubscriptionError(failure, context);
    return JSON.stringify({ error: { id: subscriptionIdOf(given), code, description: message } } satisfies SubscriptionErrorFrame);
  }
};

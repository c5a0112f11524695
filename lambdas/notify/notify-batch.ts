import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { eventSourceWait } from '../../contract/jmap/push.ts';
import { isRevoked, type MemberLookup } from '../../core/directory/users/principals.ts';
import { stateChangesSince, unseenBy, withBatchStarts, type AccountChange } from '../../core/push/listeners/account-states.ts';
import type { EventSourceListener } from '../../core/push/listeners/event-source-listener.ts';
import { findListeners } from '../../core/push/listeners/listeners.ts';
import { subscriptionKey, type PushSubscription } from '../../core/push/listeners/push-subscription.ts';
import type { SocketListener } from '../../core/push/listeners/socket-listener.ts';
import type { StateChangePush } from '../../core/push/web-push/web-push-queue.ts';
import {
  closeAndRemoveSocket,
  closeSocket,
  notifySocket,
  socketNotification,
  type SocketDependencies,
} from '../../core/push/web-socket/socket-notification.ts';
import { scheduleSocketRetry, storeBatchStarts, waitsForRetry } from '../../core/push/web-socket/socket-retry.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { errorLogFields } from '../../core/runtime/error-log-fields.ts';
import type { Queue } from '../../core/runtime/lambda/queue.ts';
import type { Log } from '../../core/runtime/log.ts';
import { mapConcurrently } from '../../core/runtime/map-concurrently.ts';
import { decodeStreamRecords, type StreamedAccountChange } from './stream-changes.ts';

/** Maximum concurrent calls, because a batch may concern many sockets and subscriptions. */
const concurrency = { atOnce: 50 };

export type NotifierDependencies = SocketDependencies & {
  readonly members: MemberLookup;
  readonly deliveryQueue: Queue;
  /** The queue with this URL, on which a client of the event source waits. */
  readonly waitQueue: (url: string) => Queue;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
};

/**
 * Handles a batch of stream records: finds the members of each changed account, then notifies their listeners.
 * Listeners of deactivated users and of revoked sign-ins, and sockets of expired connections, are closed.
 * @returns the first record that failed. The stream repeats it and all later records.
 */
export const notifyBatch =
  (dependencies: NotifierDependencies) =>
  async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    const { accountChanges, expiredConnections, accessChanges } = decodeStreamRecords(Records);
    const failed = new Set<number>();
    const attempt = async (changes: readonly { readonly firstRecord: number }[], work: Promise<void>): Promise<void> => {
      try {
        await work;
      } catch (error) {
        dependencies.log.error('a notification failed; the stream repeats its records', errorLogFields(error));
        for (const { firstRecord } of changes) failed.add(firstRecord);
      }
    };
    const byPrincipal = new Map<string, StreamedAccountChange[]>();
    await mapConcurrently(accountChanges, (change) => attempt([change], addForMembers(dependencies, change, byPrincipal)), concurrency);
    await mapConcurrently([...byPrincipal], ([principalId, changes]) => attempt(changes, notifyPrincipal(dependencies, principalId, changes)), concurrency);
    await mapConcurrently(accessChanges, (change) => attempt([change], removeListeners(dependencies, change.principalId)), concurrency);
    await mapConcurrently(expiredConnections, (expired) => attempt([expired], closeSocket(dependencies, expired.connectionId, 401)), concurrency);
    return { batchItemFailures: failed.size === 0 ? [] : [{ itemIdentifier: Records[Math.min(...failed)]!.dynamodb!.SequenceNumber! }] };
  };

/** Adds a change for each principal that is currently a member of the account. */
const addForMembers = async (
  { members }: NotifierDependencies,
  change: StreamedAccountChange,
  byPrincipal: Map<string, StreamedAccountChange[]>,
): Promise<void> => {
  for (const principalId of await members.memberIds(change.account.accountId)) {
    byPrincipal.set(principalId, [...(byPrincipal.get(principalId) ?? []), change]);
  }
};

/**
 * Whether the sign-in that created the subscription may be revoked. Only a later sign-in can have created a subscription
 * that is newer than the revocation.
 */
const isSubscriptionRevoked = ({ createdAt }: PushSubscription, access: Awaited<ReturnType<MemberLookup['findAccess']>>): boolean =>
  isRevoked({ authenticatedAt: createdAt }, access);

/** Notifies a principal's listeners. Closes sockets that have expired or whose sign-in is revoked. */
const notifyPrincipal = async (dependencies: NotifierDependencies, principalId: string, changes: readonly AccountChange[]): Promise<void> => {
  const { sockets, subscriptions, eventSources } = await findListeners(dependencies.mail, principalId);
  if (sockets.length + subscriptions.length + eventSources.length === 0) return;
  const access = await dependencies.members.findAccess(principalId);
  const { isActive } = access;
  const seconds = dependencies.clock().getTime() / 1000;
  const tasks = [
    ...sockets.map((socket) => async (): Promise<unknown> => {
      const isEnded = socket.expiresAt <= seconds || isRevoked(socket, access);
      if (!isActive || isEnded) return closeAndRemoveSocket(dependencies, socket, isActive ? 401 : 403);
      return notifyOrScheduleRetry(dependencies, socket, changes);
    }),
    ...subscriptions
      .filter((subscription) => isActive && subscription.isVerified && subscription.expiresAt > seconds && !isSubscriptionRevoked(subscription, access))
      .map((subscription) => () => enqueueWebPush(dependencies.deliveryQueue, subscription, changes)),
    ...eventSources.filter(({ expiresAt }) => isActive && expiresAt > seconds).map((listener) => () => wakeEventSource(dependencies, listener, changes)),
  ];
  await mapConcurrently(tasks, (task) => task(), concurrency);
};

/** Notifies a socket. A failure queues a retry, so that the stream and other listeners do not wait. */
const notifyOrScheduleRetry = async (dependencies: NotifierDependencies, socket: SocketListener, changes: readonly AccountChange[]): Promise<void> => {
  const { mail, deliveryQueue: queue, log } = dependencies;
  if (waitsForRetry(socket, dependencies.clock)) return storeBatchStarts(mail, socket, changes);
  const notification = socketNotification(socket, changes);
  const outcome = notification && (await notifySocket(dependencies, socket, notification));
  if (outcome !== 'silent' && outcome !== 'refused') return;
  log.info('a socket could not be notified; a retry is queued', { because: outcome });
  await storeBatchStarts(mail, socket, changes);
  await scheduleSocketRetry({ ...dependencies, queue }, socket, { attempt: 1, after: outcome });
};

/**
 * Enqueues a push for a subscription that requested any of the changes. The push-delivery Lambda decides what to send.
 */
const enqueueWebPush = async (
  deliveryQueue: Queue,
  { principalId, id, notifiedUpTo, types }: PushSubscription,
  changes: readonly AccountChange[],
): Promise<void> => {
  const unseen = unseenBy(notifiedUpTo, changes);
  const since = withBatchStarts(notifiedUpTo, unseen);
  const stateChanges = stateChangesSince(
    unseen.map(({ account }) => account),
    since,
    types,
  );
  if (stateChanges.length === 0) return;
  const changed = Object.fromEntries(stateChanges.map(({ accountId }) => [accountId, since.get(accountId)!]));
  await deliveryQueue.send({ principalId, subscriptionId: id, changed } satisfies StateChangePush);
};

/** Ends the wait of an event source client by sending it a message. A failure delays no other listener. */
const wakeEventSource = async (
  { waitQueue, log }: NotifierDependencies,
  { queueUrl, notifiedUpTo, types }: EventSourceListener,
  changes: readonly AccountChange[],
): Promise<void> => {
  const accounts = unseenBy(notifiedUpTo, changes).map(({ account }) => account);
  if (queueUrl === undefined || stateChangesSince(accounts, notifiedUpTo, types).length === 0) return;
  const queue = waitQueue(queueUrl);
  await Promise.all(Array.from({ length: eventSourceWait.wakes }, () => queue.send('changed'))).catch((error: unknown) => {
    log.warn('a client of the event source could not be notified', errorLogFields(error));
  });
};

/**
 * Closes the sockets and removes the PushSubscriptions of a user (RFC 8620 §7.2). For an active user, only those of
 * revoked sign-ins.
 */
const removeListeners = async (dependencies: NotifierDependencies, principalId: string): Promise<void> => {
  const access = await dependencies.members.findAccess(principalId);
  const { sockets, subscriptions } = await findListeners(dependencies.mail, principalId);
  const ended = sockets.filter((socket) => !access.isActive || isRevoked(socket, access));
  await mapConcurrently(ended, (socket) => closeAndRemoveSocket(dependencies, socket, access.isActive ? 401 : 403), concurrency);
  const removed = subscriptions.filter((subscription) => !access.isActive || isSubscriptionRevoked(subscription, access));
  await mapConcurrently(removed, (subscription) => dependencies.mail.write([{ delete: subscriptionKey(subscription) }]), concurrency);
};

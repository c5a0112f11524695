import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import type { Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import { errorLogFields } from '../../core/runtime/errors.ts';
import type { WebPushOfChanges } from '../../core/push/web-push-message.ts';
import type { Queue } from '../../core/runtime/queue.ts';
import type { Audience } from '../../core/directory/audience.ts';
import { listenersOf } from '../../core/push/listeners.ts';
import { subscriptionKey, type PushSubscription } from '../../core/push/push-subscription.ts';
import { changedAfter } from '../../core/push/account-states.ts';
import { newTo, tellingOf } from './frames.ts';
import { newsIn, type Change } from './news.ts';
import { sideBySide } from './side-by-side.ts';
import { closeWith, dismiss, tellSocket, type Reach } from './sockets.ts';

export type Notifier = Reach & { readonly audience: Audience; readonly webPushes: Queue; readonly now: Clock; readonly log: Log };

/** The way of a batch: records → heads per account → members → listeners → still active? → push. What failed comes again, with everything after it. */
export const notifyBatch = (notifier: Notifier) => async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  const { changes, endedConnections, deactivations } = newsIn(Records);
  const failed = new Set<number>();
  const attempt = (news: readonly { readonly first: number }[], work: Promise<void>): Promise<void> => work.catch((error: unknown) => {
    notifier.log.error('a push failed and will be tried again', errorLogFields(error));
    for (const { first } of news) failed.add(first);
  });
  const concerned = new Map<string, Change[]>();
  await sideBySide(changes, (change) => attempt([change], findConcerned(notifier, change, concerned)));
  await sideBySide([...concerned], ([principalId, theirs]) => attempt(theirs, tell(notifier, principalId, theirs)));
  await sideBySide(deactivations, (each) => attempt([each], dismissPrincipal(notifier, each.principalId)));
  await sideBySide(endedConnections, (each) => attempt([each], closeWith(notifier, each.connectionId, 401)));
  return { batchItemFailures: failed.size === 0 ? [] : [{ itemIdentifier: Records[Math.min(...failed)]!.dynamodb!.SequenceNumber! }] };
};

/** Notes a change with each principal that may see the account now. */
const findConcerned = async ({ audience }: Notifier, change: Change, concerned: Map<string, Change[]>): Promise<void> => {
  for (const principalId of await audience.membersOf(change.account.accountId)) {
    concerned.set(principalId, [...concerned.get(principalId) ?? [], change]);
  }
};

/** Tells all that a principal has listening. */
const tell = async (notifier: Notifier, principalId: string, changes: readonly Change[]): Promise<void> => {
  const { sockets, subscriptions } = await listenersOf(notifier.mail, principalId);
  if (sockets.length + subscriptions.length === 0) return;
  const isActive = await notifier.audience.isActive(principalId);
  const seconds = notifier.now().getTime() / 1000;
  const acts = [
    ...sockets.map((socket) => async (): Promise<unknown> => {
      if (!isActive || socket.expiresAt <= seconds) return dismiss(notifier, socket, isActive ? 401 : 403);
      const telling = tellingOf(socket, changes);
      if (telling && await tellSocket(notifier, socket, telling) === 'lost') notifier.log.warn('a socket could not be told and was closed');
      return undefined;
    }),
    ...subscriptions.filter(({ isVerified, expiresAt }) => isActive && isVerified && expiresAt > seconds)
      .map((subscription) => () => enqueue(notifier.webPushes, subscription, changes)),
  ];
  await sideBySide(acts, (act) => act());
};

/** Puts a push for a subscription into the queue; what is sent, and whether anything, is found out when it is. */
const enqueue = async (webPushes: Queue, { principalId, id, told, types }: PushSubscription, changes: readonly Change[]): Promise<void> => {
  const wanted = newTo(told, changes, 'batch').filter(({ account, after }) => changedAfter(account, after, types));
  if (wanted.length === 0) return;
  const changed = Object.fromEntries(wanted.map(({ account, after }) => [account.accountId, after]));
  await webPushes.send({ principalId, subscriptionId: id, changed } satisfies WebPushOfChanges);
};

/** Closes the sockets of somebody who is not active any more, and ends their subscriptions; whoever is active again by now keeps them. */
const dismissPrincipal = async (notifier: Notifier, principalId: string): Promise<void> => {
  if (await notifier.audience.isActive(principalId)) return;
  const { sockets, subscriptions } = await listenersOf(notifier.mail, principalId);
  await sideBySide(sockets, (socket) => dismiss(notifier, socket, 403));
  await sideBySide(subscriptions, (subscription) => notifier.mail.write([{ delete: subscriptionKey(subscription) }]));
};

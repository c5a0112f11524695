import type { PushVerification, StateChange } from '../../contract/jmap/push.ts';
import { isPersonId, type Principal, type Principals } from '../../core/directory/users/principals.ts';
import { emailDeliveryType } from '../../core/mail/email/email-type.ts';
import { currentSequences, stateChangesSince, toStateChange, type AccountStates, type AccountStateChange } from '../../core/push/listeners/account-states.ts';
import type { NotifiedUpTo } from '../../core/push/listeners/listener-record.ts';
import type { PushSubscription } from '../../core/push/listeners/push-subscription.ts';
import type { PushSubscriptions } from '../../core/push/web-push/push-subscriptions.ts';
import type { QueuedWebPush } from '../../core/push/web-push/web-push-queue.ts';
import { maxSizePush, type PushService, type PushOptions } from '../../core/push/web-push/web-push-service.ts';
import { secondsNow, type Clock } from '../../core/runtime/clock.ts';
import type { Queue } from '../../core/runtime/lambda/queue.ts';
import type { Log } from '../../core/runtime/log.ts';
import { nextRetryState, type FailedPush } from './retry-schedule.ts';

/** A push to send, and the commits up to which the client is notified once the push service has accepted it. */
type PendingPush = { readonly content: PushVerification | StateChange; readonly urgency: PushOptions['urgency']; readonly notifiedUpTo: NotifiedUpTo };

const verificationPush = ({ id, verificationCode }: PushSubscription): PendingPush => ({
  content: { '@type': 'PushVerification', pushSubscriptionId: id, verificationCode },
  urgency: 'normal',
  notifiedUpTo: new Map(),
});

/** Groups changes so that each message fits the limit of every push service. Usually there is one group. */
const groupBySize = (changes: readonly AccountStateChange[]): AccountStateChange[][] => {
  const groups: AccountStateChange[][] = [];
  for (const change of changes) {
    const last = groups.at(-1);
    if (last && Buffer.byteLength(JSON.stringify(toStateChange([...last, change]))) <= maxSizePush) last.push(change);
    else groups.push([change]);
  }
  return groups;
};

const hasNewMail = ({ changed }: StateChange): boolean => Object.values(changed).some((typeState) => emailDeliveryType.name in typeState);

/**
 * The pushes that notify a subscription of all new states in its principal's accounts. If the principal has joined an
 * account since, all of its states are new. New mail has normal urgency; other changes may wait until the device is
 * awake.
 */
const stateChangePushes = ({ notifiedUpTo, types }: Pick<PushSubscription, 'notifiedUpTo' | 'types'>, accounts: readonly AccountStates[]): PendingPush[] =>
  groupBySize(stateChangesSince(accounts, notifiedUpTo, types)).map((changes) => {
    const content = toStateChange(changes);
    return { content, urgency: hasNewMail(content) ? 'normal' : 'low', notifiedUpTo: currentSequences(changes) };
  });

export type WebPushDependencies = {
  readonly subscriptions: PushSubscriptions;
  readonly principals: Principals;
  readonly findAccountStates: (accountIds: readonly string[]) => Promise<readonly AccountStates[]>;
  readonly pushService: PushService;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly log: Log;
};

/** Maximum seconds by which SQS can delay a message. */
const longestDelay = 900;

/** Finds a principal by the id alone, which tells a person from a machine. */
export const findPrincipal = (principals: Principals, principalId: string): Promise<Principal | undefined> =>
  principals.find({ principalId, isMachine: !isPersonId(principalId) });

/** Enqueues a message again, invisible until `retryAt`. For a time beyond SQS's maximum delay, this is repeated. */
const requeue = ({ queue, clock }: WebPushDependencies, { principalId, subscriptionId, ...message }: QueuedWebPush, retryAt: number): Promise<void> => {
  const content = 'verify' in message ? ({ verify: true } as const) : { changed: {} };
  // The message waits one second more, because clocks differ.
  const delay = Math.min(longestDelay, Math.max(0, retryAt - secondsNow(clock)) + 1);
  return queue.send({ principalId, subscriptionId, ...content, retryAt } satisfies QueuedWebPush, delay);
};

const removeSubscription = async ({ subscriptions, log }: WebPushDependencies, subscription: PushSubscription, because: string | number): Promise<void> => {
  await subscriptions.remove(subscription);
  log.info('push subscription removed', { subscription_id: subscription.id, because: String(because) });
};

/** Schedules a retry, or removes the subscription. The message is requeued before its state is stored. */
const scheduleRetry = async (dependencies: WebPushDependencies, message: QueuedWebPush, subscription: PushSubscription, failure: FailedPush): Promise<void> => {
  const retryState = nextRetryState(subscription, failure, secondsNow(dependencies.clock));
  if (!retryState) return removeSubscription(dependencies, subscription, failure.reason);
  await requeue(dependencies, message, retryState.retryAt);
  await dependencies.subscriptions.recordPush(subscription, new Map(), retryState);
  dependencies.log.info('a push failed; its message is queued again', {
    subscription_id: subscription.id,
    because: String(failure.reason),
    failures: retryState.failures,
  });
};

/** The pushes for a subscription: the verification code of an unverified one, or the new states of a verified one. */
const findPushes = async (
  dependencies: WebPushDependencies,
  message: QueuedWebPush,
  subscription: PushSubscription,
  { memberships }: Principal,
): Promise<PendingPush[]> => {
  if (!subscription.isVerified) return 'verify' in message ? [verificationPush(subscription)] : [];
  return stateChangePushes(subscription, await dependencies.findAccountStates(memberships.map(({ accountId }) => accountId)));
};

/**
 * Sends pushes and stores each success immediately, so that after a timeout the next attempt continues with the first
 * unsent push.
 */
const sendPushes = async (
  dependencies: WebPushDependencies,
  message: QueuedWebPush,
  subscription: PushSubscription,
  pushes: readonly PendingPush[],
): Promise<void> => {
  for (const { content, urgency, notifiedUpTo } of pushes) {
    const outcome = await dependencies.pushService.push(subscription, content, {
      urgency,
      timeToLive: subscription.expiresAt - secondsNow(dependencies.clock),
    });
    if (outcome.kind === 'gone') return removeSubscription(dependencies, subscription, 'gone');
    if (outcome.kind !== 'accepted') return scheduleRetry(dependencies, message, subscription, outcome);
    await dependencies.subscriptions.recordPush(subscription, notifiedUpTo, undefined);
  }
  if (pushes.length === 0 && subscription.retryState) await dependencies.subscriptions.recordPush(subscription, new Map(), undefined);
};

/** Whether a subscription waits for a retry, so that any other message about it is dropped. */
const waitsForRetry = async (dependencies: WebPushDependencies, message: QueuedWebPush, { retryState }: PushSubscription): Promise<boolean> => {
  if (!retryState || retryState.retryAt <= secondsNow(dependencies.clock)) return false;
  if (message.retryAt === retryState.retryAt) await requeue(dependencies, message, retryState.retryAt);
  return true;
};

/** Sends the current new states. Reads the subscription, its principal, and the states of the accounts. */
const handleMessage = async (dependencies: WebPushDependencies, message: QueuedWebPush): Promise<void> => {
  const { principalId, subscriptionId } = message;
  const [subscription, principal] = await Promise.all([
    dependencies.subscriptions.find({ principalId, id: subscriptionId }),
    findPrincipal(dependencies.principals, principalId),
  ]);
  if (!subscription) return;
  if (!principal?.isActive) return removeSubscription(dependencies, subscription, 'its principal has no access');
  if (subscription.expiresAt <= secondsNow(dependencies.clock)) return removeSubscription(dependencies, subscription, 'expired');
  if (await waitsForRetry(dependencies, message, subscription)) return;
  await sendPushes(dependencies, message, subscription, await findPushes(dependencies, message, subscription, principal));
};

/** Runs tasks with the same key in the order of the calls, and tasks with different keys concurrently. */
const serialByKey = () => {
  const lastTasks = new Map<string, Promise<void>>();
  return (key: string, task: () => Promise<void>): Promise<void> => {
    const previous = lastTasks.get(key) ?? Promise.resolve();
    const done = previous.then(task, task).finally(() => {
      if (lastTasks.get(key) === done) lastTasks.delete(key);
    });
    lastTasks.set(key, done);
    return done;
  };
};

/** Handles messages of the web-push queue. Messages about the same subscription are handled one after the other. */
export const webPushHandler = (dependencies: WebPushDependencies) => {
  const inOrder = serialByKey();
  return (message: QueuedWebPush): Promise<void> => inOrder(`${message.principalId} ${message.subscriptionId}`, () => handleMessage(dependencies, message));
};

import type { PushVerification, StateChange } from '../../contract/jmap/push.ts';
import { secondsNow, type Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import type { WebPushMessage } from '../../core/push/web-push-message.ts';
import type { PushOptions, PushOutcome, PushService } from '../../core/push/push-service.ts';
import type { Queue } from '../../core/runtime/queue.ts';
import type { Principal, Principals } from '../../core/directory/principal.ts';
import type { AccountStates } from '../../core/push/account-states.ts';
import type { PushSubscription } from '../../core/push/push-subscription.ts';
import type { PushSubscriptions } from '../../core/push/push-subscriptions.ts';
import type { Told } from '../../core/push/push-state.ts';
import { afterFailure } from './trouble.ts';
import { isUrgent, whatIsNew } from './what-is-new.ts';

/** What the Lambda works with. */
export type Pushing = {
  readonly subscriptions: PushSubscriptions;
  readonly principals: Principals;
  /** The heads of accounts. */
  readonly heads: (accountIds: readonly string[]) => Promise<readonly AccountStates[]>;
  readonly pushService: PushService;
  readonly queue: Queue;
  readonly now: Clock;
  readonly log: Log;
};

/**
 * A message as it waits in the queue. What it says changed is no more than a reason to look: sent is what is new by then. One that comes again after a
 * failure says for when: while a subscription is in trouble, that one message stands for all, and others leave their part to it.
 */
type Waiting = WebPushMessage & { readonly retryAt?: number };

/** The longest that SQS keeps a message back, in seconds. */
const longestDelay = 900;

const nothing: Told = new Map();

/** A person by the profile; who has none is a machine. */
const whose = async (principals: Principals, principalId: string): Promise<Principal | undefined> =>
  await principals.find({ principalId, isMachine: false }) ?? principals.find({ principalId, isMachine: true });

/** Comes again at that time; what is further away than the queue can wait goes through it several times. */
const comeAgain = ({ queue, now }: Pushing, { principalId, subscriptionId, ...message }: Waiting, retryAt: number): Promise<void> => {
  const what = 'verify' in message ? { verify: true } as const : { changed: {} };
  // A second more, so that the clocks of two machines may differ.
  return queue.send({ principalId, subscriptionId, ...what, retryAt } satisfies Waiting, Math.min(longestDelay, Math.max(0, retryAt - secondsNow(now)) + 1));
};

const giveUp = async ({ subscriptions, log }: Pushing, subscription: PushSubscription, because: string | number): Promise<void> => {
  await subscriptions.remove(subscription);
  log.info('a push subscription ends', { subscription_id: subscription.id, because });
};

/**
 * First the message that will come again, then the note by which others leave their part to it: a crash between the two tries once more at once, and
 * loses nothing.
 */
const persevere = async (pushing: Pushing, message: Waiting, subscription: PushSubscription, outcome: Extract<PushOutcome, { why: unknown }>): Promise<void> => {
  const trouble = afterFailure(subscription, outcome, secondsNow(pushing.now));
  if (!trouble) return giveUp(pushing, subscription, outcome.why);
  await comeAgain(pushing, message, trouble.retryAt);
  await pushing.subscriptions.remember(subscription, nothing, trouble);
  pushing.log.info('a push failed and will be tried again', { subscription_id: subscription.id, because: outcome.why, failures: trouble.failures });
};

/** One push: its content, and what the client knows once it was taken. */
type Parcel = { readonly content: PushVerification | StateChange; readonly urgency: PushOptions['urgency']; readonly told: Told };

/** To one that is not verified goes its code and nothing else; one that is, whatever it is asked for, learns what is new. */
const parcelsFor = (message: Waiting, subscription: PushSubscription, heads: readonly AccountStates[]): Parcel[] => {
  if (!subscription.isVerified) {
    const verification: PushVerification = { '@type': 'PushVerification', pushSubscriptionId: subscription.id, verificationCode: subscription.verificationCode };
    return 'verify' in message ? [{ content: verification, urgency: 'normal', told: nothing }] : [];
  }
  return whatIsNew(subscription, heads).map(({ stateChange, told }) => ({ content: stateChange, urgency: isUrgent(stateChange) ? 'normal' : 'low', told }));
};

/** Sends what there is to send; each that was taken is remembered at once, so that a Lambda that runs out of time goes on from there. */
const send = async (pushing: Pushing, message: Waiting, subscription: PushSubscription, parcels: readonly Parcel[]): Promise<void> => {
  for (const { content, urgency, told } of parcels) {
    const outcome = await pushing.pushService.push(subscription, content, { urgency, timeToLive: subscription.expiresAt - secondsNow(pushing.now) });
    if (outcome.is === 'gone') return giveUp(pushing, subscription, 'gone');
    if (outcome.is !== 'taken') return persevere(pushing, message, subscription, outcome);
    await pushing.subscriptions.remember(subscription, told, undefined);
  }
  if (parcels.length === 0 && subscription.trouble) await pushing.subscriptions.remember(subscription, nothing, undefined);
};

/** Whether it is too early to try again: the message that comes again waits on, any other leaves its part to that one. */
const isTooEarly = async (pushing: Pushing, message: Waiting, { trouble }: PushSubscription): Promise<boolean> => {
  if (!trouble || trouble.retryAt <= secondsNow(pushing.now)) return false;
  if (message.retryAt === trouble.retryAt) await comeAgain(pushing, message, trouble.retryAt);
  return true;
};

/**
 * The way of one push: subscription and principal side by side → the heads of its accounts → message → push service → what was told. What is sent is what
 * is new now, so messages that come late, twice or out of order send less, or nothing.
 */
const push = async (pushing: Pushing, message: Waiting): Promise<void> => {
  const { principalId, subscriptionId } = message;
  const [subscription, principal] = await Promise.all([pushing.subscriptions.find({ principalId, id: subscriptionId }), whose(pushing.principals, principalId)]);
  if (!subscription) return;
  if (!principal?.isActive) return giveUp(pushing, subscription, 'its principal has no access');
  if (subscription.expiresAt <= secondsNow(pushing.now)) return giveUp(pushing, subscription, 'expired');
  if (await isTooEarly(pushing, message, subscription)) return;
  const heads = !subscription.isVerified ? [] : await pushing.heads(principal.memberships.map(({ accountId }) => accountId));
  await send(pushing, message, subscription, parcelsFor(message, subscription, heads));
};

/** Work of one kind in the order in which it came, of different kinds side by side. */
const inTurn = () => {
  const last = new Map<string, Promise<void>>();
  return (kind: string, work: () => Promise<void>): Promise<void> => {
    const before = last.get(kind) ?? Promise.resolve();
    const done = before.then(work, work).finally(() => { if (last.get(kind) === done) last.delete(kind); });
    last.set(kind, done);
    return done;
  };
};

/** Handles messages of the queue. Those for one subscription wait for each other, so that the first tells what all of them are about. */
export const pusher = (pushing: Pushing) => {
  const turn = inTurn();
  return (body: string): Promise<void> => {
    const message = JSON.parse(body) as Waiting;
    return turn(`${message.principalId} ${message.subscriptionId}`, () => push(pushing, message));
  };
};

import { randomBytes } from 'node:crypto';
import { pushSubscriptionLimits, type pushSubscription } from '../../../contract/jmap/push-subscription.ts';
import type { ChangedProperties, NewProperties } from '../../../contract/jmap/record.ts';
import type { PushSubscription } from '../../../core/push/listeners/push-subscription.ts';
import type { SubscriptionChange } from '../../../core/push/web-push/push-subscriptions.ts';
import type { WebPushMessage } from '../../../core/push/web-push/web-push-queue.ts';
import { secondsNow } from '../../../core/runtime/clock.ts';
import { StoreConflict } from '../../../core/runtime/domain-errors.ts';
import type { BehaviourOf, PrincipalChangeSet } from '../request/behaviour.ts';
import { MethodError, SetError } from '../request/jmap-errors.ts';
import type { RequestContext } from '../request/request-context.ts';
import {
  checkDeviceClientId,
  checkTypes,
  checkUrl,
  checkVerificationCode,
  decodeKeys,
  effectiveExpiry,
  subscriptionProperties,
} from './subscription-properties.ts';

/** Random octets of a verification code (RFC 8620 §7.2.2). */
const codeSize = 24;

const partlyWritten = () =>
  new MethodError('serverPartialFail', 'Other requests are changing your push subscriptions. A part of the changes was made: get them again.');

const notFound = () => new SetError('notFound', 'The PushSubscription does not exist.');

const enqueuePush = (
  { caller: { principalId }, dependencies }: RequestContext,
  subscriptionId: string,
  message: { verify: true } | { changed: {} },
): Promise<void> => dependencies.webPush.queue.send({ principalId, subscriptionId, ...message } satisfies WebPushMessage);

/** A subscription before it is written. `notifiedUpTo` is read just before the write. */
type NewSubscription = Omit<PushSubscription, 'notifiedUpTo'>;

/** A new unverified subscription. @throws SetError invalidProperties */
const newSubscription = (
  id: string,
  properties: NewProperties<typeof pushSubscription>,
  { caller, dependencies }: RequestContext,
  now: number,
): NewSubscription => {
  if (properties.verificationCode !== null) {
    throw new SetError('invalidProperties', 'A create cannot contain a verification code. The server pushes it to the URL after the creation.', [
      'verificationCode',
    ]);
  }
  const keys = decodeKeys(properties.keys);
  return {
    id,
    principalId: caller.principalId,
    deviceClientId: checkDeviceClientId(properties.deviceClientId),
    url: checkUrl(properties.url, dependencies.webPush.isAllowedAddress),
    ...(keys && { keys }),
    verificationCode: randomBytes(codeSize).toString('base64url'),
    isVerified: false,
    createdAt: now,
    expiresAt: effectiveExpiry(properties.expires, now),
    types: checkTypes(properties.types),
  };
};

/** The change of a subscription that an update requests. @throws SetError invalidProperties */
const subscriptionChange = (
  subscription: NewSubscription,
  { types, expires, verificationCode }: ChangedProperties<typeof pushSubscription>,
  now: number,
): SubscriptionChange => {
  if (verificationCode === null && subscription.isVerified) {
    throw new SetError('invalidProperties', 'The verification code of a verified subscription cannot be removed.', ['verificationCode']);
  }
  const isVerified = typeof verificationCode === 'string' && checkVerificationCode(verificationCode, subscription);
  return {
    ...(types !== undefined && { types: checkTypes(types) }),
    ...(expires !== undefined && { expiresAt: effectiveExpiry(expires, now) }),
    ...(isVerified && { isVerified }),
  };
};

const tooManyCreations = () => {
  const { maxCreations, creationWindow } = pushSubscriptionLimits;
  return new SetError('rateLimit', `At most ${maxCreations} push subscriptions may be created in ${creationWindow / 60} minutes. Try again later.`);
};

/**
 * Stores a subscription and enqueues the push of its verification code (RFC 8620 §7.2.2). When that fails, the
 * subscription is removed.
 * @throws SetError overQuota, rateLimit.
 */
const writeNew = async (subscription: PushSubscription, context: RequestContext, now: number): Promise<void> => {
  const { subscriptions } = context.dependencies.webPush;
  const outcome = await subscriptions.add(subscription, now);
  if (outcome === 'tooMany') {
    throw new SetError(
      'overQuota',
      `You have ${pushSubscriptionLimits.maxSubscriptions} push subscriptions, the maximum. Destroy one, or wait until one expires.`,
    );
  }
  if (outcome === 'tooOften') throw tooManyCreations();
  try {
    await enqueuePush(context, subscription.id, { verify: true });
  } catch (failure) {
    await subscriptions.remove(subscription);
    throw failure;
  }
};

/** Stores a change. When a subscription becomes verified, it gets the changes since its creation. */
const writeChange = async (id: string, change: SubscriptionChange, context: RequestContext): Promise<void> => {
  const { principalId } = context.caller;
  const { subscriptions } = context.dependencies.webPush;
  if (Object.keys(change).length > 0 && !(await subscriptions.change({ principalId, id }, change))) throw notFound();
  if (change.isVerified) await enqueuePush(context, id, { changed: {} });
};

/** The changes of a PushSubscription/set (RFC 8620 §7.2.2). Each record is written separately. */
const beginChangeSet = async (context: RequestContext): Promise<PrincipalChangeSet<typeof pushSubscription>> => {
  const {
    caller: { principalId, memberships },
    dependencies: { webPush },
  } = context;
  const now = secondsNow(webPush.clock);
  const stored = await webPush.subscriptions.list(principalId, now);
  const current = new Map<string, NewSubscription>(stored.map((subscription) => [subscription.id, subscription]));
  const created = new Map<string, NewSubscription>();
  const changes = new Map<string, SubscriptionChange>();
  const destroyed: string[] = [];

  const writes = async function* (): AsyncGenerator<readonly [id: string, write: () => Promise<unknown>]> {
    const notifiedUpTo = created.size > 0 ? await webPush.currentSequences(memberships.map(({ accountId }) => accountId)) : new Map<string, number>();
    for (const [id, subscription] of created) yield [id, () => writeNew({ ...subscription, notifiedUpTo }, context, now)];
    for (const [id, change] of changes) yield [id, () => writeChange(id, change, context)];
    for (const id of destroyed) {
      yield [
        id,
        async () => {
          if (!(await webPush.subscriptions.remove({ principalId, id }))) throw notFound();
        },
      ];
    }
  };

  return {
    current: (id) => {
      const subscription = current.get(id);
      return subscription && { ...subscriptionProperties(subscription), url: subscription.url, keys: subscription.keys ?? null };
    },
    create: (id, properties) => {
      if (created.size >= pushSubscriptionLimits.maxCreations) throw tooManyCreations();
      const subscription = newSubscription(id, properties, context, now);
      created.set(id, subscription);
      current.set(id, subscription);
    },
    update: (id, changed) => {
      const subscription = current.get(id)!;
      const change = subscriptionChange(subscription, changed, now);
      changes.set(id, change);
      current.set(id, { ...subscription, ...change });
    },
    destroy: (id) => {
      current.delete(id);
      destroyed.push(id);
    },
    async write() {
      const failures = new Map<string, SetError>();
      let written = 0;
      for await (const [id, write] of writes()) {
        try {
          if (failures.has(id)) continue;
          await write();
          written += 1;
        } catch (failure) {
          if (failure instanceof StoreConflict && written > 0) throw partlyWritten();
          if (!(failure instanceof SetError)) throw failure;
          failures.set(id, failure);
        }
      }
      return failures;
    },
  };
};

/** PushSubscription/set (RFC 8620 §7.2.2). */
export const pushSubscriptionSet: BehaviourOf<typeof pushSubscription>['set'] = { beginChangeSet };

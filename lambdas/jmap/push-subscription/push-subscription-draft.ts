import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { pushSubscriptionLimits } from '../../../contract/jmap/push-subscription.ts';
import type { PushSubscription } from '../../../core/push/push-subscription.ts';
import type { SubscriptionChange } from '../../../core/push/push-subscriptions.ts';
import type { WebPushMessage } from '../../../core/push/web-push-queue.ts';
import { secondsNow } from '../../../core/runtime/clock.ts';
import { SetError } from '../protocol/errors.ts';
import type { RequestContext } from '../request-context.ts';
import type { PrincipalDraft } from '../verbs/behaviour.ts';
import { checkDeviceClientId, checkTypes, checkUrl, checkVerificationCode, decodeKeys, effectiveExpiry, subscriptionProperties } from './subscription-properties.ts';

/** Octets of a verification code: too many to guess (RFC 8620 §7.2.2). */
const codeSize = 24;

const notFound = () => new SetError('notFound', 'There is no such PushSubscription.');

const enqueue = ({ caller: { principalId }, tools }: RequestContext, subscriptionId: string, message: { verify: true } | { changed: {} }): Promise<void> =>
  tools.webPush.queue.send({ principalId, subscriptionId, ...message } satisfies WebPushMessage);

/** A subscription without how far it was notified, which is read when it is stored. */
type NewSubscription = Omit<PushSubscription, 'notifiedUpTo'>;

/** A new subscription, not verified yet. @throws SetError */
const newSubscription = (id: string, properties: JsonObject, { caller, tools }: RequestContext, now: number): NewSubscription => {
  if (properties['verificationCode'] !== null) {
    throw new SetError('invalidProperties', 'The verification code is pushed to the URL after the creation.', ['verificationCode']);
  }
  const keys = decodeKeys(properties['keys'] as JsonObject | null);
  return {
    id,
    principalId: caller.principalId,
    deviceClientId: checkDeviceClientId(properties['deviceClientId'] as string),
    url: checkUrl(properties['url'] as string, tools.webPush.isAllowedAddress),
    ...(keys && { keys }),
    verificationCode: randomBytes(codeSize).toString('base64url'),
    isVerified: false,
    expiresAt: effectiveExpiry(properties['expires'] as string | null, now),
    types: checkTypes(properties['types'] as string[] | null),
  };
};

/** Properties that a client may change, as /set gives them: undefined when they are not named. */
type Changed = { readonly types?: string[] | null; readonly expires?: string | null; readonly verificationCode?: string | null };

/** @throws SetError */
const changeOf = (subscription: NewSubscription, { types, expires, verificationCode }: Changed, now: number): SubscriptionChange => {
  if (verificationCode === null && subscription.isVerified) throw new SetError('invalidProperties', 'A verified subscription stays verified.', ['verificationCode']);
  const isVerified = typeof verificationCode === 'string' && checkVerificationCode(verificationCode, subscription);
  return {
    ...(types !== undefined && { types: checkTypes(types) }),
    ...(expires !== undefined && { expiresAt: effectiveExpiry(expires, now) }),
    ...(isVerified && { isVerified }),
  };
};

/** Stores the subscription and has its code pushed (RFC 8620 §7.2.2). A subscription whose push can't be enqueued is removed again. */
const writeNew = async (subscription: PushSubscription, context: RequestContext, now: number): Promise<void> => {
  const { subscriptions } = context.tools.webPush;
  const outcome = await subscriptions.add(subscription, now);
  const { maxSubscriptions, maxCreations, creationWindow } = pushSubscriptionLimits;
  if (outcome === 'tooMany') throw new SetError('overQuota', `There are ${maxSubscriptions} push subscriptions already: destroy one, or let one expire.`);
  if (outcome === 'tooOften') {
    throw new SetError('rateLimit', `At most ${maxCreations} push subscriptions may be created in ${creationWindow / 60} minutes: try again later.`);
  }
  try {
    await enqueue(context, subscription.id, { verify: true });
  } catch (failure) {
    await subscriptions.remove(subscription);
    throw failure;
  }
};

/** Stores a change. A subscription that becomes verified is sent the changes since its creation: they were pushed to nobody. */
const writeChange = async (id: string, change: SubscriptionChange, context: RequestContext): Promise<void> => {
  const { principalId } = context.caller;
  if (Object.keys(change).length > 0 && !await context.tools.webPush.subscriptions.change({ principalId, id }, change)) throw notFound();
  if (change.isVerified) await enqueue(context, id, { changed: {} });
};

/** The changes of one PushSubscription/set (RFC 8620 §7.2.2), each record written by itself. */
export const pushSubscriptionDraft = async (context: RequestContext): Promise<PrincipalDraft> => {
  const { caller: { principalId, memberships }, tools: { webPush } } = context;
  const now = secondsNow(webPush.clock);
  const current = new Map<string, NewSubscription>((await webPush.subscriptions.list(principalId, now)).map((each) => [each.id, each]));
  const created = new Map<string, NewSubscription>();
  const changes = new Map<string, SubscriptionChange>();
  const destroyed: string[] = [];

  const writes = async function* (): AsyncGenerator<readonly [id: string, write: () => Promise<unknown>]> {
    const notifiedUpTo = created.size > 0 ? await webPush.currentSequences(memberships.map(({ accountId }) => accountId)) : new Map<string, number>();
    for (const [id, subscription] of created) yield [id, () => writeNew({ ...subscription, notifiedUpTo }, context, now)];
    for (const [id, change] of changes) yield [id, () => writeChange(id, change, context)];
    for (const id of destroyed) {
      yield [id, async () => {
        if (!await webPush.subscriptions.remove({ principalId, id })) throw notFound();
      }];
    }
  };

  return {
    current: (id) => {
      const subscription = current.get(id);
      return subscription && { ...subscriptionProperties(subscription), url: subscription.url, keys: subscription.keys ?? null };
    },
    create: (id, properties) => {
      const subscription = newSubscription(id, properties, context, now);
      created.set(id, subscription);
      current.set(id, subscription);
    },
    update: (id, changed) => {
      const subscription = current.get(id)!;
      const change = changeOf(subscription, changed, now);
      changes.set(id, change);
      current.set(id, { ...subscription, ...change });
    },
    destroy: (id) => {
      current.delete(id);
      destroyed.push(id);
    },
    async write() {
      const failures = new Map<string, SetError>();
      for await (const [id, write] of writes()) {
        try {
          if (!failures.has(id)) await write();
        } catch (failure) {
          if (!(failure instanceof SetError)) throw failure;
          failures.set(id, failure);
        }
      }
      return failures;
    },
  };
};

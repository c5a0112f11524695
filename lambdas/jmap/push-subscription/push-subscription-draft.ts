import { randomBytes } from 'node:crypto';
import { isId, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { pushSubscription, pushSubscriptionLimits, type pushSubscriptionArguments } from '../../../contract/jmap/push-subscription.ts';
import type { ArgumentsOf } from '../../../contract/jmap/record.ts';
import { secondsNow } from '../../../core/runtime/clock.ts';
import type { WebPushMessage } from '../../../core/push/web-push-queue.ts';
import type { PushSubscription } from '../../../core/push/push-subscription.ts';
import type { SubscriptionChange } from '../../../core/push/push-subscriptions.ts';
import { SetError } from '../protocol/errors.ts';
import type { RequestContext } from '../request-context.ts';
import { applyPatch, newProperties, type ResolveId } from '../verbs/patch-object.ts';
import { notAsGiven, orNull, refuseTooMany } from '../verbs/set.ts';
import { checkDeviceClientId, checkTypes, checkUrl, checkVerificationCode, decodeKeys, expiryOf, shown } from './subscription-properties.ts';

type Args = ArgumentsOf<typeof pushSubscriptionArguments.set>;

/** Octets of a verification code: nobody guesses it (RFC 8620 §7.2.2). */
const codeSize = 24;

/** One after the other: what each comes to, or why it does not. */
const each = async <Name, Outcome>(names: Iterable<Name>, attempt: (name: Name) => Promise<Outcome>) => {
  const done = new Map<Name, Outcome>();
  const failed = new Map<Name, SetError>();
  for (const name of names) {
    try {
      done.set(name, await attempt(name));
    } catch (failure) {
      if (!(failure instanceof SetError)) throw failure;
      failed.set(name, failure);
    }
  }
  return { done, failed };
};

const send = ({ caller: { principalId }, tools }: RequestContext, subscriptionId: string, what: { verify: true } | { changed: {} }): Promise<void> =>
  tools.webPush.queue.send({ principalId, subscriptionId, ...what } satisfies WebPushMessage);

const newSubscription = async (given: JsonObject, context: RequestContext, now: number): Promise<PushSubscription> => {
  const { caller, tools } = context;
  const properties = newProperties(pushSubscription, given, () => undefined);
  if (properties['verificationCode'] !== null) throw new SetError('invalidProperties', 'The verification code comes by a push, after the creation.', ['verificationCode']);
  const keys = decodeKeys(properties['keys'] as JsonObject | null);
  return {
    id: tools.newId(),
    principalId: caller.principalId,
    deviceClientId: checkDeviceClientId(properties['deviceClientId'] as string),
    url: checkUrl(properties['url'] as string, tools.webPush.isAllowed),
    ...(keys && { keys }),
    verificationCode: randomBytes(codeSize).toString('base64url'),
    isVerified: false,
    expiresAt: expiryOf(properties['expires'] as string | null, now),
    types: checkTypes(properties['types'] as string[] | null),
    notifiedUpTo: await tools.webPush.progress(caller.memberships.map(({ accountId }) => accountId)),
  };
};

/** Stores it and has the code pushed (RFC 8620 §7.2.2). What can't be pushed to was not created. */
const create = async (given: JsonObject, context: RequestContext): Promise<JsonObject> => {
  const { subscriptions, now: clock } = context.tools.webPush;
  const now = secondsNow(clock);
  const subscription = await newSubscription(given, context, now);
  const outcome = await subscriptions.add(subscription, now);
  const { maxSubscriptions, maxCreations, creationWindow } = pushSubscriptionLimits;
  if (outcome === 'tooMany') throw new SetError('overQuota', `There are ${maxSubscriptions} push subscriptions already: destroy one, or let one expire.`);
  if (outcome === 'tooOften') throw new SetError('rateLimit', `At most ${maxCreations} push subscriptions may be created in ${creationWindow / 60} minutes: try again later.`);
  try {
    await send(context, subscription.id, { verify: true });
  } catch (failure) {
    await subscriptions.remove(subscription);
    throw failure;
  }
  return notAsGiven(pushSubscription, given, { ...shown(subscription), ...(!subscription.keys && { keys: null }) }, true)!;
};

/** @returns what became otherwise than the client said; null for nothing. */
const update = async (current: PushSubscription, patch: JsonObject, context: RequestContext, resolveId: ResolveId): Promise<JsonObject | null> => {
  const now = secondsNow(context.tools.webPush.now);
  const { url, keys = null } = current;
  const { types, expires, verificationCode } = applyPatch(pushSubscription, { ...shown(current), url, keys }, patch, resolveId) as
    { types?: string[] | null; expires?: string | null; verificationCode?: string | null };
  if (verificationCode === null && current.isVerified) throw new SetError('invalidProperties', 'A verified subscription stays so.', ['verificationCode']);
  const isVerified = typeof verificationCode === 'string' && checkVerificationCode(verificationCode, current);
  const change: SubscriptionChange = {
    ...(types !== undefined && { types: checkTypes(types) }),
    ...(expires !== undefined && { expiresAt: expiryOf(expires, now) }),
    ...(isVerified && { isVerified }),
  };
  if (Object.keys(change).length > 0 && !await context.tools.webPush.subscriptions.change(current, change)) throw notFound();
  // What happened since the creation was told to nobody.
  if (isVerified) await send(context, current.id, { changed: {} });
  return notAsGiven(pushSubscription, patch, shown({ ...current, ...change }), false);
};

const notFound = () => new SetError('notFound', 'There is no such PushSubscription.');

/** RFC 8620 §7.2.2: as the standard /set, each record by itself. */
export const setSubscriptions = async (args: Args, context: RequestContext): Promise<JsonObject> => {
  refuseTooMany(args);
  const { subscriptions, now } = context.tools.webPush;
  const { principalId } = context.caller;
  const created = await each(Object.keys(args.create ?? {}), async (creationId) => {
    const record = await create(args.create![creationId]!, context);
    context.createdIds.set(creationId, record['id'] as string);
    return record;
  });
  const resolveId: ResolveId = (creationId) => context.createdIds.get(creationId);
  const idOf = (name: string) => (name.startsWith('#') ? resolveId(name.slice(1)) ?? name : name);
  const toDestroy = new Set((args.destroy ?? []).map(idOf));
  const updated = await each(Object.keys(args.update ?? {}), async (name) => {
    const current = isId(idOf(name)) ? await subscriptions.find({ principalId, id: idOf(name) }) : undefined;
    if (!current || current.expiresAt <= secondsNow(now)) throw notFound();
    if (toDestroy.has(current.id)) throw new SetError('willDestroy', 'The same call destroys it.');
    return update(current, args.update![name]!, context, resolveId);
  });
  const destroyed = await each(toDestroy, async (id) => {
    if (!await subscriptions.remove({ principalId, id })) throw notFound();
  });
  return {
    created: orNull(created.done),
    updated: orNull(new Map([...updated.done].map(([name, record]) => [idOf(name), record]))),
    destroyed: destroyed.done.size === 0 ? null : [...destroyed.done.keys()],
    notCreated: orNull(created.failed),
    notUpdated: orNull(updated.failed),
    notDestroyed: orNull(destroyed.failed),
  };
};

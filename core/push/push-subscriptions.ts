import { pushSubscriptionLimits } from '../../contract/jmap/push-subscription.ts';
import { StoreConflict } from '../runtime/domain-errors.ts';
import { retryOnConflict, tryWrite } from '../storage/retry-on-conflict.ts';
import type { Table } from '../storage/table.ts';
import { listenerKey, listenerPartition, subscriptionPrefix } from './keys.ts';
import { decodeSubscription, subscriptionItem, subscriptionKey, type PushSubscription, type PushTrouble } from './push-subscription.ts';
import type { Told } from './push-state.ts';

/** Whose subscription, and which. */
export type SubscriptionReference = Pick<PushSubscription, 'principalId' | 'id'>;

/** What a client may change of one. */
export type SubscriptionChange = Partial<Pick<PushSubscription, 'types' | 'expiresAt' | 'isVerified'>>;

/** PushSubscriptions in the mail table, beside everything else that a principal wants to be told by. */
export type PushSubscriptions = {
  /** Those of a principal that have not expired. One query. */
  of(principalId: string, now: number): Promise<PushSubscription[]>;
  /** It may have expired: the caller looks. */
  find(reference: SubscriptionReference): Promise<PushSubscription | undefined>;
  /**
   * Adds one. Creations of a principal happen one after the other, so that racing ones keep the limits too.
   * @param now in seconds since 1970, as everywhere here.
   */
  add(subscription: PushSubscription, now: number): Promise<'added' | 'tooMany' | 'tooOften'>;
  /** @returns false when there is none (any more): none of these brings back what was removed. */
  change(reference: SubscriptionReference, change: SubscriptionChange): Promise<boolean>;
  /** Remembers what was pushed, other accounts' entries left alone, and how it goes: with the trouble that there is, or none any more. */
  remember(reference: SubscriptionReference, told: Told, trouble: PushTrouble | undefined): Promise<boolean>;
  /** @returns false when there was none. */
  remove(reference: SubscriptionReference): Promise<boolean>;
};

/** Beside the subscriptions: when the newest ones were created, by the second. */
const creationsName = 'creations';
const { maxCreations, creationWindow, maxSubscriptions } = pushSubscriptionLimits;

export const pushSubscriptionsIn = (table: Table): PushSubscriptions => {
  /** @throws WriteRefused when another creation of the same principal was faster. */
  const addOnce = async (subscription: PushSubscription, now: number): Promise<'added' | 'tooMany' | 'tooOften'> => {
    const { principalId } = subscription;
    const items = await table.query({ pk: listenerPartition(principalId) });
    const current = items.filter(({ sk, expiresAt }) => sk.startsWith(subscriptionPrefix) && (expiresAt as number) > now);
    if (current.length >= maxSubscriptions) return 'tooMany';
    const creations = items.find(({ sk }) => sk === creationsName);
    const recent = ((creations?.['at'] ?? []) as number[]).filter((at) => at > now - creationWindow);
    if (recent.length >= maxCreations) return 'tooOften';
    const revision = (creations?.['revision'] as number | undefined) ?? 0;
    await table.write([
      { put: subscriptionItem(subscription), if: { absent: true } },
      {
        put: { ...listenerKey(principalId, creationsName), at: [...recent, now], revision: revision + 1, expiresAt: now + creationWindow },
        if: creations ? { equals: { revision } } : { absent: true },
      },
    ]);
    return 'added';
  };

  return {
    async of(principalId, now) {
      const items = await table.query({ pk: listenerPartition(principalId), prefix: subscriptionPrefix });
      return items.map((item) => decodeSubscription(principalId, item)).filter(({ expiresAt }) => expiresAt > now);
    },
    async find(reference) {
      const item = await table.get(subscriptionKey(reference));
      return item && decodeSubscription(reference.principalId, item);
    },
    async add(subscription, now) {
      try {
        return await retryOnConflict(() => addOnce(subscription, now));
      } catch (error) {
        if (error instanceof StoreConflict) return 'tooOften';
        throw error;
      }
    },
    change: (reference, change) => tryWrite(table, [{ update: subscriptionKey(reference), set: { ...change }, if: { present: true } }]),
    remember: (reference, told, trouble) => tryWrite(table, [{
      update: subscriptionKey(reference),
      ...(told.size > 0 && { merge: { told: Object.fromEntries(told) } }),
      ...(trouble ? { set: { trouble } } : { remove: ['trouble'] }),
      if: { present: true },
    }]),
    remove: (reference) => tryWrite(table, [{ delete: subscriptionKey(reference), if: { present: true } }]),
  };
};

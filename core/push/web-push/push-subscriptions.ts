import { mailPartitions } from '../../../contract/deployment/keys.ts';
import { pushSubscriptionLimits } from '../../../contract/jmap/push-subscription.ts';
import { retryOnConflict, tryWrite } from '../../storage/retry-on-conflict.ts';
import { rowOf, type Table } from '../../storage/table.ts';
import { encodeNotifiedUpTo, listenerKey, pushSubscriptionPrefix, type NotifiedUpTo } from '../listeners/listener-record.ts';
import {
  decodeSubscription,
  subscriptionItem,
  subscriptionKey,
  subscriptionRow,
  type PushSubscription,
  type PushRetryState,
} from '../listeners/push-subscription.ts';

type SubscriptionReference = Pick<PushSubscription, 'principalId' | 'id'>;

/** The properties that a client may change (RFC 8620 §7.2), and whether the subscription was verified. */
export type SubscriptionChange = Partial<Pick<PushSubscription, 'types' | 'expiresAt' | 'isVerified'>>;

/** PushSubscriptions in the mail table, in the partition of their principal's listeners. */
export type PushSubscriptions = {
  /** Lists the subscriptions of a principal that have not expired, by one query. */
  list(principalId: string, now: number): Promise<PushSubscription[]>;
  /** Finds a subscription. It may have expired: the caller checks. */
  find(reference: SubscriptionReference): Promise<PushSubscription | undefined>;
  /**
   * Adds a subscription. Concurrent creations of a principal are serialized, so that they cannot exceed the limits
   * together.
   * @param now seconds since 1970, as in all methods here.
   * @returns `tooMany` and `tooOften` for the limits of the principal; nothing is stored then.
   * @throws StoreConflict when each attempt lost the race with another creation: nothing was stored.
   */
  add(subscription: PushSubscription, now: number): Promise<'added' | 'tooMany' | 'tooOften'>;
  /** Changes a subscription. @returns false when it does not exist; a removed one is not created again. */
  change(reference: SubscriptionReference, change: SubscriptionChange): Promise<boolean>;
  /**
   * Stores the outcome of a push. Entries of accounts that `notifiedUpTo` does not name are kept.
   * @param retryState undefined after a success: the stored state is then removed.
   * @returns false when the subscription does not exist.
   */
  recordPush(reference: SubscriptionReference, notifiedUpTo: NotifiedUpTo, retryState: PushRetryState | undefined): Promise<boolean>;
  /** Removes a subscription. @returns false when it did not exist. */
  remove(reference: SubscriptionReference): Promise<boolean>;
};

/** The item with the times of the newest creations, in the partition of the subscriptions. */
const creationsName = 'creations';
const creationsRow = rowOf<{ readonly at?: readonly number[]; readonly revision?: number }>;
const { maxCreations, creationWindow, maxSubscriptions } = pushSubscriptionLimits;

export const pushSubscriptionsIn = (table: Table): PushSubscriptions => {
  /** @throws WriteRefused when another creation of the same principal was written first. */
  const addOnce = async (subscription: PushSubscription, now: number): Promise<'added' | 'tooMany' | 'tooOften'> => {
    const { principalId } = subscription;
    const [items, creations] = await Promise.all([
      table.query({ pk: mailPartitions.listeners(principalId), prefix: pushSubscriptionPrefix }),
      table.get(listenerKey(principalId, creationsName)),
    ]);
    const { at = [], revision = 0 } = creations ? creationsRow(creations) : {};
    const current = items.filter((item) => subscriptionRow(item).expiresAt > now);
    if (current.length >= maxSubscriptions) return 'tooMany';
    const recent = at.filter((each) => each > now - creationWindow);
    if (recent.length >= maxCreations) return 'tooOften';
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
    async list(principalId, now) {
      const items = await table.query({ pk: mailPartitions.listeners(principalId), prefix: pushSubscriptionPrefix });
      return items.map((item) => decodeSubscription(principalId, item)).filter(({ expiresAt }) => expiresAt > now);
    },
    async find(reference) {
      const item = await table.get(subscriptionKey(reference));
      return item && decodeSubscription(reference.principalId, item);
    },
    add: (subscription, now) => retryOnConflict(() => addOnce(subscription, now)),
    change: (reference, change) => tryWrite(table, [{ update: subscriptionKey(reference), set: { ...change }, if: { present: true } }]),
    recordPush: (reference, notifiedUpTo, retryState) =>
      tryWrite(table, [
        {
          update: subscriptionKey(reference),
          ...(notifiedUpTo.size > 0 && { merge: encodeNotifiedUpTo(notifiedUpTo) }),
          ...(retryState ? { set: { trouble: retryState } } : { remove: ['trouble'] }),
          if: { present: true },
        },
      ]),
    remove: (reference) => tryWrite(table, [{ delete: subscriptionKey(reference), if: { present: true } }]),
  };
};

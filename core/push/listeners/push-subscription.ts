import { rowOf, type Item, type Key } from '../../storage/table.ts';
import { decodeNotifiedUpTo, encodeNotifiedUpTo, listenerKey, pushSubscriptionPrefix, type NotifiedUpTo } from './listener-record.ts';

/** The failed pushes of a subscription since the last push that its push service accepted. */
export type PushRetryState = {
  /** The first failure, and the time of the next attempt; seconds since 1970. */
  readonly since: number;
  readonly retryAt: number;
  /** Numbers of consecutive failures: of all failed pushes, and of pushes that the push service rejected. */
  readonly failures: number;
  readonly refusals: number;
};

/** A stored PushSubscription (RFC 8620 §7.2). */
export type PushSubscription = {
  readonly id: string;
  readonly principalId: string;
  readonly deviceClientId: string;
  readonly url: string;
  /** The client's keys (RFC 8291), both base64url. Without them pushes are plain JSON. */
  readonly keys?: { readonly p256dh: string; readonly auth: string };
  /** The code that the client must send back to prove that it receives pushes at the URL (RFC 8620 §7.2.2). */
  readonly verificationCode: string;
  readonly isVerified: boolean;
  /** Time of creation, in seconds since 1970. */
  readonly createdAt: number;
  /** Time of expiry, in seconds since 1970. DynamoDB removes the item later. */
  readonly expiresAt: number;
  /** The requested types; null for all. */
  readonly types: readonly string[] | null;
  /**
   * The commits up to which the client was notified. Initially, the newest commits when the subscription was created.
   */
  readonly notifiedUpTo: NotifiedUpTo;
  /** The state of retries. Undefined while pushes succeed. */
  readonly retryState?: PushRetryState;
};

export const subscriptionKey = ({ principalId, id }: Pick<PushSubscription, 'principalId' | 'id'>): Key =>
  listenerKey(principalId, `${pushSubscriptionPrefix}${id}`);

export const subscriptionItem = ({ id, principalId, keys, notifiedUpTo, retryState, ...subscription }: PushSubscription): Item => ({
  ...subscriptionKey({ principalId, id }),
  ...subscription,
  ...(keys && { keys }),
  ...encodeNotifiedUpTo(notifiedUpTo),
  ...(retryState && { trouble: retryState }),
});

/** The attributes of a subscription. */
type SubscriptionRow = Omit<PushSubscription, 'id' | 'principalId' | 'notifiedUpTo' | 'retryState'> & { readonly trouble?: PushRetryState };

export const subscriptionRow = rowOf<SubscriptionRow>;

export const decodeSubscription = (principalId: string, item: Item): PushSubscription => {
  const { deviceClientId, url, keys, verificationCode, isVerified, createdAt, expiresAt, types, trouble } = subscriptionRow(item);
  return {
    id: item.sk.slice(pushSubscriptionPrefix.length),
    principalId,
    deviceClientId,
    url,
    ...(keys !== undefined && { keys }),
    verificationCode,
    isVerified,
    createdAt,
    expiresAt,
    types,
    notifiedUpTo: decodeNotifiedUpTo(item),
    ...(trouble !== undefined && { retryState: trouble }),
  };
};

import type { Item, Key } from '../storage/table.ts';
import { listenerKey, subscriptionPrefix } from './keys.ts';
import type { Told } from './push-state.ts';
import { toldIn } from './told.ts';

/** What has been going wrong since the last push that its push service took. */
export type PushTrouble = {
  /** When it began, and when to try again; in seconds since 1970. */
  readonly since: number;
  readonly retryAt: number;
  /** In a row: all failures, and those by which the push service said no. */
  readonly failures: number;
  readonly refusals: number;
};

/** A PushSubscription (RFC 8620 §7.2) as it is stored. */
export type PushSubscription = {
  readonly id: string;
  readonly principalId: string;
  readonly deviceClientId: string;
  readonly url: string;
  /** RFC 8291, both base64url; without them pushes are plain JSON. */
  readonly keys?: { readonly p256dh: string; readonly auth: string };
  /** What the client must say to show that it is the one at the URL. */
  readonly verificationCode: string;
  readonly isVerified: boolean;
  /** In seconds since 1970: DynamoDB removes the item some time after. */
  readonly expiresAt: number;
  /** Null for all. */
  readonly types: readonly string[] | null;
  /** What was pushed, by account; or where it begins. */
  readonly told: Told;
  readonly trouble?: PushTrouble;
};

export const subscriptionKey = ({ principalId, id }: Pick<PushSubscription, 'principalId' | 'id'>): Key => listenerKey(principalId, `${subscriptionPrefix}${id}`);

export const subscriptionItem = ({ id, principalId, keys, told, trouble, ...subscription }: PushSubscription): Item => ({
  ...subscriptionKey({ principalId, id }),
  ...subscription,
  ...(keys && { keys }),
  told: Object.fromEntries(told),
  ...(trouble && { trouble }),
});

export const decodeSubscription = (principalId: string, item: Item): PushSubscription => ({
  id: item.sk.slice(subscriptionPrefix.length),
  principalId,
  deviceClientId: item['deviceClientId'] as string,
  url: item['url'] as string,
  ...(item['keys'] !== undefined && { keys: item['keys'] as { p256dh: string; auth: string } }),
  verificationCode: item['verificationCode'] as string,
  isVerified: item['isVerified'] as boolean,
  expiresAt: item['expiresAt'] as number,
  types: item['types'] as string[] | null,
  told: toldIn(item),
  ...(item['trouble'] !== undefined && { trouble: item['trouble'] as PushTrouble }),
});

import { createECDH, timingSafeEqual } from 'node:crypto';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { pushLimits } from '../../../contract/jmap/push.ts';
import { pushSubscriptionLimits } from '../../../contract/jmap/push-subscription.ts';
import { pushUrlFault, type AddressRule } from '../../../core/push/public-address.ts';
import type { PushSubscription } from '../../../core/push/push-subscription.ts';
import { SetError } from '../protocol/errors.ts';

const invalid = (property: string, words: string) => new SetError('invalidProperties', `"${property}" ${words}.`, [property]);

/** RFC 4648 §5, padded or not. */
const base64url = /^[A-Za-z0-9_-]+={0,2}$/;

const octetsOf = (value: unknown): Buffer | undefined => (typeof value === 'string' && base64url.test(value) ? Buffer.from(value, 'base64url') : undefined);

const isPoint = (octets: Buffer): boolean => {
  if (octets.length !== 65 || octets[0] !== 4) return false;
  try {
    const curve = createECDH('prime256v1');
    curve.generateKeys();
    curve.computeSecret(octets);
    return true;
  } catch {
    return false;
  }
};

/** A client's keys (RFC 8291 §3): a point of P-256 and 16 octets, whatever else it sent. @throws SetError */
export const decodeKeys = (value: JsonObject | null): PushSubscription['keys'] => {
  if (value === null) return undefined;
  const [p256dh, auth] = [octetsOf(value['p256dh']), octetsOf(value['auth'])];
  if (!p256dh || !isPoint(p256dh)) throw invalid('keys', 'must have in "p256dh" an uncompressed point of P-256 as base64url');
  if (auth?.length !== 16) throw invalid('keys', 'must have in "auth" 16 octets as base64url');
  return { p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') };
};

/** @throws SetError */
export const checkUrl = (url: string, isAllowed: AddressRule): string => {
  const fault = pushUrlFault(url, isAllowed);
  if (fault) throw invalid('url', fault);
  return url;
};

/** @throws SetError */
export const checkDeviceClientId = (name: string): string => {
  if (name === '' || name.length > pushSubscriptionLimits.maxSizeName) throw invalid('deviceClientId', `must have 1 to ${pushSubscriptionLimits.maxSizeName} characters`);
  return name;
};

/** Types that we do not know are kept: a client may know more than this server. @throws SetError */
export const checkTypes = (types: readonly string[] | null): readonly string[] | null => {
  if (types === null) return null;
  const { maxSizeName } = pushSubscriptionLimits;
  if (types.length > pushLimits.maxTypes || types.some((type) => type.length > maxSizeName)) {
    throw invalid('types', `must have ${pushLimits.maxTypes} names of ${maxSizeName} characters at most`);
  }
  return [...new Set(types)];
};

/** When it really expires, in seconds since 1970: as wished, but no later than {@link pushSubscriptionLimits}.maxLife. @throws SetError for the past. */
export const effectiveExpiry = (wished: string | null, now: number): number => {
  const latest = now + pushSubscriptionLimits.maxLife;
  const at = wished === null ? latest : Math.floor(Date.parse(wished) / 1000);
  if (at <= now) throw invalid('expires', 'must be in the future; to end a subscription, destroy it');
  return Math.min(at, latest);
};

/** Whether the client knows what was pushed to its URL. @throws SetError when it says something else. */
export const checkVerificationCode = (said: string, { verificationCode }: Pick<PushSubscription, 'verificationCode'>): true => {
  const [one, other] = [Buffer.from(said), Buffer.from(verificationCode)];
  if (one.length !== other.length || !timingSafeEqual(one, other)) throw invalid('verificationCode', 'is not the one that was pushed');
  return true;
};

/** A subscription as clients see it, the secrets and a code that was not shown to be known left out. */
export const subscriptionProperties = ({ id, deviceClientId, verificationCode, isVerified, expiresAt, types }: Omit<PushSubscription, 'notifiedUpTo'>): JsonObject => ({
  id,
  deviceClientId,
  verificationCode: isVerified ? verificationCode : null,
  expires: `${new Date(expiresAt * 1000).toISOString().slice(0, 19)}Z`,
  types,
});

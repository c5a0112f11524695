import { createECDH, timingSafeEqual } from 'node:crypto';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { pushSubscriptionLimits } from '../../../contract/jmap/push-subscription.ts';
import { pushLimits } from '../../../contract/jmap/push.ts';
import type { PushSubscription } from '../../../core/push/listeners/push-subscription.ts';
import { pushUrlFault, type AddressRule } from '../../../core/push/web-push/public-address.ts';
import { SetError } from '../request/jmap-errors.ts';

const invalid = (property: string, fault: string) => new SetError('invalidProperties', `"${property}" ${fault}.`, [property]);

/** base64url with or without padding (RFC 4648 §5). */
const base64url = /^[A-Za-z0-9_-]+={0,2}$/;

const decodeBase64url = (value: unknown): Buffer | undefined =>
  typeof value === 'string' && base64url.test(value) ? Buffer.from(value, 'base64url') : undefined;

/** Whether the octets are an uncompressed point on the curve P-256. */
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

/** A client's keys (RFC 8291 §3): a point of P-256 and 16 octets. @throws SetError invalidProperties */
export const decodeKeys = (value: JsonObject | null): PushSubscription['keys'] => {
  if (value === null) return undefined;
  const [p256dh, auth] = [decodeBase64url(value['p256dh']), decodeBase64url(value['auth'])];
  if (!p256dh || !isPoint(p256dh)) throw invalid('keys', 'must have a member "p256dh": an uncompressed point of P-256 in base64url');
  if (auth?.length !== 16) throw invalid('keys', 'must have a member "auth": 16 octets in base64url');
  return { p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') };
};

/** Checks the URL of a subscription. @throws SetError invalidProperties */
export const checkUrl = (url: string, isAllowed: AddressRule): string => {
  const fault = pushUrlFault(url, isAllowed);
  if (fault) throw invalid('url', fault);
  return url;
};

/** Checks `deviceClientId`. @throws SetError invalidProperties */
export const checkDeviceClientId = (name: string): string => {
  const { maxSizeName } = pushSubscriptionLimits;
  if (name === '' || name.length > maxSizeName) throw invalid('deviceClientId', `must have 1 to ${maxSizeName} characters`);
  return name;
};

/** Checks `types` and removes duplicates. Unknown types are stored too. @throws SetError invalidProperties */
export const checkTypes = (types: readonly string[] | null): readonly string[] | null => {
  if (types === null) return null;
  const { maxSizeName } = pushSubscriptionLimits;
  if (types.length > pushLimits.maxTypes || types.some((type) => type.length > maxSizeName)) {
    throw invalid('types', `must have at most ${pushLimits.maxTypes} names of at most ${maxSizeName} characters`);
  }
  return [...new Set(types)];
};

/**
 * The time of expiry in seconds since 1970, at most {@link pushSubscriptionLimits}.maxLife from now. @throws SetError
 * for a time in the past.
 */
export const effectiveExpiry = (requested: string | null, now: number): number => {
  const latest = now + pushSubscriptionLimits.maxLife;
  const expiry = requested === null ? latest : Math.floor(Date.parse(requested) / 1000);
  if (expiry <= now) throw invalid('expires', 'must be in the future; to end a subscription, destroy it');
  return Math.min(expiry, latest);
};

/**
 * Checks a verification code. @throws SetError invalidProperties when it differs from the code that was pushed to the
 * URL.
 */
export const checkVerificationCode = (code: string, { verificationCode }: Pick<PushSubscription, 'verificationCode'>): true => {
  const [one, other] = [Buffer.from(code), Buffer.from(verificationCode)];
  if (one.length !== other.length || !timingSafeEqual(one, other)) {
    throw invalid('verificationCode', 'is not the code that was pushed to the URL');
  }
  return true;
};

/**
 * The properties of a subscription without `url` and `keys`. They include the verification code only after the
 * verification.
 */
export const subscriptionProperties = ({
  id,
  deviceClientId,
  verificationCode,
  isVerified,
  expiresAt,
  types,
}: Omit<PushSubscription, 'notifiedUpTo'>): JsonObject => ({
  id,
  deviceClientId,
  verificationCode: isVerified ? verificationCode : null,
  expires: `${new Date(expiresAt * 1000).toISOString().slice(0, 19)}Z`,
  types,
});

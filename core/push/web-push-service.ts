import { createECDH } from 'node:crypto';
import { encrypt } from 'http_ece';
import { importJWK, SignJWT } from 'jose';
import type { Clock } from '../runtime/clock.ts';
import type { VapidKey } from './vapid-key.ts';
import type { PushOptions, PushOutcome, PushService, PushTarget } from './push-service.ts';
import { ForbiddenAddress, postToPublicAddress, type PushResponse, type PostOptions } from './post-to-public-address.ts';

/** Seconds that a token holds; a day at most (RFC 8292 §2). */
const tokenLife = 12 * 3600;

/** The longest that a push service is obeyed when it says when to come again, in seconds. */
const longestRetryAfter = 86_400;

export type WebPushIdentity = {
  readonly key: () => Promise<VapidKey>;
  /** Whom a push service may write to: `mailto:` or `https:` (RFC 8292 §2.1). */
  readonly contact: string;
};

/** RFC 8291: a key pair of its own for each message; one record, as §4 asks. */
const encrypted = (text: Buffer, keys: NonNullable<PushTarget['keys']>): Buffer => {
  const privateKey = createECDH('prime256v1');
  privateKey.generateKeys();
  return encrypt(text, { version: 'aes128gcm', dh: keys.p256dh, authSecret: keys.auth, privateKey });
};

/** RFC 8292 §2: who we are, for this push service only. */
const authorization = async ({ key, contact }: WebPushIdentity, url: string, now: Date): Promise<string> => {
  const { publicKey, privateKey } = await key();
  const point = Buffer.from(publicKey, 'base64url');
  const jwk = { kty: 'EC', crv: 'P-256', d: privateKey, x: point.subarray(1, 33).toString('base64url'), y: point.subarray(33).toString('base64url') };
  const token = await new SignJWT()
    .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
    .setAudience(new URL(url).origin)
    .setExpirationTime(Math.floor(now.getTime() / 1000) + tokenLife)
    .setSubject(contact)
    .sign(await importJWK(jwk, 'ES256'));
  return `vapid t=${token}, k=${publicKey}`;
};

/** Seconds of a Retry-After: a number of them, or a date (RFC 9110 §10.2.3). */
const secondsOf = (retryAfter: string | undefined, now: Date): number | undefined => {
  if (retryAfter === undefined) return undefined;
  const seconds = /^\d{1,9}$/.test(retryAfter.trim()) ? Number(retryAfter) : Math.ceil((Date.parse(retryAfter) - now.getTime()) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.min(longestRetryAfter, Math.max(0, seconds));
};

const busy = new Set([408, 425, 429]);

const outcomeOf = ({ status, retryAfter }: PushResponse, now: Date): PushOutcome => {
  if (status >= 200 && status < 300) return { kind: 'accepted' };
  if (status === 404 || status === 410) return { kind: 'gone' };
  if (status < 500 && !busy.has(status)) return { kind: 'rejected', reason: status };
  const seconds = secondsOf(retryAfter, now);
  return { kind: 'unavailable', reason: status, ...(seconds !== undefined && { retryAfter: seconds }) };
};

/** Names and codes only: a message may hold the address. */
const failureOf = (failure: unknown): PushOutcome => {
  if (failure instanceof ForbiddenAddress) return { kind: 'rejected', reason: failure.message };
  const { code, name } = failure as NodeJS.ErrnoException;
  return { kind: 'unavailable', reason: code ?? name };
};

/** RFC 8030 §5: what the push service is told of the message. The type is that of the body before encryption (RFC 8620 §7.2). */
const headersFor = (target: PushTarget, { timeToLive, urgency }: PushOptions, authorized: string): Record<string, string> => ({
  authorization: authorized,
  'content-type': 'application/json',
  ...(target.keys && { 'content-encoding': 'aes128gcm' }),
  ttl: String(Math.max(0, Math.floor(timeToLive))),
  urgency,
});

/** {@link PushService} by HTTPS: encrypted (RFC 8291), identified (RFC 8292, RFC 9749), and sent to public addresses only. */
export const webPushService = (identity: WebPushIdentity, way: PostOptions, now: Clock): PushService => ({
  async push(target, message, options) {
    const text = Buffer.from(JSON.stringify(message));
    const body = target.keys ? encrypted(text, target.keys) : text;
    const headers = headersFor(target, options, await authorization(identity, target.url, now()));
    try {
      return outcomeOf(await postToPublicAddress({ url: target.url, headers, body }, way), now());
    } catch (failure) {
      return failureOf(failure);
    }
  },
});

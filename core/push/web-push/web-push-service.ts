import { createECDH } from 'node:crypto';
import { encrypt } from 'http_ece';
import { importJWK, SignJWT } from 'jose';
import type { Clock } from '../../runtime/clock.ts';
import { ForbiddenAddress, postToPublicAddress, type PostOptions, type PushResponse } from './post-to-public-address.ts';
import type { VapidKey } from './vapid-key.ts';

/** The destination of a push (RFC 8620 §7.2). */
export type PushTarget = {
  readonly url: string;
  /** The client's keys (RFC 8291), both base64url. Without them the push is not encrypted. */
  readonly keys?: { readonly p256dh: string; readonly auth: string };
};

export type PushOptions = {
  /** Seconds for which the push service keeps the push while the client is unreachable (RFC 8030 §5.2). */
  readonly timeToLive: number;
  /** The urgency (RFC 8030 §5.3). A push service may delay pushes of low urgency while the client saves battery. */
  readonly urgency: 'low' | 'normal';
};

export type PushOutcome =
  | { readonly kind: 'accepted' }
  /** The subscription has ended: 404 or 410 (RFC 8030 §7.3). */
  | { readonly kind: 'gone' }
  /** `reason`: the status of the push service, or a text that does not contain the forbidden address. */
  | { readonly kind: 'rejected'; readonly reason: number | string }
  /** `reason`: the status or an error code. `retryAfter`: seconds, if the service sent a time. */
  | { readonly kind: 'unavailable'; readonly reason: number | string; readonly retryAfter?: number };

/** Sends pushes to push services. Adapter: {@link webPushService}; a fake is in `test/fakes/`. */
export type PushService = {
  /** Sends a push. It never throws because of the push service. @param message a JSON value. */
  push(target: PushTarget, message: unknown, options: PushOptions): Promise<PushOutcome>;
};

/** Maximum octets of JSON: 4096 (RFC 8030 §7.2) without header, padding and tag (RFC 8291 §4). */
export const maxSizePush = 3993;

/** Seconds for which a VAPID token is valid; RFC 8292 §2 allows at most a day. */
const tokenLifetime = 12 * 3600;

/** Maximum seconds of a Retry-After header that are respected. */
const maxRetryAfter = 86_400;

type WebPushIdentity = {
  readonly key: () => Promise<VapidKey>;
  /** The `mailto:` or `https:` URL at which push services can contact the operator (RFC 8292 §2.1). */
  readonly contact: string;
};

/** Encrypts a message (RFC 8291) in one record (§4), with a new key pair for each message. */
const encryptMessage = (text: Buffer, keys: NonNullable<PushTarget['keys']>): Buffer => {
  const privateKey = createECDH('prime256v1');
  privateKey.generateKeys();
  return encrypt(text, { version: 'aes128gcm', dh: keys.p256dh, authSecret: keys.auth, privateKey });
};

/** The Authorization header of RFC 8292 §2, valid only for the push service of this URL. */
const vapidAuthorization = async ({ key, contact }: WebPushIdentity, url: string, now: Date): Promise<string> => {
  const { publicKey, privateKey } = await key();
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
  const jwk = { kty: 'EC', crv: 'P-256', d: privateKey, x: x!, y: y! };
  const token = await new SignJWT()
    .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
    .setAudience(new URL(url).origin)
    .setExpirationTime(Math.floor(now.getTime() / 1000) + tokenLifetime)
    .setSubject(contact)
    .sign(await importJWK(jwk, 'ES256'));
  return `vapid t=${token}, k=${publicKey}`;
};

/** Seconds of a Retry-After header: a number of seconds or a date (RFC 9110 §10.2.3). */
const parseRetryAfter = (retryAfter: string | undefined, now: Date): number | undefined => {
  if (retryAfter === undefined) return undefined;
  const seconds = /^\d{1,9}$/.test(retryAfter.trim()) ? Number(retryAfter) : Math.ceil((Date.parse(retryAfter) - now.getTime()) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.min(maxRetryAfter, Math.max(0, seconds));
};

/** Statuses below 500 after which a later attempt may succeed. */
const retryableStatuses = new Set([408, 425, 429]);

const outcomeOfResponse = ({ status, retryAfter }: PushResponse, now: Date): PushOutcome => {
  if (status >= 200 && status < 300) return { kind: 'accepted' };
  if (status === 404 || status === 410) return { kind: 'gone' };
  if (status < 500 && !retryableStatuses.has(status)) return { kind: 'rejected', reason: status };
  const seconds = parseRetryAfter(retryAfter, now);
  return { kind: 'unavailable', reason: status, ...(seconds !== undefined && { retryAfter: seconds }) };
};

/** The outcome after an error. It contains only names and codes, because messages may contain the address. */
const outcomeOfError = (failure: unknown): PushOutcome => {
  if (failure instanceof ForbiddenAddress) return { kind: 'rejected', reason: failure.message };
  const { code, name }: NodeJS.ErrnoException = Object(failure);
  return { kind: 'unavailable', reason: code ?? name };
};

/** The headers of RFC 8030 §5. The content type is that of the body before encryption (RFC 8620 §7.2). */
const pushHeaders = (target: PushTarget, { timeToLive, urgency }: PushOptions, authorization: string): Record<string, string> => ({
  authorization,
  'content-type': 'application/json',
  ...(target.keys && { 'content-encoding': 'aes128gcm' }),
  ttl: String(Math.max(0, Math.floor(timeToLive))),
  urgency,
});

/** {@link PushService} over HTTPS to public addresses, encrypted (RFC 8291) and signed (RFC 8292, RFC 9749). */
export const webPushService = (identity: WebPushIdentity, postOptions: PostOptions, clock: Clock): PushService => ({
  async push(target, message, options) {
    const text = Buffer.from(JSON.stringify(message));
    const body = target.keys ? encryptMessage(text, target.keys) : text;
    const headers = pushHeaders(target, options, await vapidAuthorization(identity, target.url, clock()));
    try {
      return outcomeOfResponse(await postToPublicAddress({ url: target.url, headers, body }, postOptions), clock());
    } catch (failure) {
      return outcomeOfError(failure);
    }
  },
});

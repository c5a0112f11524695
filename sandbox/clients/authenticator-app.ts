import { createHmac } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';

/** Milliseconds for which a code is valid (RFC 6238 §5.2). */
const period = 30_000;

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const decodeBase32 = (text: string): Buffer => {
  const bits = text.replaceAll(/./g, (digit) => base32.indexOf(digit).toString(2).padStart(5, '0'));
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((octet) => Number.parseInt(octet, 2)));
};

/** The present code of an authenticator app (RFC 6238, six digits). @param secret in base32, as sign-in pages show it. */
export const oneTimeCode = (secret: string, now = Date.now()): string => {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(now / period)));
  const digest = createHmac('sha1', decodeBase32(secret)).update(counter).digest();
  return String((digest.readUInt32BE(digest.at(-1)! & 0xf) & 0x7fff_ffff) % 1e6).padStart(6, '0');
};

/** Waits until there is a new code, because Cognito takes each code once. */
export const nextCode = (): Promise<void> => setTimeout(period - (Date.now() % period));

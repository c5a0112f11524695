import { createDecipheriv, createECDH, createHmac, createPublicKey, randomBytes, verify, type ECDH } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { longestWait } from './longest-wait.ts';
import type { KeyAndCertificate } from './self-signed-certificate.ts';

const hmac = (key: Uint8Array, ...parts: readonly Uint8Array[]) => createHmac('sha256', key).update(Buffer.concat(parts)).digest();
const counterOne = Uint8Array.of(1);

/** The keys of a client (RFC 8291 §3). */
export type ReceiverKeys = { readonly curve: ECDH; readonly auth: Buffer };

export const newKeys = (): ReceiverKeys => {
  const curve = createECDH('prime256v1');
  curve.generateKeys();
  return { curve, auth: randomBytes(16) };
};

/** The public half, as in a PushSubscription. */
export const publicKeys = ({ curve, auth }: ReceiverKeys) => ({ p256dh: curve.getPublicKey('base64url'), auth: auth.toString('base64url') });

/**
 * Decrypts a push according to RFC 8291 §3.4 and RFC 8188 §2, with Node's own cryptography.
 * @throws Error when the push is encrypted for other keys, or is not one complete record.
 */
export const decrypted = (body: Buffer, { curve, auth }: ReceiverKeys): Buffer => {
  const [salt, recordSize, idLength] = [body.subarray(0, 16), body.readUInt32BE(16), body[20]!];
  const sender = body.subarray(21, 21 + idLength);
  const record = body.subarray(21 + idLength);
  if (record.length > recordSize) throw new Error('more than one record');
  const keyMaterial = hmac(hmac(auth, curve.computeSecret(sender)), Buffer.from('WebPush: info\0'), curve.getPublicKey(), sender, counterOne);
  const secret = hmac(salt, keyMaterial);
  const key = hmac(secret, Buffer.from('Content-Encoding: aes128gcm\0'), counterOne).subarray(0, 16);
  const nonce = hmac(secret, Buffer.from('Content-Encoding: nonce\0'), counterOne).subarray(0, 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  const end = padded.findLastIndex((octet) => octet !== 0);
  if (padded[end] !== 2) throw new Error('not the last record');
  return padded.subarray(0, end);
};

/**
 * The claims of a push's VAPID token (RFC 8292).
 * @throws Error when the header is malformed, or the signature was made by another key than the named one.
 */
export const claimsOf = (
  authorization: string | undefined,
): { readonly publicKey: string; readonly aud: string; readonly exp: number; readonly sub: string } => {
  const [, head, payload, signature, publicKey] = /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(authorization ?? '') ?? [];
  if (!head || !payload || !signature || !publicKey) throw new Error('no vapid authorization');
  const point = Buffer.from(publicKey, 'base64url');
  const key = createPublicKey({
    format: 'jwk',
    key: { kty: 'EC', crv: 'P-256', x: point.subarray(1, 33).toString('base64url'), y: point.subarray(33).toString('base64url') },
  });
  const isSigned = verify('sha256', Buffer.from(`${head}.${payload}`), { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'));
  const { alg } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { alg: string };
  if (!isSigned || alg !== 'ES256') throw new Error('the token is not signed by this key');
  return { publicKey, ...(JSON.parse(Buffer.from(payload, 'base64url').toString()) as { aud: string; exp: number; sub: string }) };
};

export type ReceivedPush = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly at: number;
  /** The time at which its connection closed. The sender closes that of a push without a response. */
  readonly closed: Promise<number>;
};

/** The response of a path. `never`: the receiver does not respond. */
type ReceiverResponse = { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string } | 'never';

export type PushReceiver = {
  readonly port: number;
  /** All received pushes, in order. */
  readonly received: readonly ReceivedPush[];
  /** Sets the response of a path; the default is 201. */
  setResponse(path: string, answer: ReceiverResponse): void;
  /**
   * Waits until a path has received `count` pushes, and returns them.
   * @throws Error after `timeout` milliseconds (three minutes).
   */
  pushes(path: string, count?: number, timeout?: number): Promise<readonly ReceivedPush[]>;
  close(): Promise<void>;
};

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => Buffer.concat((await request.toArray()) as Buffer[]);

/** Starts a push service on the loopback address. */
export const startPushReceiver = async ({ certificate, key }: KeyAndCertificate): Promise<PushReceiver> => {
  const received: ReceivedPush[] = [];
  const answers = new Map<string, ReceiverResponse>();
  const waiting = new Set<() => void>();
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    const closed = new Promise<number>((done) => {
      response.once('close', () => done(Date.now()));
    });
    received.push({ path, headers: request.headers, body: await bodyOf(request), at: Date.now(), closed });
    for (const wake of waiting) wake();
    const answer = answers.get(path) ?? { status: 201 };
    if (answer !== 'never') response.writeHead(answer.status, answer.headers).end(answer.body);
  };
  const server = createServer({ cert: certificate, key }, (request, response) => {
    receive(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  const pushesTo = (path: string) => received.filter((push) => push.path === path);
  return {
    port: (server.address() as AddressInfo).port,
    received,
    setResponse: (path, answer) => {
      answers.set(path, answer);
    },
    pushes: (path, count = 1, timeout = longestWait) =>
      new Promise((done, fail) => {
        const check = (): void => {
          if (pushesTo(path).length < count) return;
          clearTimeout(timer);
          waiting.delete(check);
          done(pushesTo(path));
        };
        const timer = setTimeout(() => {
          waiting.delete(check);
          fail(new Error(`${pushesTo(path).length} pushes came to ${path} in ${timeout} ms, not ${count}`));
        }, timeout);
        waiting.add(check);
        check();
      }),
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
};

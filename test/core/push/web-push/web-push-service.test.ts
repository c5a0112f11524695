import { createECDH } from 'node:crypto';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { encrypt } from 'http_ece';
import { addressRule } from '../../../../core/push/web-push/public-address.ts';
import { deriveVapidKey } from '../../../../core/push/web-push/vapid-key.ts';
import { maxSizePush, webPushService, type PushOutcome } from '../../../../core/push/web-push/web-push-service.ts';
import { pushServiceSuite } from '../../../port-suites/push-service-suite.ts';
import { claimsOf, decrypted, newKeys, publicKeys, startPushReceiver, type PushReceiver } from '../../../support/push-receiver.ts';
import { selfSignedCertificate } from '../../../support/self-signed-certificate.ts';

const identity = selfSignedCertificate('push.example.net', '127.0.0.1');
const originalCertificates = getCACertificates('default');
const vapid = deriveVapidKey('secret');
const clock = () => new Date('2026-11-21T08:00:00Z');
const options = { timeToLive: 3600, urgency: 'normal' } as const;
const message = { '@type': 'StateChange', changed: { acc_alice: { Email: 'Email-7' } } };

let receiver: PushReceiver;
beforeAll(async () => {
  setDefaultCACertificates([...originalCertificates, identity.certificate]);
  receiver = await startPushReceiver(identity);
});
afterAll(async () => {
  setDefaultCACertificates(originalCertificates);
  await receiver.close();
});

const service = ({
  networks = ['127.0.0.0/8'],
  names = { 'push.example.net': ['127.0.0.1'] },
  timeout = 2000,
}: { networks?: string[]; names?: Record<string, string[] | Error>; timeout?: number } = {}) => {
  const resolved: string[] = [];
  const resolveAddresses = async (name: string) => {
    resolved.push(name);
    const addresses = names[name] ?? [];
    if (addresses instanceof Error) throw addresses;
    return addresses;
  };
  const pushService = webPushService(
    { key: async () => vapid, contact: 'mailto:postmaster@example.test' },
    { resolveAddresses, isAllowed: addressRule(networks), timeout },
    clock,
  );
  return {
    resolved,
    push: (path: string, host = 'push.example.net', keys?: { p256dh: string; auth: string }, content: unknown = message) =>
      pushService.push({ url: `https://${host}:${receiver.port}${path}`, keys }, content, options),
  };
};

describe('the push service over HTTPS', () =>
  pushServiceSuite(async () => ({
    service: webPushService(
      { key: async () => vapid, contact: 'mailto:postmaster@example.test' },
      { resolveAddresses: async () => ['127.0.0.1'], isAllowed: addressRule(['127.0.0.0/8']), timeout: 60_000 },
      clock,
    ),
    url: (name) => `https://push.example.net:${receiver.port}/contract/${name}`,
    setOutcome: (name, outcome) =>
      receiver.setResponse(`/contract/${name}`, {
        status: outcome.kind === 'accepted' ? 201 : outcome.kind === 'gone' ? 410 : Number(outcome.reason),
        headers: outcome.kind === 'unavailable' && outcome.retryAfter !== undefined ? { 'retry-after': String(outcome.retryAfter) } : {},
      }),
    read: async (name, keys) =>
      receiver.received
        .filter(({ path }) => path === `/contract/${name}`)
        .map(({ body }) => JSON.parse((keys ? decrypted(body, keys) : body).toString()) as unknown),
  })));

describe('an encrypted push', () => {
  const keys = newKeys();

  // @requirement 8620 §7.2 push-encrypted
  // @pitfall push encryption
  test('can be decrypted with the keys of the client, and with no others', async () => {
    expect(await service().push('/encrypted', 'push.example.net', publicKeys(keys))).toEqual({ kind: 'accepted' });
    const [push] = await receiver.pushes('/encrypted');
    expect(push!.headers).toMatchObject({ 'content-encoding': 'aes128gcm', 'content-type': 'application/json', ttl: '3600', urgency: 'normal' });
    expect(JSON.parse(decrypted(push!.body, keys).toString())).toEqual(message);
    expect(push!.body.toString('latin1')).not.toContain('StateChange');
    expect(() => decrypted(push!.body, newKeys())).toThrow();
    expect(() => decrypted(push!.body, { ...keys, auth: newKeys().auth })).toThrow();
  });

  test('of the largest size is one record of 4096 octets', async () => {
    const content = 'x'.repeat(maxSizePush - 2);
    await service().push('/large', 'push.example.net', publicKeys(keys), content);
    const [push] = await receiver.pushes('/large');
    expect(push!.body.length).toBe(4096);
    expect(JSON.parse(decrypted(push!.body, keys).toString())).toBe(content);
  });

  test('has a new key and salt each time', async () => {
    const { push } = service();
    await push('/fresh', 'push.example.net', publicKeys(keys));
    await push('/fresh', 'push.example.net', publicKeys(keys));
    const [one, other] = await receiver.pushes('/fresh', 2);
    expect(one!.body.subarray(0, 16)).not.toEqual(other!.body.subarray(0, 16));
    expect(one!.body.subarray(21, 86)).not.toEqual(other!.body.subarray(21, 86));
  });
});

describe('the vector of RFC 8291 §5 and Appendix A', () => {
  const vector = {
    plain: 'When I grow up, I want to be a watermelon',
    receiverPrivate: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
    receiverPublic: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    senderPrivate: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
    salt: 'DGv6ra1nlYgDCS1FRnbzlw',
    message:
      'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  };
  const curveOf = (privateKey: string) => {
    const curve = createECDH('prime256v1');
    curve.setPrivateKey(Buffer.from(privateKey, 'base64url'));
    return curve;
  };

  test('is decrypted by the receiver of these tests', () => {
    const keys = { curve: curveOf(vector.receiverPrivate), auth: Buffer.from(vector.auth, 'base64url') };
    expect(keys.curve.getPublicKey('base64url')).toBe(vector.receiverPublic);
    expect(decrypted(Buffer.from(vector.message, 'base64url'), keys).toString()).toBe(vector.plain);
  });

  test('is encrypted by the library', () => {
    const written = encrypt(Buffer.from(vector.plain), {
      version: 'aes128gcm',
      dh: vector.receiverPublic,
      authSecret: vector.auth,
      privateKey: curveOf(vector.senderPrivate),
      salt: vector.salt,
    });
    expect(written.toString('base64url')).toBe(vector.message);
  });
});

describe('a push to a subscription without keys', () => {
  test('is plain JSON', async () => {
    expect(await service().push('/plain')).toEqual({ kind: 'accepted' });
    const [push] = await receiver.pushes('/plain');
    expect(push!.headers).toMatchObject({ 'content-type': 'application/json', ttl: '3600' });
    expect(push!.headers).not.toHaveProperty('content-encoding');
    expect(JSON.parse(push!.body.toString())).toEqual(message);
  });
});

test('a push has a VAPID token with key, audience and contact, valid for less than a day', async () => {
  await service().push('/vapid');
  const [push] = await receiver.pushes('/vapid');
  const { exp, ...claims } = claimsOf(push!.headers.authorization);
  expect(claims).toEqual({ publicKey: vapid.publicKey, aud: `https://push.example.net:${receiver.port}`, sub: 'mailto:postmaster@example.test' });
  expect(exp - clock().getTime() / 1000).toBeGreaterThan(3600);
  expect(exp - clock().getTime() / 1000).toBeLessThanOrEqual(86_400);
});

describe('the response of a push service', () => {
  test.each<[number, Record<string, string>, PushOutcome]>([
    [200, {}, { kind: 'accepted' }],
    [202, {}, { kind: 'accepted' }],
    [404, {}, { kind: 'gone' }],
    [410, {}, { kind: 'gone' }],
    [400, {}, { kind: 'rejected', reason: 400 }],
    [403, {}, { kind: 'rejected', reason: 403 }],
    [413, {}, { kind: 'rejected', reason: 413 }],
    [429, {}, { kind: 'unavailable', reason: 429 }],
    [429, { 'retry-after': '120' }, { kind: 'unavailable', reason: 429, retryAfter: 120 }],
    [503, { 'retry-after': 'Sat, 21 Nov 2026 08:05:00 GMT' }, { kind: 'unavailable', reason: 503, retryAfter: 300 }],
    [503, { 'retry-after': 'Sat, 21 Nov 2026 07:00:00 GMT' }, { kind: 'unavailable', reason: 503, retryAfter: 0 }],
    [503, { 'retry-after': '999999999' }, { kind: 'unavailable', reason: 503, retryAfter: 86_400 }],
    [503, { 'retry-after': 'soon' }, { kind: 'unavailable', reason: 503 }],
    [500, {}, { kind: 'unavailable', reason: 500 }],
  ])('%i %j becomes %j', async (status, headers, outcome) => {
    receiver.setResponse('/answers', { status, headers });
    expect(await service().push('/answers')).toEqual(outcome);
  });

  test('that redirects is a rejection, and the redirect is not followed', async () => {
    for (const location of ['http://169.254.169.254/latest/meta-data/', `https://push.example.net:${receiver.port}/elsewhere`]) {
      receiver.setResponse('/redirect', { status: 307, headers: { location } });
      expect(await service().push('/redirect')).toEqual({ kind: 'rejected', reason: 307 });
    }
    expect(receiver.received.filter(({ path }) => path === '/elsewhere')).toEqual([]);
  });

  test('that never arrives ends in unavailable after the timeout', async () => {
    receiver.setResponse('/slow', 'never');
    const patient = service({ timeout: 600_000 }).push('/slow');
    const outcome = await Promise.race([service({ timeout: 200 }).push('/slow'), patient.then(() => 'waited for too long')]);
    expect(outcome).toMatchObject({ kind: 'unavailable' });
  });

  test('counts as complete without its body', async () => {
    receiver.setResponse('/endless', { status: 201, headers: { 'content-length': '1000000000' }, body: 'x' });
    expect(await service({ timeout: 1000 }).push('/endless')).toEqual({ kind: 'accepted' });
  });
});

describe('protection against requests to internal addresses', () => {
  const arrived = () => receiver.received.length;

  test('resolves a name once and connects to the checked address', async () => {
    let answers = 0;
    const resolveAddresses = async () => (answers++ === 0 ? ['127.0.0.1'] : ['169.254.169.254']);
    const pushService = webPushService(
      { key: async () => vapid, contact: 'mailto:x@example.test' },
      { resolveAddresses, isAllowed: (address) => address === '127.0.0.1', timeout: 60_000 },
      clock,
    );
    expect(await pushService.push({ url: `https://push.example.net:${receiver.port}/rebinding` }, message, options)).toEqual({ kind: 'accepted' });
    expect(answers).toBe(1);
  });

  test.each([
    ['a private address', ['10.0.0.1']],
    ['the loopback address', ['127.0.0.1']],
    ['the metadata service', ['169.254.169.254']],
    ['a public address and a private one', ['192.0.32.7', '10.0.0.1']],
    ['a public IPv4 and a private IPv6 address', ['192.0.32.7', 'fd00:ec2::254']],
    ['an IPv4 address within an IPv6 one', ['::ffff:127.0.0.1']],
  ])('rejects a name that resolves to %s, without a connection', async (_title, addresses) => {
    const before = arrived();
    const { push } = service({ networks: [], names: { 'push.example.net': addresses } });
    expect(await push('/inside')).toMatchObject({ kind: 'rejected' });
    expect(arrived()).toBe(before);
  });

  test('checks an address in the URL too, without a DNS query', async () => {
    const { push, resolved } = service({ networks: [] });
    for (const host of ['127.0.0.1', '2130706433', '0177.0.0.1', '0x7f.1', '[::1]', '[::ffff:7f00:1]']) {
      expect(await push('/literal', host)).toMatchObject({ kind: 'rejected' });
    }
    expect(resolved).toEqual([]);
    expect(await service().push('/literal', '127.0.0.1')).toEqual({ kind: 'accepted' });
  });

  test('rejects http', async () => {
    const pushService = webPushService(
      { key: async () => vapid, contact: 'mailto:x@example.test' },
      { resolveAddresses: async () => ['127.0.0.1'], isAllowed: () => true, timeout: 500 },
      clock,
    );
    expect(await pushService.push({ url: `http://push.example.net:${receiver.port}/` }, message, options)).toMatchObject({ kind: 'rejected' });
  });

  test('does not accept a certificate of another name', async () => {
    const { push } = service({ names: { 'other.example.net': ['127.0.0.1'] } });
    expect(await push('/other-name', 'other.example.net')).toEqual({ kind: 'unavailable', reason: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    expect(receiver.received.filter(({ path }) => path === '/other-name')).toEqual([]);
  });

  test('reports unavailable for a name without addresses, and when DNS fails', async () => {
    expect(await service({ names: {} }).push('/nowhere')).toMatchObject({ kind: 'unavailable' });
    expect(await service({ names: { 'push.example.net': Object.assign(new Error('no'), { code: 'ETIMEOUT' }) } }).push('/nowhere')).toEqual({
      kind: 'unavailable',
      reason: 'ETIMEOUT',
    });
  });
});

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose';
import { accessTokenVerifier, rememberingVerifier, type AccessToken } from '../../../../core/runtime/http/access-token.ts';
import { adminApi } from '../../../support/admin-api.ts';

const pool = 'us-east-1_TestPool1';
const issuer = `https://cognito-idp.us-east-1.amazonaws.com/${pool}`;

let server: Server;
let base: string;
let keys: Awaited<ReturnType<typeof generateKeyPair>>;
let otherKeys: Awaited<ReturnType<typeof generateKeyPair>>;

beforeAll(async () => {
  [keys, otherKeys] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
  server = createServer((request, answer) => {
    answer.statusCode = request.url === `/${pool}/.well-known/jwks.json` ? 200 : 404;
    answer.end(JSON.stringify({ keys: [jwk] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const sign = (claims: JWTPayload, { key = keys.privateKey, kid = 'k1', expires = '1h' } = {}) =>
  new SignJWT({ token_use: 'access', client_id: 'console', username: 'sub-1', sub: 'sub-1', user_id: 'user_admin', scope: 'openid adminApi/ADMIN', ...claims })
    .setProtectedHeader({ alg: 'RS256', kid })
    .setIssuer(claims.iss ?? issuer)
    .setIssuedAt()
    .setExpirationTime(expires)
    .sign(key);

/** A token that the pool signed, without an expiry or with another value in its place. */
const signWithExpiry = (exp: unknown) =>
  new SignJWT({
    token_use: 'access',
    client_id: 'console',
    username: 'sub-1',
    sub: 'sub-1',
    user_id: 'user_admin',
    scope: 'adminApi/ADMIN',
    ...(exp !== undefined && { exp: exp as number }),
  })
    .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
    .setIssuer(issuer)
    .setIssuedAt()
    .sign(keys.privateKey);

const admin = async (token: string) => (await (await adminApi({ verifyToken: accessTokenVerifier(pool, base) })).call('/users/ListUsers', {}, token)).status;

test('accepts an admin’s token that the pool signed', async () => {
  expect(await admin(await sign({}))).toBe(200);
});

test.each([[undefined], [null], ['never']])('refuses a token that the pool signed with the expiry %j', async (exp) => {
  expect(await accessTokenVerifier(pool, base)(await signWithExpiry(exp))).toBeUndefined();
});

test('accepts a machine with the scope, and identifies it by its client id', async () => {
  const machine = { username: undefined, user_id: undefined, client_id: 'adminheadless', sub: 'adminheadless' };
  expect(await admin(await sign(machine))).toBe(200);
  expect(await admin(await sign({ ...machine, scope: 'jmapApi/MAIL_READ' }))).toBe(403);
  expect(await accessTokenVerifier(pool, base)(await sign(machine))).toMatchObject({ principalId: 'adminheadless', isMachine: true });
});

test('identifies a machine as one, also when its token has a user id', async () => {
  const token = await sign({ username: undefined, client_id: 'jmapheadless', sub: 'jmapheadless', user_id: 'user_admin', scope: 'jmapApi/MAIL_READ' });
  expect(await accessTokenVerifier(pool, base)(token)).toMatchObject({ principalId: 'jmapheadless', isMachine: true });
});

test.each(['sub-1', undefined])('refuses a token that is about nobody: no username, and the subject %j instead of the client', async (sub) => {
  const token = await sign({ username: undefined, user_id: undefined, client_id: 'adminheadless', sub });
  expect(await accessTokenVerifier(pool, base)(token)).toBeUndefined();
});

test('takes the time of the sign-in from auth_time, which refreshed tokens keep, or from iat when auth_time is absent or later', async () => {
  const now = Math.floor(Date.now() / 1000);
  const authenticatedAt = async (claims: JWTPayload) => (await accessTokenVerifier(pool, base)(await sign(claims)))?.authenticatedAt;
  expect(await authenticatedAt({ auth_time: now - 86_400 })).toBe(now - 86_400);
  expect(await authenticatedAt({})).toBeGreaterThanOrEqual(now);
  expect(await authenticatedAt({ auth_time: now + 86_400 })).toBeLessThan(now + 60);
});

test('refuses a person whose token has no user id, or lacks the scope', async () => {
  expect(await admin(await sign({ user_id: undefined }))).toBe(403);
  expect(await admin(await sign({ scope: 'openid' }))).toBe(403);
  expect(await admin(await sign({ scope: undefined }))).toBe(403);
});

test('refuses a token that is expired, of another pool or key, not an access token, or changed', async () => {
  const good = await sign({});
  const [head, payload, signature] = good.split('.') as [string, string, string];
  const changed = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(payload, 'base64url').toString()), user_id: 'user_person' })).toString('base64url');
  const none = `${Buffer.from('{"alg":"none","kid":"k1"}').toString('base64url')}.${payload}.`;
  for (const token of [
    await sign({}, { expires: '-1s' }),
    await sign({ iss: `${issuer}x` }),
    await sign({}, { key: otherKeys.privateKey }),
    await sign({}, { kid: 'k2' }),
    await sign({ token_use: 'id', aud: 'console' }),
    `${head}.${changed}.${signature}`,
    none,
    good.slice(0, -2),
    'garbage',
  ])
    expect(await admin(token)).toBe(401);
});

test('throws instead of refusing a token while the keys cannot be fetched', async () => {
  const gone = createServer();
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
  const { port } = gone.address() as AddressInfo;
  await new Promise((resolve) => gone.close(resolve));
  const api = await adminApi({ verifyToken: accessTokenVerifier(pool, `http://127.0.0.1:${port}`) });
  expect(await api.call('/users/ListUsers', {}, await sign({}))).toMatchObject({ status: 503, body: { code: 'unavailable' } });
});

describe('a verifier that remembers', () => {
  const start = Date.UTC(2026, 10, 22, 8, 38);
  const tokenOf = (principalId: string): AccessToken => ({
    principalId,
    isMachine: false,
    clientId: 'client',
    scopes: new Set(),
    authenticatedAt: start / 1000,
    expiresAt: start / 1000 + 60,
  });
  const remembering = () => {
    const verified: string[] = [];
    let now = start;
    const verify = rememberingVerifier(
      async (token) => {
        verified.push(token);
        if (token === 'unavailable') throw new Error('the keys cannot be fetched');
        return token.startsWith('good') && now < start + 60_000 ? tokenOf(token) : undefined;
      },
      () => new Date(now),
    );
    return {
      verify,
      verified,
      pass: (milliseconds: number) => {
        now += milliseconds;
      },
    };
  };

  test('checks the signature of a token once, until the token expires', async () => {
    const { verify, verified, pass } = remembering();
    for (let i = 0; i < 3; i++) expect((await verify('good'))?.principalId).toBe('good');
    expect(verified).toEqual(['good']);
    pass(59_999);
    expect(await verify('good')).toBeDefined();
    pass(1);
    expect(await verify('good')).toBeUndefined();
    expect(verified).toEqual(['good', 'good']);
  });

  test('distinguishes tokens, and remembers neither a refused one nor a failure', async () => {
    const { verify, verified } = remembering();
    expect([(await verify('good 1'))?.principalId, (await verify('good 2'))?.principalId]).toEqual(['good 1', 'good 2']);
    for (let i = 0; i < 2; i++) expect(await verify('bad')).toBeUndefined();
    for (let i = 0; i < 2; i++) await expect(verify('unavailable')).rejects.toThrow('the keys');
    expect(verified).toEqual(['good 1', 'good 2', 'bad', 'bad', 'unavailable', 'unavailable']);
  });

  test('drops the least recently used of more than 1000 tokens', async () => {
    const { verify, verified } = remembering();
    for (let i = 0; i < 1000; i++) await verify(`good ${i}`);
    await verify('good 0');
    await verify('good 1000');
    verified.length = 0;
    await verify('good 0');
    await verify('good 1');
    expect(verified).toEqual(['good 1']);
  });
});

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { discoveryHandler } from '../../../lambdas/discovery/discovery-handler.ts';
import { providerMetadataReader } from '../../../lambdas/discovery/provider-metadata.ts';
import type { HttpRequest } from '../../../core/runtime/http.ts';
import type { Log } from '../../../core/runtime/log.ts';

/** What the pool says of itself. */
const pool = {
  issuer: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_abc',
  authorization_endpoint: 'https://auth.example.test/oauth2/authorize',
  token_endpoint: 'https://auth.example.test/oauth2/token',
  jwks_uri: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_abc/.well-known/jwks.json',
  scopes_supported: ['openid', 'email', 'phone', 'profile'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
};
const { token_endpoint_auth_methods_supported: _extended, ...unchanged } = pool;
const jmapUrl = 'https://jmap.example.test';

describe('discovery', () => {
  let server: Server;
  let answered: { status: number; body: string };
  let asked: number;
  let now: number;
  beforeEach(async () => {
    answered = { status: 200, body: JSON.stringify(pool) };
    asked = 0;
    now = Date.UTC(2026, 10, 21);
    server = createServer((_request, response) => {
      asked += 1;
      response.writeHead(answered.status, { 'content-type': 'application/json' }).end(answered.body);
    });
    await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  });
  afterEach(() => new Promise((resolve) => { server.close(resolve); }));

  const answerer = (dynamicRegistration = false) => discoveryHandler({
    deployment: { jmapUrl, authUrl: 'https://auth.example.test', dynamicRegistration },
    readProviderMetadata: providerMetadataReader(`http://127.0.0.1:${(server.address() as AddressInfo).port}/us-east-1_abc/.well-known/openid-configuration`, () => new Date(now)),
    log: { error() {} } as unknown as Log,
  });
  const ask = (answer: ReturnType<typeof answerer>, rawPath: string, method: string, headers: Record<string, string> = {}) =>
    answer({ rawPath, headers, requestContext: { http: { method } } } as unknown as HttpRequest);
  const get = async (answer: ReturnType<typeof answerer>, rawPath: string, method = 'GET') => {
    const response = await ask(answer, rawPath, method);
    return { ...response, json: JSON.parse(response.body!) as Record<string, unknown> };
  };
  const paths = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource'];
  const openid = '/.well-known/openid-configuration';

  test('openid-configuration is the identity provider’s own, its issuer too', async () => {
    const { statusCode, headers, json } = await get(answerer(), openid);
    expect([statusCode, headers?.['content-type']]).toEqual([200, 'application/json']);
    expect(json).toMatchObject(unchanged);
    expect(json['code_challenge_methods_supported']).toEqual(['S256']);
  });

  test('registration_endpoint is there when registration is on, and only then', async () => {
    expect((await get(answerer(), openid)).json).not.toHaveProperty('registration_endpoint');
    expect((await get(answerer(true), openid)).json['registration_endpoint']).toBe(`${jmapUrl}/oauth/register`);
  });

  test('endpoints that the pool does not tell are those of its hosted sign-in', async () => {
    answered.body = JSON.stringify({ issuer: pool.issuer, jwks_uri: pool.jwks_uri });
    expect((await get(answerer(), openid)).json).toMatchObject({ issuer: pool.issuer, token_endpoint: 'https://auth.example.test/oauth2/token', revocation_endpoint: 'https://auth.example.test/oauth2/revoke' });
  });

  test('oauth-authorization-server says the same under our own issuer', async () => {
    const answer = answerer(true);
    const { json } = await get(answer, '/.well-known/oauth-authorization-server');
    expect(json).toEqual({ ...(await get(answer, openid)).json, issuer: jmapUrl });
  });

  test('oauth-protected-resource tells who guards it and which scopes it expects, without asking the provider', async () => {
    expect((await get(answerer(), '/.well-known/oauth-protected-resource')).json).toEqual({
      resource: jmapUrl, authorization_servers: [jmapUrl], scopes_supported: ['jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE', 'jmapApi/MAIL_SEND'],
      bearer_methods_supported: ['header'], resource_name: expect.any(String) as string,
    });
    expect(asked).toBe(0);
  });

  test('a public client may use the token endpoint without a secret, and PKCE', async () => {
    const { json } = await get(answerer(), openid);
    expect(json).toMatchObject({ token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'], grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'] });
    answered.body = JSON.stringify({ issuer: pool.issuer });
    expect((await get(answerer(), openid)).json['token_endpoint_auth_methods_supported']).toEqual(['client_secret_basic', 'none']);
  });

  test('tells where tokens are revoked and where people sign out: the pool’s own places, else those of its hosted sign-in', async () => {
    expect((await get(answerer(), openid)).json).toMatchObject({ revocation_endpoint: 'https://auth.example.test/oauth2/revoke', end_session_endpoint: 'https://auth.example.test/logout' });
    answered.body = JSON.stringify({ ...pool, revocation_endpoint: 'https://pool.test/revoke', end_session_endpoint: 'https://pool.test/end' });
    expect((await get(answerer(), openid)).json).toMatchObject({ revocation_endpoint: 'https://pool.test/revoke', end_session_endpoint: 'https://pool.test/end' });
  });

  test('does not claim to name the issuer in authorization responses, which the pool does not do (RFC 9207)', async () => {
    expect((await get(answerer(), openid)).json).not.toHaveProperty('authorization_response_iss_parameter_supported');
  });

  describe.each(paths)('%s', (path) => {
    test('may be kept by caches, which ask by its tag whether it still holds', async () => {
      const { headers } = await get(answerer(), path);
      const etag = String(headers?.['etag']);
      expect(headers?.['cache-control']).toMatch(/^public, max-age=\d+$/);
      expect(etag).toMatch(/^"[\w-]{27}"$/);
      for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const kept = await ask(answerer(), path, 'GET', { 'if-none-match': tag });
        expect(kept).toEqual({ statusCode: 304, headers: { 'cache-control': headers?.['cache-control'], etag } });
      }
      expect((await ask(answerer(), path, 'GET', { 'if-none-match': '"other"' })).statusCode).toBe(200);
    });

    test('has another tag when it says something else', async () => {
      const before = (await get(answerer(), path)).headers?.['etag'];
      answered.body = JSON.stringify({ ...pool, jwks_uri: 'https://other.test' });
      const after = (await get(answerer(), path)).headers?.['etag'];
      expect(after === before).toBe(path.endsWith('resource'));
    });

    test('HEAD answers as GET does, without the body', async () => {
      const { statusCode, headers } = await get(answerer(), path);
      expect(await ask(answerer(), path, 'HEAD')).toEqual({ statusCode, headers });
    });

    test('OPTIONS tells the verbs there are', async () => {
      expect(await ask(answerer(), path, 'OPTIONS')).toEqual({ statusCode: 204, headers: { allow: 'GET, HEAD, OPTIONS' } });
    });
  });

  test.each([
    '/.well-known/nope', '/.well-known/', '/.well-known/openid-configuration/x', '/nope', '/', '/.well-known/constructor', '/.well-known/oauth-protected-resource/jmap', '/.well-known/oauth-authorization-server/', '/.well-known/OPENID-CONFIGURATION',
  ])('%s is 404 in JSON', async (path) => {
    expect(await get(answerer(), path)).toMatchObject({ statusCode: 404, json: { status: 404 } });
  });

  test.each(['POST', 'PUT', 'DELETE'])('%s is 405 that names the verbs there are', async (verb) => {
    const { statusCode, headers } = await get(answerer(), openid, verb);
    expect([statusCode, headers?.['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  test('the provider is asked once an hour', async () => {
    const answer = answerer();
    await get(answer, openid);
    now += 59 * 60_000;
    await get(answer, openid);
    expect(asked).toBe(1);
    now += 2 * 60_000;
    await get(answer, openid);
    expect(asked).toBe(2);
  });

  test('a provider that fails is answered for with what it said before', async () => {
    const answer = answerer();
    await get(answer, openid);
    answered.status = 500;
    now += 61 * 60_000;
    expect(await get(answer, openid)).toMatchObject({ statusCode: 200, json: unchanged });
    await get(answer, openid);
    expect(asked).toBe(2);
  });

  test.each([['an error', { status: 503, body: '{}' }], ['no JSON', { status: 200, body: '<html>' }], ['a list', { status: 200, body: '[]' }]])('a provider that answers %s from the start is 503, and asked again next time', async (_what, failing) => {
    const answer = answerer();
    answered = failing;
    const { statusCode, headers } = await get(answer, openid);
    expect([statusCode, headers?.['retry-after'], headers?.['cache-control']]).toEqual([503, '30', 'no-store']);
    answered = { status: 200, body: JSON.stringify(pool) };
    expect((await get(answer, openid)).statusCode).toBe(200);
  });
});

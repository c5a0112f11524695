import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpRequest } from '../../../core/runtime/http/http.ts';
import type { Log } from '../../../core/runtime/log.ts';
import { providerMetadataReader } from '../../../lambdas/discovery/discovery-documents.ts';
import { discoveryHandler } from '../../../lambdas/discovery/discovery-handler.ts';

/** The metadata of the user pool. */
const pool = {
  issuer: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_abc',
  authorization_endpoint: 'https://auth.example.test/oauth2/authorize',
  token_endpoint: 'https://auth.example.test/oauth2/token',
  jwks_uri: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_abc/.well-known/jwks.json',
  scopes_supported: ['openid', 'email', 'phone', 'profile'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
};
const { token_endpoint_auth_methods_supported: _extended, scopes_supported: _own, authorization_endpoint: _ours, ...unchanged } = pool;
const jmapUrl = 'https://jmap.example.test';

describe('a discovery document', () => {
  let server: Server;
  let providerResponse: { status: number; body: string };
  let providerRequests: number;
  let now: number;
  beforeEach(async () => {
    providerResponse = { status: 200, body: JSON.stringify(pool) };
    providerRequests = 0;
    now = Date.UTC(2026, 10, 21);
    server = createServer((_request, response) => {
      providerRequests += 1;
      response.writeHead(providerResponse.status, { 'content-type': 'application/json' }).end(providerResponse.body);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
  });
  afterEach(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
      }),
  );

  const answerer = (dynamicRegistration = false) =>
    discoveryHandler({
      deployment: {
        jmapUrl,
        authorizationUrl: 'https://authorization.example.test',
        authUrl: 'https://auth.example.test',
        cliClientId: 'cli',
        dynamicRegistration,
      },
      authorizationApiId: 'authorization',
      readProviderMetadata: providerMetadataReader(
        `http://127.0.0.1:${(server.address() as AddressInfo).port}/us-east-1_abc/.well-known/openid-configuration`,
        () => new Date(now),
      ),
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

  test('openid-configuration has the identity provider’s own values, its issuer included', async () => {
    const { statusCode, headers, json } = await get(answerer(), openid);
    expect([statusCode, headers?.['content-type']]).toEqual([200, 'application/json']);
    expect(json).toMatchObject(unchanged);
    expect(json['code_challenge_methods_supported']).toEqual(['S256']);
  });

  test('both documents name our authorization endpoint, for OpenID Connect and without it, and the scopes that it translates', async () => {
    const scopes = ['urn:ietf:params:oauth:scope:mail', 'offline_access', 'jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE', 'jmapApi/MAIL_SEND'];
    expect((await get(answerer(), openid)).json).toMatchObject({
      authorization_endpoint: `https://authorization.example.test/oauth/authorize/openid`,
      scopes_supported: ['openid', 'email', 'profile', ...scopes],
    });
    expect((await get(answerer(), '/.well-known/oauth-authorization-server')).json).toMatchObject({
      authorization_endpoint: `https://authorization.example.test/oauth/authorize`,
      scopes_supported: scopes,
    });
  });

  test('openid-configuration has registration_endpoint only while registration is on', async () => {
    expect((await get(answerer(), openid)).json).not.toHaveProperty('registration_endpoint');
    expect((await get(answerer(true), openid)).json['registration_endpoint']).toBe(`${jmapUrl}/oauth/register`);
  });

  test('openid-configuration has endpoints that the pool does not publish', async () => {
    providerResponse.body = JSON.stringify({ issuer: pool.issuer, jwks_uri: pool.jwks_uri });
    expect((await get(answerer(), openid)).json).toMatchObject({
      issuer: pool.issuer,
      token_endpoint: 'https://auth.example.test/oauth2/token',
      revocation_endpoint: 'https://auth.example.test/oauth2/revoke',
    });
  });

  test('oauth-authorization-server is openid-configuration with our own issuer, without OpenID Connect', async () => {
    const answer = answerer(true);
    const { json } = await get(answer, '/.well-known/oauth-authorization-server');
    const { userinfo_endpoint: _endpoint, ...shared } = (await get(answer, openid)).json;
    const { authorization_endpoint: endpoint, scopes_supported: scopes } = json;
    expect(json).toEqual({ ...shared, issuer: jmapUrl, authorization_endpoint: endpoint, scopes_supported: scopes });
  });

  test('oauth-protected-resource names the authorization server and the scopes, without a request to the provider', async () => {
    expect((await get(answerer(), '/.well-known/oauth-protected-resource')).json).toEqual({
      resource: jmapUrl,
      authorization_servers: [jmapUrl],
      scopes_supported: ['jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE', 'jmapApi/MAIL_SEND'],
      bearer_methods_supported: ['header'],
      resource_name: expect.any(String) as string,
    });
    expect(providerRequests).toBe(0);
  });

  test('openid-configuration permits public clients at the token endpoint', async () => {
    const { json } = await get(answerer(), openid);
    expect(json).toMatchObject({
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    });
    providerResponse.body = JSON.stringify({ issuer: pool.issuer });
    expect((await get(answerer(), openid)).json['token_endpoint_auth_methods_supported']).toEqual(['client_secret_basic', 'none']);
  });

  test('openid-configuration has the pool’s endpoints for revocation and sign-out, else those of its hosted sign-in', async () => {
    expect((await get(answerer(), openid)).json).toMatchObject({
      revocation_endpoint: 'https://auth.example.test/oauth2/revoke',
      end_session_endpoint: 'https://auth.example.test/logout',
    });
    providerResponse.body = JSON.stringify({ ...pool, revocation_endpoint: 'https://pool.test/revoke', end_session_endpoint: 'https://pool.test/end' });
    expect((await get(answerer(), openid)).json).toMatchObject({
      revocation_endpoint: 'https://pool.test/revoke',
      end_session_endpoint: 'https://pool.test/end',
    });
  });

  test('openid-configuration does not claim that authorization responses have an issuer (RFC 9207)', async () => {
    expect((await get(answerer(), openid)).json).not.toHaveProperty('authorization_response_iss_parameter_supported');
  });

  describe.each(paths)('%s', (path) => {
    test('is cacheable, and 304 for a matching If-None-Match', async () => {
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

    test('has another ETag when its content changes', async () => {
      const before = (await get(answerer(), path)).headers?.['etag'];
      providerResponse.body = JSON.stringify({ ...pool, jwks_uri: 'https://other.test' });
      const after = (await get(answerer(), path)).headers?.['etag'];
      expect(after === before).toBe(path.endsWith('resource'));
    });

    test('responds to HEAD as to GET, without the body', async () => {
      const { statusCode, headers } = await get(answerer(), path);
      expect(await ask(answerer(), path, 'HEAD')).toEqual({ statusCode, headers });
    });

    test('responds to OPTIONS with the allowed methods', async () => {
      expect(await ask(answerer(), path, 'OPTIONS')).toEqual({ statusCode: 204, headers: { allow: 'GET, HEAD, OPTIONS' } });
    });
  });

  test.each([
    '/.well-known/nope',
    '/.well-known/',
    '/.well-known/openid-configuration/x',
    '/nope',
    '/',
    '/.well-known/constructor',
    '/.well-known/oauth-protected-resource/',
    '/.well-known/oauth-authorization-server/',
    '/.well-known/OPENID-CONFIGURATION',
  ])('at the unknown path %s is 404 in JSON', async (path) => {
    expect(await get(answerer(), path)).toMatchObject({ statusCode: 404, json: { status: 404 } });
  });

  test.each(['POST', 'PUT', 'DELETE'])('answers %s with 405 and the allowed methods', async (verb) => {
    const { statusCode, headers } = await get(answerer(), openid, verb);
    expect([statusCode, headers?.['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  test('is based on provider metadata that are read once an hour', async () => {
    const answer = answerer();
    await get(answer, openid);
    now += 59 * 60_000;
    await get(answer, openid);
    expect(providerRequests).toBe(1);
    now += 2 * 60_000;
    await get(answer, openid);
    expect(providerRequests).toBe(2);
  });

  test('is based on cached provider metadata while the provider fails', async () => {
    const answer = answerer();
    await get(answer, openid);
    providerResponse.status = 500;
    now += 61 * 60_000;
    expect(await get(answer, openid)).toMatchObject({ statusCode: 200, json: unchanged });
    await get(answer, openid);
    expect(providerRequests).toBe(2);
  });

  test.each([
    ['an error', { status: 503, body: '{}' }],
    ['no JSON', { status: 200, body: '<html>' }],
    ['a list', { status: 200, body: '[]' }],
  ])('is 503 while the provider answers with %s from the start, and is read again next time', async (_what, failing) => {
    const answer = answerer();
    providerResponse = failing;
    const { statusCode, headers } = await get(answer, openid);
    expect([statusCode, headers?.['retry-after'], headers?.['cache-control']]).toEqual([503, '30', 'no-store']);
    providerResponse = { status: 200, body: JSON.stringify(pool) };
    expect((await get(answer, openid)).statusCode).toBe(200);
  });
});

import { deployed } from './deployment.ts';
import { httpRequest } from './http-requests.ts';
import { discover } from './oauth-client.ts';
import { observe } from './observation.ts';

const wellKnown = (name: string) => httpRequest(`${deployed.jmapUrl}/.well-known/${name}`);

test('a client finds the sign-in from a 401 or from the well-known URL, whatever becomes of WWW-Authenticate', async () => {
  const names = ['www-authenticate', 'x-amzn-remapped-www-authenticate'];
  for (const [api, url, init] of [
    ['JMAP API', `${deployed.jmapUrl}/.well-known/jmap`, {}],
    ['upload API', `${deployed.outputs['uploadUrl']}/acc_x`, { method: 'POST', body: 'x' }],
  ] as const) {
    const answer = await httpRequest(url, init);
    expect(answer.status).toBe(401);
    observe(`${api}: ${names.find((name) => answer.headers.has(name)) ?? 'no challenge'}`);
  }
  expect((await discover(deployed.jmapUrl)).token_endpoint).toBe(`${deployed.authUrl}/oauth2/token`);
});

describe('discovery documents', () => {
  test('openid-configuration names the sign-in endpoints, without a token', async () => {
    const answer = await wellKnown('openid-configuration');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.json).toMatchObject({
      issuer: expect.stringContaining(deployed.outputs['userPoolId']!),
      authorization_endpoint: `${deployed.jmapUrl}/oauth/authorize/openid`,
      token_endpoint: `${deployed.authUrl}/oauth2/token`,
      jwks_uri: expect.stringMatching(/\/\.well-known\/jwks\.json$/),
    });
  });

  test('openid-configuration names a key set that exists', async () => {
    const { jwks_uri: keySet } = (await wellKnown('openid-configuration')).json as { jwks_uri: string };
    const answer = await httpRequest(keySet);
    expect(answer).toMatchObject({ status: 200, json: { keys: expect.arrayContaining([expect.objectContaining({ kty: 'RSA', kid: expect.any(String) })]) } });
  });

  test('both documents name the registration endpoint; where registration is off, neither does and it responds with 404', async () => {
    const documents = await Promise.all(['openid-configuration', 'oauth-authorization-server'].map(wellKnown));
    const [openid, server] = documents.map(({ json }) => json as { registration_endpoint?: string });
    expect(server!.registration_endpoint).toBe(openid!.registration_endpoint);
    const answer = await httpRequest(`${deployed.jmapUrl}/oauth/register`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' });
    expect(answer.json).toEqual({ error: 'invalid_client_metadata', error_description: expect.any(String) });
    expect([openid!.registration_endpoint, answer.status]).toEqual(
      openid!.registration_endpoint === undefined ? [undefined, 404] : [`${deployed.jmapUrl}/oauth/register`, 400],
    );
  });

  test('oauth-authorization-server declares public clients, PKCE, revocation and sign-out', async () => {
    expect((await wellKnown('oauth-authorization-server')).json).toMatchObject({
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: expect.arrayContaining(['none']),
      grant_types_supported: expect.arrayContaining(['authorization_code', 'refresh_token']),
      revocation_endpoint: `${deployed.authUrl}/oauth2/revoke`,
      end_session_endpoint: `${deployed.authUrl}/logout`,
    });
  });

  describe.each(['openid-configuration', 'oauth-authorization-server', 'oauth-protected-resource'])('%s', (name) => {
    const url = `${deployed.jmapUrl}/.well-known/${name}`;

    test('can be cached, and responds with 304 to its ETag', async () => {
      const answer = await httpRequest(url);
      expect(answer.headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
      const conditional = await httpRequest(url, { headers: { 'if-none-match': answer.headers.get('etag') ?? '' } });
      expect([conditional.status, conditional.text, conditional.headers.get('etag')]).toEqual([304, '', answer.headers.get('etag')]);
    });

    test('HEAD responds with the same headers and no body', async () => {
      const [head, get] = await Promise.all([httpRequest(url, { method: 'HEAD' }), httpRequest(url)]);
      expect([head.status, head.text]).toEqual([200, '']);
      for (const header of ['content-type', 'cache-control', 'etag']) expect(head.headers.get(header)).toBe(get.headers.get(header));
    });

    test('accepts OPTIONS, and refuses POST, PUT, DELETE and PATCH with 405', async () => {
      const allow = 'GET, HEAD, OPTIONS';
      expect((await httpRequest(url, { method: 'OPTIONS' })).status).toBe(204);
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
        const answer = await httpRequest(url, { method, ...(method !== 'DELETE' && { body: '{}' }) });
        expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, allow]);
      }
    });

    test.each(['GET', 'HEAD', 'OPTIONS'])('%s is allowed from any origin', async (method) => {
      const answer = await httpRequest(url, { method, headers: { origin: 'https://mail.anywhere.example' } });
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    });
  });

  test('oauth-authorization-server has the JMAP URL as its issuer (RFC 9700 §4.4)', async () => {
    expect(await wellKnown('oauth-authorization-server')).toMatchObject({
      status: 200,
      json: { issuer: deployed.jmapUrl, token_endpoint: `${deployed.authUrl}/oauth2/token` },
    });
  });

  test('oauth-protected-resource names the authorization server and the scopes', async () => {
    expect(await wellKnown('oauth-protected-resource')).toMatchObject({
      status: 200,
      json: {
        resource: deployed.jmapUrl,
        authorization_servers: [deployed.jmapUrl],
        bearer_methods_supported: ['header'],
        scopes_supported: expect.arrayContaining(['jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE', 'jmapApi/MAIL_SEND']),
        resource_name: expect.any(String),
      },
    });
  });

  test('oauth-protected-resource is about the URL whose path follows', async () => {
    for (const path of ['/.well-known/jmap', '/jmap', '/eventsource?types=*', '/upload/acc_x', '/download?accountId=acc_x&name=a%20b']) {
      expect(await wellKnown(`oauth-protected-resource${path}`)).toMatchObject({
        status: 200,
        json: { resource: deployed.jmapUrl + path, authorization_servers: [deployed.jmapUrl] },
      });
    }
  });

  test('an unknown path responds with 404 as problem+json, readable from any origin', async () => {
    for (const path of [
      '/.well-known/nothing',
      '/.well-known/',
      '/.well-known/oauth-protected-resource/nothing',
      '/.well-known/openid-configuration/',
      '/nothing',
      '/',
    ]) {
      const answer = await httpRequest(deployed.jmapUrl + path, { headers: { origin: 'https://mail.anywhere.example' } });
      expect([path, answer.status, answer.headers.get('content-type'), answer.headers.get('access-control-allow-origin')]).toEqual([
        path,
        404,
        'application/problem+json',
        '*',
      ]);
      expect(answer.json).toMatchObject({ status: 404 });
    }
  });
});

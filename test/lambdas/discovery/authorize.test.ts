import * as fc from 'fast-check';
import type { HttpRequest } from '../../../core/runtime/http/http.ts';
import { discoveryHandler } from '../../../lambdas/discovery/discovery-handler.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { assertProperty } from '../../support/assert-property.ts';

const authUrl = 'https://auth.example.test';
const handler = discoveryHandler({
  deployment: { jmapUrl: 'https://jmap.example.test', authorizationUrl: 'https://jmap.example.test', authUrl, cliClientId: 'cli', dynamicRegistration: true },
  authorizationApiId: 'authorization',
  readProviderMetadata: () => Promise.reject(new Error('not needed')),
  log: memoryLog(),
});
const ask = (path: string, rawQueryString: string, method = 'GET', apiId = 'authorization') =>
  handler({ rawPath: path, rawQueryString, headers: {}, requestContext: { apiId, http: { method } } } as unknown as HttpRequest);

const [oauth, openid] = ['/oauth/authorize', '/oauth/authorize/openid'];
const client = 'client_id=c1&redirect_uri=com.example%3A%2Fcb';

/** The scopes with which a request is handed on. */
const scopeOf = async (path: string, scope: string): Promise<string | null> => {
  const { statusCode, headers } = await ask(path, `${client}&${new URLSearchParams({ scope }).toString()}`);
  expect(statusCode).toBe(302);
  const url = new URL(String(headers?.['location']));
  expect(url.origin + url.pathname).toBe(`${authUrl}/oauth2/authorize`);
  return url.searchParams.get('scope');
};

const [read, write, send] = ['jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE', 'jmapApi/MAIL_SEND'];
const mail = `${read} ${write} ${send}`;
const profile = 'urn:ietf:params:oauth:scope:mail';

describe('the authorization endpoint', () => {
  // @pitfall client open-profile-scopes
  test.each([
    ['the open profile’s clients', `openid offline_access ${profile}`, mail, `openid ${mail}`],
    ['the open profile with services that are not here', `${profile} urn:ietf:params:oauth:scope:calendars`, mail, mail],
    ['a client that asks for read alone', `offline_access ${read}`, read, read],
    ['a client that copies every scope of the metadata', `${profile} offline_access ${mail}`, mail, mail],
    ['a client of OpenID Connect', 'openid email profile', 'openid email profile', 'openid email profile'],
    ['a client of OpenID Connect that adds offline_access', 'openid profile email offline_access', 'openid profile email', 'openid profile email'],
    ['OpenID Connect and reading', `openid ${read}`, read, `openid ${read}`],
    ['repeated scopes', `${read} ${profile} ${read}`, mail, mail],
    ['an admin scope beside another', `${read} adminApi/ADMIN`, read, read],
    ['an admin scope beside OpenID Connect', 'openid adminApi/ADMIN', 'openid', 'openid'],
  ])('translates the scopes of %s', async (_who, scope, asOAuth, asOpenid) => {
    expect(await scopeOf(oauth, scope)).toBe(asOAuth);
    expect(await scopeOf(openid, scope)).toBe(asOpenid);
  });

  test.each([
    'offline_access',
    'adminApi/ADMIN',
    'phone',
    'aws.cognito.signin.user.admin',
    'urn:ietf:params:oauth:scope:contacts',
    'toString __proto__',
    'JMAPAPI/MAIL_READ',
    '',
  ])('hands a request for %j on as it came, so that an empty scope is never granted everything', async (scope) => {
    for (const path of [oauth, openid]) expect(await scopeOf(path, scope)).toBe(scope);
  });

  test('hands every other parameter on octet for octet, in its place, and never caches', async () => {
    const before = 'response_type=code&client_id=c1&redirect_uri=com.example%3a%2Fcb%3Fx%3d1&state=%2B%20+~%C3%A9';
    const after = 'code_challenge=abc&code_challenge_method=S256&nonce=n&prompt=consent&login_hint=ada%40example.com&ui_locales=de&empty=&flag';
    expect(await ask(oauth, `${before}&scope=offline_access+${read}&${after}`)).toEqual({
      statusCode: 302,
      headers: {
        location: `${authUrl}/oauth2/authorize?${before}&scope=jmapApi%2FMAIL_READ&${after}`,
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      },
    });
    expect((await ask(oauth, client)).headers?.['location']).toBe(`${authUrl}/oauth2/authorize?${client}`);
  });

  test.each([
    ['https', ['https://jmap.example.test'], true],
    ['a private-use scheme', ['example-mail://api'], true],
    ['http of localhost', ['http://localhost:7400'], true],
    ['http of another host', ['http://jmap.example.test'], false],
    ['http of a host that begins like localhost', ['http://localhost.example'], false],
    ['no URL', ['jmapApi'], false],
    ['two resources', ['https://a.example', 'https://b.example'], false],
  ])('hands a resource on only where Cognito takes it: %s', async (_what, resources, isKept) => {
    const query = resources.map((resource) => `resource=${encodeURIComponent(resource)}`).join('&');
    const { headers } = await ask(oauth, `${client}&${query}`);
    expect(headers?.['location']).toBe(`${authUrl}/oauth2/authorize?${client}${isKept ? `&${query}` : ''}`);
  });

  test.each([
    ['a repeated scope', `${client}&scope=openid&scope=phone`, 'the parameter scope more than once'],
    ['a repeated parameter in another encoding', `${client}&%73tate=a&state=b`, 'the parameter state more than once'],
    ['a repeated redirect URI', `${client}&redirect_uri=https%3A%2F%2Fevil.example`, 'the parameter redirect_uri more than once'],
    ['a repeated parameter with markup', `${client}&%3Cb%3E=1&%3Cb%3E=2`, 'It has the parameter more than once'],
    ['no client', 'redirect_uri=com.example%3A%2Fcb', 'It has no client_id'],
    ['an empty redirect URI', 'client_id=c1&redirect_uri=', 'It has no redirect_uri'],
    ['no query', '', 'It has no client_id'],
    ['a line end', `${client}&state=a\r\nset-cookie: b`, 'characters that no URL has'],
    ['10 KB of scopes that are not known', `${client}&scope=${'unknown+'.repeat(1280)}`, 'longer than 8192 characters'],
  ])('shows a page in words for %s, and redirects nowhere', async (_what, query, words) => {
    for (const path of [oauth, openid]) {
      const { statusCode, headers, body } = await ask(path, query);
      expect(statusCode).toBe(400);
      expect(headers).not.toHaveProperty('location');
      expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
      expect(String(headers?.['content-security-policy'])).toMatch(/^default-src 'none';.*frame-ancestors 'none'/);
      expect(body).toContain(words);
      expect(body).not.toMatch(/<b>|evil/);
    }
  });

  test('shows a page for prompt=login, which leads to the sign-out first, because the hosted page would not ask for the password', async () => {
    for (const prompt of ['login', 'login%20consent']) {
      const { statusCode, headers, body } = await ask(oauth, `${client}&prompt=${prompt}&state=%22%3E%3Cb%3E`);
      expect([statusCode, headers?.['content-type'], headers?.['cache-control']]).toEqual([200, 'text/html; charset=utf-8', 'no-store']);
      expect(body).toContain('href="https://jmap.example.test/oauth/sign-out" target="_blank"');
      expect(body).toContain(`href="${authUrl}/oauth2/authorize?${client.replaceAll('&', '&amp;')}&amp;prompt=${prompt}&amp;state=%22%3E%3Cb%3E"`);
    }
    expect(await ask(oauth, `${client}&prompt=select_account`)).toMatchObject({ statusCode: 302 });
  });

  test('signs a browser out at the hosted page, which returns to a page in words', async () => {
    const { statusCode, headers } = await ask('/oauth/sign-out', '', 'GET', 'jmap');
    const url = new URL(String(headers?.['location']));
    expect([statusCode, url.origin + url.pathname]).toEqual([302, `${authUrl}/logout`]);
    expect(Object.fromEntries(url.searchParams)).toEqual({ client_id: 'cli', logout_uri: 'https://jmap.example.test/oauth/signed-out' });
    const done = await ask('/oauth/signed-out', '', 'GET', 'jmap');
    expect(done).toMatchObject({ statusCode: 200, body: expect.stringContaining('You are signed out of this browser') as string });
    expect(await ask('/oauth/sign-out', '')).toMatchObject({ statusCode: 404 });
  });

  test.each([
    ['/', oauth],
    ['', oauth],
    ['/openid', openid],
  ])('takes %j, which is left of %s behind an API mapping', async (rest, path) => {
    expect(await ask(rest, `${client}&scope=openid`)).toEqual(await ask(path, `${client}&scope=openid`));
  });

  test.each(['/jmap', '/.well-known/openid-configuration', '/oauth', '/oauth/authorize/', '/oauth/register', '//evil.example'])(
    'has nothing at %j',
    async (path) => {
      expect(await ask(path, client)).toMatchObject({ statusCode: 404 });
    },
  );

  test.each([oauth, openid, '/', '/openid'])('is not at %s of the API that other origins may call (RFC 9700 §2.6)', async (path) => {
    expect(await ask(path, client, 'GET', 'jmap')).toMatchObject({ statusCode: 404 });
  });

  test('translates 10 KB of scopes that are known', async () => {
    expect(await scopeOf(oauth, `${read} `.repeat(600))).toBe(read);
  });

  test('answers POST with 405, and HEAD as GET', async () => {
    expect(await ask(oauth, client, 'POST')).toMatchObject({ statusCode: 405, headers: { allow: 'GET, HEAD, OPTIONS' } });
    expect(await ask(oauth, client, 'HEAD')).toEqual(await ask(oauth, client));
    expect(await ask(oauth, '', 'HEAD')).not.toHaveProperty('body');
  });

  test('redirects to the hosted page or nowhere, and grants no scope of another API, for any query', async () => {
    const piece = fc.oneof(
      fc.constantFrom('client_id=c', 'redirect_uri=', 'scope=', 'resource=', '&', '=', '?', '#', '%', '%0d%0a', '//evil.example', 'openid', '+', read, profile),
      fc.string(),
    );
    await assertProperty(
      fc.asyncProperty(fc.constantFrom(oauth, openid), fc.array(piece, { maxLength: 12 }), async (path, pieces) => {
        const { statusCode, headers } = await ask(path, pieces.join(''));
        expect([302, 400]).toContain(statusCode);
        const location = String(headers?.['location'] ?? `${authUrl}/oauth2/authorize?`);
        expect(location.startsWith(`${authUrl}/oauth2/authorize?`)).toBe(true);
        expect(location).toMatch(/^[\x21-\x7e]*$/);
        const url = new URL(location);
        expect(url.origin + url.pathname).toBe(`${authUrl}/oauth2/authorize`);
      }),
    );
  });
});

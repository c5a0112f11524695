import type { AccessToken } from '../../../../core/runtime/http/access-token.ts';
import type { HttpRequest } from '../../../../core/runtime/http/http.ts';
import { jmapGate, resourceMetadataUrl } from '../../../../core/runtime/http/jmap-gate.ts';

const reader: AccessToken = {
  principalId: 'user_1',
  isMachine: false,
  clientId: 'c',
  scopes: new Set(['jmapApi/MAIL_READ']),
  authenticatedAt: 0,
  expiresAt: 0,
};
const admin: AccessToken = { ...reader, scopes: new Set(['adminApi/ADMIN']) };
const gate = jmapGate(async (token) => ({ reader, admin })[token], 'https://jmap.example.test');
const asking = (headers: Record<string, string>) => gate({ headers } as unknown as HttpRequest);
const resource = 'resource_metadata="https://jmap.example.test/.well-known/oauth-protected-resource"';

test('names the metadata of the requested URL, without its token, and those of the whole API for any other URL', () => {
  const document = 'https://jmap.example.test/.well-known/oauth-protected-resource';
  const url = (rawPath?: string, rawQueryString?: string) => resourceMetadataUrl('https://jmap.example.test', { rawPath, rawQueryString });
  expect([url('/jmap'), url('/jmap', ''), url('/download', 'a=1&access_token=x&b=%22')]).toEqual([
    `${document}/jmap`,
    `${document}/jmap`,
    `${document}/download?a=1&b=%22`,
  ]);
  expect([url(), url('/other'), url('/jmap', 'a="')]).toEqual([document, document, document]);
});

test('admits a token with jmapApi/MAIL_READ', async () => {
  expect(await asking({ authorization: 'Bearer reader' })).toEqual({ token: reader });
  expect(await asking({ Authorization: 'bearer reader' })).toEqual({ token: reader });
});

test('responds with 401 without a token, with the URL of the resource metadata', async () => {
  const { refusal } = await asking({});
  expect(refusal?.statusCode).toBe(401);
  expect(refusal?.headers).toMatchObject({ 'www-authenticate': `Bearer ${resource}`, 'content-type': 'application/problem+json' });
  expect(JSON.parse(refusal?.body ?? '')).toMatchObject({ type: 'about:blank', status: 401 });
});

test('responds with 401 to an invalid token and to another scheme', async () => {
  const { refusal } = await asking({ authorization: 'Bearer other' });
  expect(refusal?.statusCode).toBe(401);
  expect(refusal?.headers?.['www-authenticate']).toBe(`Bearer ${resource}, error="invalid_token"`);
  expect((await asking({ authorization: 'Basic reader' })).refusal?.statusCode).toBe(401);
});

test('responds with 403 to a token for the other audience, with the missing scope', async () => {
  const { refusal } = await asking({ authorization: 'Bearer admin' });
  expect(refusal?.statusCode).toBe(403);
  expect(refusal?.headers?.['www-authenticate']).toContain('scope="jmapApi/MAIL_READ"');
});

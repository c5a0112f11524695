import type { AccessToken } from '../../../core/runtime/access-token.ts';
import type { HttpRequest } from '../../../core/runtime/http.ts';
import { jmapGate } from '../../../core/runtime/jmap-gate.ts';

const reader: AccessToken = { principalId: 'user_1', isMachine: false, clientId: 'c', scopes: new Set(['jmapApi/MAIL_READ']), expiresAt: 0 };
const admin: AccessToken = { ...reader, scopes: new Set(['adminApi/ADMIN']) };
const gate = jmapGate(async (token) => ({ reader, admin })[token], 'https://jmap.example.test');
const asking = (headers: Record<string, string>) => gate({ headers } as unknown as HttpRequest);
const resource = 'resource_metadata="https://jmap.example.test/.well-known/oauth-protected-resource"';

test('a token with jmapApi/MAIL_READ is let in', async () => {
  expect(await asking({ authorization: 'Bearer reader' })).toEqual({ token: reader });
  expect(await asking({ Authorization: 'bearer reader' })).toEqual({ token: reader });
});

test('no token: 401 that tells where to get one', async () => {
  const { refusal } = await asking({});
  expect(refusal?.statusCode).toBe(401);
  expect(refusal?.headers).toMatchObject({ 'www-authenticate': `Bearer ${resource}`, 'content-type': 'application/problem+json' });
  expect(JSON.parse(refusal?.body ?? '')).toMatchObject({ type: 'about:blank', status: 401 });
});

test('a wrong token, or one in another scheme: 401', async () => {
  const { refusal } = await asking({ authorization: 'Bearer other' });
  expect(refusal?.statusCode).toBe(401);
  expect(refusal?.headers?.['www-authenticate']).toBe(`Bearer ${resource}, error="invalid_token"`);
  expect((await asking({ authorization: 'Basic reader' })).refusal?.statusCode).toBe(401);
});

test('a token for the other audience: 403 with the scope that is missing', async () => {
  const { refusal } = await asking({ authorization: 'Bearer admin' });
  expect(refusal?.statusCode).toBe(403);
  expect(refusal?.headers?.['www-authenticate']).toContain('scope="jmapApi/MAIL_READ"');
});

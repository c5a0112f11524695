import { adminApi, everyMethod, type AdminResponse, type TokenName, type AdminApi } from '../../support/admin-api.ts';

/** A body that cannot be decoded. A response about it proves that the body was read. */
const invalidBody = '{"broken';

let api: AdminApi;
beforeAll(async () => {
  api = await adminApi();
});

const expectError = ({ status, body }: AdminResponse, expected: number, code: string) => {
  expect({ status, code: body.code }).toEqual({ status: expected, code });
  expect(Object.keys(body).sort()).toEqual(['code', 'message']);
  expect(typeof body.message).toBe('string');
};

describe.each(everyMethod)('$path', ({ path, method }) => {
  test.each([undefined, 'garbage', 'a.b.c', ''])('responds 401 to the token %j without reading the body', async (token) => {
    expectError(await api.send(path, invalidBody, { token }), 401, 'unauthenticated');
  });

  const refused: TokenName[] = ['person', 'former-admin', 'inactive-admin', 'deleted-admin', 'unknown-user', 'no-subject', 'mail-machine'];
  const forbidden: readonly TokenName[] = method.needsScope ? [...refused, 'admin-for-mail-only'] : refused;
  test.each(forbidden)('responds 403 to %s without reading the body', async (token) => {
    expectError(await api.send(path, invalidBody, { token }), 403, 'permission_denied');
  });

  const admitted = method.needsScope ? ['admin', 'machine'] : ['admin', 'machine', 'admin-for-mail-only'];
  test.each(admitted)('admits %s, then reads the body', async (token) => {
    expectError(await api.send(path, invalidBody, { token }), 400, 'invalid_argument');
  });

  test.each(['GET', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'])('%s is not_found for an admin, and 401 or 403 for any other caller', async (verb) => {
    expectError(await api.send(path, '{}', { token: 'admin', verb }), 404, 'not_found');
    expectError(await api.send(path, '{}', { token: 'person', verb }), 403, 'permission_denied');
    expectError(await api.send(path, '{}', { verb }), 401, 'unauthenticated');
  });
});

describe('the WWW-Authenticate challenge (RFC 9110 §11.6.1, RFC 6750 §3)', () => {
  const challengeFor = async (token?: string) => (await api.send('/domains/ListDomains', '{}', { token })).headers['www-authenticate'];
  test('of a 401 response shows whether the request had a token', async () => {
    expect(await challengeFor()).toBe('Bearer');
    expect(await challengeFor('garbage')).toBe('Bearer error="invalid_token"');
  });
  test('of a 403 response names the required scope', async () => {
    for (const token of ['mail-machine', 'person', 'inactive-admin']) {
      expect(await challengeFor(token)).toBe('Bearer error="insufficient_scope", scope="adminApi/ADMIN"');
    }
  });
  test('is absent from every other response', async () => {
    expect(await challengeFor('admin')).toBeUndefined();
    expect((await api.send('/domains/GetDomain', '{"id":"dom_none"}', { token: 'admin' })).headers).not.toHaveProperty('www-authenticate');
  });
});

describe('a path that is not a method', () => {
  test.each([
    '/users/Nothing',
    '/users/',
    '/users',
    '/',
    '',
    '/nothing/GetUser',
    '/users/getUser',
    '/users/GetUser/',
    '/users/constructor',
    '/users/__proto__',
    '//users/GetUser',
    '/Users/GetUser',
  ])('%j is not_found for an admin, and 401 or 403 for any other caller', async (path) => {
    expectError(await api.send(path, invalidBody, { token: 'admin' }), 404, 'not_found');
    expectError(await api.send(path, invalidBody, { token: 'person' }), 403, 'permission_denied');
    expectError(await api.send(path, invalidBody, {}), 401, 'unauthenticated');
  });
});

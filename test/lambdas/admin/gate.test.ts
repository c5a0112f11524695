import { adminApi, everyMethod, type Answered, type TokenName } from '../../support/admin-api.ts';

/** Nothing that could be decoded, so that an answer about it would show that it was read. */
const unreadable = '{"broken';

let api: Awaited<ReturnType<typeof adminApi>>;
beforeAll(async () => {
  api = await adminApi();
});

const isError = ({ status, body }: Answered, expected: number, code: string) => {
  expect({ status, code: body.code }).toEqual({ status: expected, code });
  expect(Object.keys(body).sort()).toEqual(['code', 'message']);
  expect(typeof body.message).toBe('string');
};

describe.each(everyMethod)('$path', ({ path, method }) => {
  test.each([undefined, 'garbage', 'a.b.c', ''])('the token %j is 401 before the body is looked at', async (token) => {
    isError(await api.send(path, unreadable, { token }), 401, 'unauthenticated');
  });

  const refused: TokenName[] = ['person', 'person-who-was-an-admin', 'inactive-admin', 'deleted-admin', 'unknown', 'nobody', 'mail-machine'];
  test.each(method.needsScope ? [...refused, 'admin-for-mail-only'] : refused)('%s is 403 before the body is looked at', async (token) => {
    isError(await api.send(path, unreadable, { token }), 403, 'permission_denied');
  });

  test.each(method.needsScope ? ['admin', 'machine'] : ['admin', 'machine', 'admin-for-mail-only'])('%s is let in, and then the body is looked at', async (token) => {
    isError(await api.send(path, unreadable, { token }), 400, 'invalid_argument');
  });

  test.each(['GET', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'])('%s is not_found to an admin, and nothing to anybody else', async (verb) => {
    isError(await api.send(path, '{}', { token: 'admin', verb }), 404, 'not_found');
    isError(await api.send(path, '{}', { token: 'person', verb }), 403, 'permission_denied');
    isError(await api.send(path, '{}', { verb }), 401, 'unauthenticated');
  });
});

describe('the challenge (RFC 9110 §11.6.1, RFC 6750 §3)', () => {
  const challengeTo = async (token?: string) => (await api.send('/domains/ListDomains', '{}', { token })).headers['www-authenticate'];
  test('of a 401 says whether there was a token', async () => {
    expect(await challengeTo()).toBe('Bearer');
    expect(await challengeTo('garbage')).toBe('Bearer error="invalid_token"');
  });
  test('of a 403 says what the token would have to be good for', async () => {
    for (const token of ['mail-machine', 'person', 'inactive-admin']) expect(await challengeTo(token)).toBe('Bearer error="insufficient_scope", scope="adminApi/ADMIN"');
  });
  test('is of nothing else', async () => {
    expect(await challengeTo('admin')).toBeUndefined();
    expect((await api.send('/domains/GetDomain', '{"id":"dom_none"}', { token: 'admin' })).headers).not.toHaveProperty('www-authenticate');
  });
});

describe('what is not a method', () => {
  test.each(['/users/Nothing', '/users/', '/users', '/', '', '/nothing/GetUser', '/users/getUser', '/users/GetUser/', '/users/constructor', '/users/__proto__', '//users/GetUser', '/Users/GetUser'])(
    '%j is not_found to an admin, and nothing to anybody else', async (path) => {
      isError(await api.send(path, unreadable, { token: 'admin' }), 404, 'not_found');
      isError(await api.send(path, unreadable, { token: 'person' }), 403, 'permission_denied');
      isError(await api.send(path, unreadable, {}), 401, 'unauthenticated');
    });
});

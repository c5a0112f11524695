import { AdminApiError, createAdminClient } from '../../contract/client.ts';
import { adminApi } from '../support/admin-api.ts';

/** A client whose requests are passed directly to the handlers. */
const client = async (token: string | (() => Promise<string>) = 'admin') => {
  const api = await adminApi();
  const send: typeof fetch = async (input, init = {}) => {
    const authorization = new Headers(init.headers).get('authorization') ?? '';
    const { status, body, headers } = await api.send(new URL(input).pathname, init.body as string, {
      token: authorization.replace('Bearer ', ''),
      verb: init.method,
    });
    return new Response(JSON.stringify(body), { status, headers: headers as Record<string, string> });
  };
  return createAdminClient({ baseUrl: 'https://api.example.test', token, fetch: send });
};

test('createAdminClient calls methods by their wire names, with typed requests and responses', async () => {
  const admin = await client();
  const { user } = await admin.users.CreateUser({ email: 'alice@example.test' });
  expect((await admin.users.GetUser({ user_id: user.user_id })).user.primary_email).toBe('alice@example.test');
  const { users, next_page_token: next } = await admin.users.ListUsers({ page_size: 2 });
  expect(users).toHaveLength(2);
  expect((await admin.users.ListUsers({ page_token: next })).users.length).toBeGreaterThan(0);
  expect(await admin.status.Ping({})).toEqual({});
});

test('a method throws an error response as AdminApiError with its code', async () => {
  const admin = await client();
  const error = await admin.users.GetUser({ user_id: 'user_unknown' }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AdminApiError);
  expect(error).toMatchObject({ code: 'not_found', status: 404, message: 'there is no such user', correlationId: 'request-1' });
});

test('a token function is called for each method call', async () => {
  let calls = 0;
  const admin = await client(async () => {
    calls++;
    return calls === 1 ? 'admin' : 'person';
  });
  await admin.status.Ping({});
  await expect(admin.status.Ping({})).rejects.toMatchObject({ code: 'permission_denied' });
});

test('a method throws internal for a response that did not come from the API', async () => {
  for (const answer of [
    new Response('<html>', { status: 502 }),
    new Response('{"error":1}', { status: 500 }),
    new Response('nonsense'),
    new Response('{"users":[{}]}'),
  ]) {
    const admin = createAdminClient({ baseUrl: 'https://api.example.test', token: 't', fetch: async () => answer });
    await expect(admin.users.ListUsers({})).rejects.toMatchObject({ name: 'AdminApiError', code: 'internal', status: answer.status });
  }
});

test('a method throws an error with the seconds to wait, if the response states them', async () => {
  const after = async (value: string) => {
    const answer = new Response('{"code":"resource_exhausted","message":"slow down"}', { status: 429, headers: { 'retry-after': value } });
    const admin = createAdminClient({ baseUrl: 'https://api.example.test', token: 't', fetch: async () => answer });
    return admin.users.ListUsers({}).catch((error: AdminApiError) => error.retryAfter);
  };
  expect(await after('7')).toBe(7);
  expect(await after('Wed, 21 Oct 2026 07:28:00 GMT')).toBeUndefined();
});

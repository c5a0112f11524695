import { gunzipSync } from 'node:zlib';
import { adminApiPerTest, httpEvent } from '../../support/admin-api.ts';

const api = adminApiPerTest();

test('a large response of the admin API is compressed for a client that accepts it', async () => {
  for (let index = 0; index < 10; index++) await api.ok('/users/CreateUser', { email: `p${index}@example.com` });
  const event = httpEvent('/users/ListUsers', '{}', { token: 'admin' });
  const { headers, body, isBase64Encoded } = await api.handlers.users({ ...event, headers: { ...event.headers, 'accept-encoding': 'gzip' } });
  expect([isBase64Encoded, headers?.['content-encoding'], headers?.['vary']]).toEqual([true, 'gzip', 'accept-encoding']);
  const { users } = JSON.parse(gunzipSync(Buffer.from(body!, 'base64')).toString()) as { users: unknown[] };
  expect(users.length).toBeGreaterThan(10);
});

import { adminApi } from '../../../support/admin-api.ts';

test('Ping returns an empty response', async () => {
  const api = await adminApi();
  expect(await api.call('/status/Ping')).toMatchObject({ status: 200, body: {} });
});

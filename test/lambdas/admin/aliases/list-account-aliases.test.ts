import { adminApi } from '../../../support/admin-api.ts';

test('ListAccountAliases of an unknown account is not_found', async () => {
  const api = await adminApi();
  expect(await api.call('/aliases/ListAccountAliases', { account_id: 'acc_unknown' })).toMatchObject({
    status: 404,
    body: { message: 'there is no such account' },
  });
});

import { adminApi } from '../../../support/admin-api.ts';
import { createAccount, createDomain } from '../../../support/admin-resources.ts';

test('ListAccounts returns the accounts page by page', async () => {
  const api = await adminApi();
  const domain_id = await createDomain(api);
  for (const local_part of ['a', 'b', 'c']) await createAccount(api, { domain_id, local_part });
  const first = await api.ok('/accounts/ListAccounts', { page_size: 2 });
  expect(first['accounts']).toHaveLength(2);
  const second = await api.ok('/accounts/ListAccounts', { page_size: 2, page_token: first['next_page_token'] });
  expect(second).toMatchObject({ accounts: [{ name: 'Alice' }], next_page_token: '' });
});

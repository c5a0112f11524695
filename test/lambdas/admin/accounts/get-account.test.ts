import { adminApi } from '../../../support/admin-api.ts';
import { createAccount, createDomain } from '../../../support/admin-resources.ts';

test('GetAccount and the methods of members respond not_found to an unknown account', async () => {
  const api = await adminApi();
  const calls = [
    ['GetAccount', {}],
    ['ListAccountMembers', {}],
    ['PutAccountMember', { user_id: 'user_person', role: 'READ' }],
    ['DeleteAccountMember', { user_id: 'user_person' }],
  ] as const;
  for (const [method, fields] of calls) {
    expect(await api.call(`/accounts/${method}`, { account_id: 'acc_unknown', ...fields })).toMatchObject({
      status: 404,
      body: { code: 'not_found', message: 'there is no such account' },
    });
  }
});

test('GetAccount returns the use and the limits of the account', async () => {
  const api = await adminApi();
  const { account_id } = await createAccount(api, { domain_id: await createDomain(api) });
  expect((await api.ok('/accounts/GetAccount', { account_id }))['account']).toMatchObject({
    quota: { octets_used: 0, max_octets: 50_000_000_000, emails_used: 0, max_emails: 1_000_000, max_recipients_per_minute: 500, max_recipients_per_day: 5000 },
  });
});

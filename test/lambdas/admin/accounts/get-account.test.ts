import { adminApi } from '../../../support/admin-api.ts';

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
      status: 404, body: { code: 'not_found', message: 'there is no such account' },
    });
  }
});

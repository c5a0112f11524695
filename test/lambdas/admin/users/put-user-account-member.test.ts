import { adminApi } from '../../../support/admin-api.ts';
import { createAccount, createDomain } from '../../../support/admin-resources.ts';

test('PutUserAccountMember and DeleteUserAccountMember follow the rules of PutAccountMember and DeleteAccountMember', async () => {
  const api = await adminApi();
  const { account_id } = await createAccount(api, { user_id: 'user_admin', domain_id: await createDomain(api) });
  const put = (role: string, user_id = 'user_person') => api.call('/users/PutUserAccountMember', { user_id, account_id, role });
  const remove = (user_id: string) => api.call('/users/DeleteUserAccountMember', { user_id, account_id });
  expect(await put('READ')).toMatchObject({ status: 200, body: { member: { account_id, user_id: 'user_person', role: 'READ' } } });
  expect(await put('ADMIN')).toMatchObject({ status: 200, body: { member: { role: 'ADMIN' } } });
  const { members } = await api.ok('/accounts/ListAccountMembers', { account_id });
  expect(members).toMatchObject([{ user_id: 'user_admin' }, { user_id: 'user_person', role: 'ADMIN' }]);
  expect(await remove('user_person')).toMatchObject({ status: 200, body: {} });
  expect(await remove('user_person')).toMatchObject({ status: 404 });
  expect(await remove('user_admin')).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
  expect(await put('READ', 'user_admin')).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
  expect(await put('READ', 'user_unknown')).toMatchObject({ status: 404, body: { message: 'there is no such user' } });
  expect(await api.auditLogs('users/PutUserAccountMember')).toMatchObject([
    { status: 'failure', entity_id: 'user_unknown' },
    { status: 'failure', entity_id: 'user_admin' },
    { status: 'success', entity_id: 'user_person', metadata: { account_id }, changes: [{ field: 'role', old_value: 'READ', new_value: 'ADMIN' }] },
    { status: 'success', changes: [{ field: 'role', new_value: 'READ' }] },
  ]);
});

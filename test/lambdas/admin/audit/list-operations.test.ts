import { adminApi } from '../../../support/admin-api.ts';

test('ListOperations lists every action that the audit log can contain, once', async () => {
  const api = await adminApi();
  const operations = (await api.ok('/audit/ListOperations'))['operations'] as string[];
  expect(operations).toEqual(operations.toSorted());
  expect(operations).toEqual(expect.arrayContaining(['accounts/DeleteAccount', 'domains/AddDomain', 'users/UpdateUser']));
  expect(operations).not.toContain('domains/CreateDomain');
  expect(operations).not.toContain('users/GetUser');
});

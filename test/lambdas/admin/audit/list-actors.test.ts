import { adminApi } from '../../../support/admin-api.ts';

test('ListActors lists the actors of one type, with their last address and without IP address and user agent', async () => {
  const api = await adminApi();
  for (const token of ['admin', 'machine']) await api.call('/users/UpdateUser', { user_id: 'user_person', display_name: 'x' }, token);
  expect((await api.ok('/audit/ListActors', { actor_type: 'USER' }))['actors']).toEqual([
    { actor_type: 'USER', actor_id: 'user_admin', user_id: 'user_admin', username: 'admin@example.test', email: 'admin@example.test' },
  ]);
  expect((await api.ok('/audit/ListActors', { actor_type: 'SERVICE' }))['actors']).toMatchObject([{ actor_id: 'adminheadless' }]);
  expect((await api.ok('/audit/ListActors', { actor_type: 'VENDOR' }))['actors']).toEqual([]);
});

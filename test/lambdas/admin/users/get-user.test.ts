import { adminApiPerTest } from '../../../support/admin-api.ts';
import { createUser } from '../../../support/admin-resources.ts';

const api = adminApiPerTest({ clock: () => new Date('2026-11-21T08:38:00Z') });

describe('GetUser', () => {
  test('returns the user', async () => {
    const user = await createUser(api, 'alice@example.test');
    expect((await api.ok('/users/GetUser', { user_id: user.user_id }))['user']).toEqual(user);
    expect((await api.ok('/users/GetUser', { userId: user.user_id }))['user']).toEqual(user);
  });

  test.each(['user_unknown', 'dom_123456789012345678901', 'x'.repeat(128)])('of %s is not_found', async (user_id) => {
    expect(await api.call('/users/GetUser', { user_id })).toMatchObject({ status: 404, body: { code: 'not_found', message: 'there is no such user' } });
  });
});

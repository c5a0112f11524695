import { accessTokenClaims } from '../../../lambdas/pre-token/access-token-claims.ts';

const user = { user_id: 'user_1', is_active: true, is_admin: false, is_deleted: false };
const mail = ['jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE', 'jmapApi/MAIL_SEND'];

test('an active person may use mail, and nothing else of ours', () => {
  expect(accessTokenClaims(user, 'deployed')).toEqual({ claimsToAddOrOverride: { user_id: 'user_1' }, scopesToAdd: mail, scopesToSuppress: ['adminApi/ADMIN'] });
});

test('an admin may administer as well', () => {
  expect(accessTokenClaims({ ...user, is_admin: true }, 'deployed')).toEqual({ claimsToAddOrOverride: { user_id: 'user_1' }, scopesToAdd: [...mail, 'adminApi/ADMIN'], scopesToSuppress: [] });
});

test('an admin in a client that registered itself may use mail, and not administer, whatever the client asked for', () => {
  expect(accessTokenClaims({ ...user, is_admin: true }, 'registered')).toEqual({ claimsToAddOrOverride: { user_id: 'user_1' }, scopesToAdd: mail, scopesToSuppress: ['adminApi/ADMIN'] });
});

test.each([
  ['an unknown person', undefined], ['an inactive admin', { ...user, is_admin: true, is_active: false }], ['a deleted admin', { ...user, is_admin: true, is_deleted: true }],
])('%s gets nothing, whatever their client asked for', (_, person) => {
  const { claimsToAddOrOverride, scopesToAdd, scopesToSuppress } = accessTokenClaims(person, 'deployed');
  expect({ claimsToAddOrOverride, scopesToAdd }).toEqual({ claimsToAddOrOverride: {}, scopesToAdd: [] });
  expect([...scopesToSuppress].sort()).toEqual(['adminApi/ADMIN', ...mail].sort());
});

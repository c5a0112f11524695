import { accessTokenClaims } from '../../../lambdas/pre-token/access-token-claims.ts';

const user = { user_id: 'user_1', is_active: true, is_admin: false, is_deleted: false };
const mail = ['jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE', 'jmapApi/MAIL_SEND'];

test('the token of an active user has the JMAP scopes and not the admin scope', () => {
  expect(accessTokenClaims(user, 'deployed')).toEqual({ claimsToAddOrOverride: { user_id: 'user_1' }, scopesToAdd: mail, scopesToSuppress: ['adminApi/ADMIN'] });
});

test('the token of an admin has the admin scope too', () => {
  expect(accessTokenClaims({ ...user, is_admin: true }, 'deployed')).toEqual({ claimsToAddOrOverride: { user_id: 'user_1' }, scopesToAdd: [...mail, 'adminApi/ADMIN'], scopesToSuppress: [] });
});

test('the token of an admin has no admin scope in a client that registered itself', () => {
  expect(accessTokenClaims({ ...user, is_admin: true }, 'registered')).toEqual({ claimsToAddOrOverride: { user_id: 'user_1' }, scopesToAdd: mail, scopesToSuppress: ['adminApi/ADMIN'] });
});

test('the token of a client that names mail scopes has only these of them, and those of an admin as before', () => {
  const named = ['jmapApi/MAIL_READ', 'jmapApi/MAIL_SEND'];
  expect(accessTokenClaims(user, 'registered', ['openid', ...named])).toEqual({
    claimsToAddOrOverride: { user_id: 'user_1' }, scopesToAdd: named, scopesToSuppress: ['adminApi/ADMIN', 'jmapApi/MAIL_WRITE'],
  });
  expect(accessTokenClaims({ ...user, is_admin: true }, 'deployed', named).scopesToAdd).toEqual([...named, 'adminApi/ADMIN']);
  expect(accessTokenClaims(user, 'registered', ['openid', 'email', 'profile', 'adminApi/ADMIN']).scopesToAdd).toEqual(mail);
});

test.each(['deployed', 'registered'] as const)('the token of a sign-in without the hosted page gets nothing in a %s client, whatever it requests', (client) => {
  for (const more of [[], ['openid', ...mail, 'adminApi/ADMIN']]) {
    const { scopesToSuppress, ...given } = accessTokenClaims({ ...user, is_admin: true }, client, ['aws.cognito.signin.user.admin', ...more]);
    expect(given).toEqual({ claimsToAddOrOverride: {}, scopesToAdd: [] });
    expect([...scopesToSuppress].sort()).toEqual(['adminApi/ADMIN', 'aws.cognito.signin.user.admin', ...mail].sort());
  }
});

test.each([
  ['a user who is not in the directory', undefined], ['an inactive admin', { ...user, is_admin: true, is_active: false }], ['a deleted admin', { ...user, is_admin: true, is_deleted: true }],
])('the token of %s has no scope of the APIs and no user id', (_, person) => {
  const { claimsToAddOrOverride, scopesToAdd, scopesToSuppress } = accessTokenClaims(person, 'deployed');
  expect({ claimsToAddOrOverride, scopesToAdd }).toEqual({ claimsToAddOrOverride: {}, scopesToAdd: [] });
  expect([...scopesToSuppress].sort()).toEqual(['adminApi/ADMIN', ...mail].sort());
});

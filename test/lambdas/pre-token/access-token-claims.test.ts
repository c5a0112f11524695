import { accessTokenClaims } from '../../../lambdas/pre-token/access-token-claims.ts';

const user = { user_id: 'user_1', is_active: true, is_admin: false, is_deleted: false };
const admin = { ...user, is_admin: true };
const mail = ['jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE', 'jmapApi/MAIL_SEND'];
const userPoolApi = 'aws.cognito.signin.user.admin';
const atPage = ['openid', 'email', 'profile'];
const nothing = { claimsToAddOrOverride: {}, scopesToAdd: [], scopesToSuppress: ['adminApi/ADMIN', ...mail, userPoolApi] };

test('the token of an active user has the JMAP scopes and not the admin scope', () => {
  expect(accessTokenClaims(user, 'deployed', atPage)).toEqual({
    claimsToAddOrOverride: { user_id: 'user_1' },
    scopesToAdd: mail,
    scopesToSuppress: ['adminApi/ADMIN', userPoolApi],
  });
});

test('the token of an admin has the admin scope too', () => {
  expect(accessTokenClaims(admin, 'deployed', atPage)).toEqual({
    claimsToAddOrOverride: { user_id: 'user_1' },
    scopesToAdd: [...mail, 'adminApi/ADMIN'],
    scopesToSuppress: [userPoolApi],
  });
});

test('the token of an admin has no admin scope in a client that registered itself', () => {
  expect(accessTokenClaims(admin, 'registered', atPage)).toEqual({
    claimsToAddOrOverride: { user_id: 'user_1' },
    scopesToAdd: mail,
    scopesToSuppress: ['adminApi/ADMIN', userPoolApi],
  });
});

test('the token of an admin has nothing in a client that is neither deployed nor registered', () => {
  for (const requested of [atPage, [...atPage, ...mail, 'adminApi/ADMIN']]) expect(accessTokenClaims(admin, undefined, requested)).toEqual(nothing);
});

test('the token of a client that names mail scopes has only these of them, and those of an admin as before', () => {
  const named = ['jmapApi/MAIL_READ', 'jmapApi/MAIL_SEND'];
  expect(accessTokenClaims(user, 'registered', ['openid', ...named])).toEqual({
    claimsToAddOrOverride: { user_id: 'user_1' },
    scopesToAdd: named,
    scopesToSuppress: ['adminApi/ADMIN', 'jmapApi/MAIL_WRITE', userPoolApi],
  });
  expect(accessTokenClaims(admin, 'deployed', named).scopesToAdd).toEqual([...named, 'adminApi/ADMIN']);
  expect(accessTokenClaims(user, 'registered', ['openid', 'email', 'profile', 'adminApi/ADMIN']).scopesToAdd).toEqual(mail);
});

test.each(['openid', ...mail])('the token of a sign-in that requested only %s, which only the hosted page gives, has mail scopes', (scope) => {
  expect(accessTokenClaims(user, 'registered', [scope]).scopesToAdd).toEqual(mail.includes(scope) ? [scope] : mail);
});

test.each(['deployed', 'registered'] as const)('the token of a sign-in without the hosted page gets nothing in a %s client, whatever it requests', (client) => {
  for (const more of [[], ['openid', ...mail, 'adminApi/ADMIN']]) expect(accessTokenClaims(admin, client, [userPoolApi, ...more])).toEqual(nothing);
});

test.each([
  ['no list of scopes', undefined],
  ['no scopes', []],
  ['a scope that nobody knows', ['offline']],
])('the token of a request with %s gets nothing, because the hosted page always gives a scope', (_, requested) => {
  for (const client of ['deployed', 'registered'] as const) expect(accessTokenClaims(admin, client, requested)).toEqual(nothing);
});

test.each([
  ['a user who is not in the directory', undefined],
  ['an inactive admin', { ...admin, is_active: false }],
  ['a deleted admin', { ...admin, is_deleted: true }],
])('the token of %s has no scope of the APIs and no user id', (_, person) => {
  expect(accessTokenClaims(person, 'deployed', atPage)).toEqual(nothing);
});

import { pageTokens } from '../../../core/rpc/page-token.ts';

const tokens = pageTokens(async () => 'key', 'pool-1');
const scope = { method: 'users/ListUsers', arguments: { page_size: 50, type: 'BOUNCE', status: ['A', 'B'] } };
const refused = { code: 'invalid_argument' };

test('a page token is valid for its method and arguments, in any order and with another page size', async () => {
  const token = await tokens.seal(scope, 'user_1');
  expect(token).toMatch(/^[A-Za-z0-9_-]{1,512}$/);
  expect(await tokens.open(scope, token)).toBe('user_1');
  expect(await tokens.open({ ...scope, arguments: { status: ['A', 'B'], type: 'BOUNCE', page_size: 3, page_token: token } }, token)).toBe('user_1');
});

test.each([
  ['another method', { ...scope, method: 'users/ListOthers' }],
  ['another argument', { ...scope, arguments: { ...scope.arguments, type: 'COMPLAINT' } }],
  ['an argument less', { ...scope, arguments: { type: 'BOUNCE' } }],
  ['an argument more', { ...scope, arguments: { ...scope.arguments, more: true } }],
  ['a list in another order', { ...scope, arguments: { ...scope.arguments, status: ['B', 'A'] } }],
])('a page token is refused for %s', async (_, other) => {
  await expect(tokens.open(other, await tokens.seal(scope, 'user_1'))).rejects.toMatchObject(refused);
});

test('a page token is refused in another deployment, or with another key', async () => {
  const token = await tokens.seal(scope, 'user_1');
  await expect(pageTokens(async () => 'key', 'pool-2').open(scope, token)).rejects.toMatchObject(refused);
  await expect(pageTokens(async () => 'other', 'pool-1').open(scope, token)).rejects.toMatchObject(refused);
});

test('a page token is refused when a bit is changed, or when it is cut or encoded differently', async () => {
  const token = await tokens.seal(scope, 'user_1');
  const bytes = Buffer.from(token, 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    await expect(tokens.open(scope, changed.toString('base64url'))).rejects.toMatchObject(refused);
  }
  for (const other of [token.slice(0, -1), `${token}=`, `${token}A`, ` ${token}`, token.slice(0, 10), 'é']) {
    await expect(tokens.open(scope, other)).rejects.toMatchObject(refused);
  }
});

test('a page token contains a sort key of 320 characters, and a longer one is refused', async () => {
  const token = await tokens.seal(scope, 'x'.repeat(320));
  expect(token.length).toBeLessThanOrEqual(512);
  await expect(tokens.seal(scope, 'x#'.repeat(200))).rejects.toThrow(RangeError);
});

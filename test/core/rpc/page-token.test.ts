import { pageTokens } from '../../../core/rpc/page-token.ts';

const tokens = pageTokens(async () => 'key', 'pool-1');
const scope = { method: 'users/ListUsers', arguments: { page_size: 50, type: 'BOUNCE', status: ['A', 'B'] } };
const refused = { code: 'invalid_argument' };

test('a token opens with the method and the arguments it was given for, in any order and with another page size', async () => {
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
])('%s does not open it', async (_, other) => {
  await expect(tokens.open(other, await tokens.seal(scope, 'user_1'))).rejects.toMatchObject(refused);
});

test('another deployment, or another key, does not open it', async () => {
  const token = await tokens.seal(scope, 'user_1');
  await expect(pageTokens(async () => 'key', 'pool-2').open(scope, token)).rejects.toMatchObject(refused);
  await expect(pageTokens(async () => 'other', 'pool-1').open(scope, token)).rejects.toMatchObject(refused);
});

test('a token with one bit changed, cut short or spelt otherwise does not open', async () => {
  const token = await tokens.seal(scope, 'user_1');
  const bytes = Buffer.from(token, 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    await expect(tokens.open(scope, changed.toString('base64url'))).rejects.toMatchObject(refused);
  }
  for (const other of [token.slice(0, -1), `${token}=`, `${token}A`, ` ${token}`, token.slice(0, 10), 'é']) await expect(tokens.open(scope, other)).rejects.toMatchObject(refused);
});

test('any sort key fits', async () => {
  const token = await tokens.seal(scope, 'x'.repeat(320));
  expect(token.length).toBeLessThanOrEqual(512);
  await expect(tokens.seal(scope, 'x#'.repeat(200))).rejects.toThrow(RangeError);
});

import type { Caller } from '../../../../core/rpc/admin-gate.ts';
import { invitationBy, type SignInPlaces } from '../../../../lambdas/admin/users/mail-temporary-password.ts';

test.each<[string, string | undefined, string]>([
  ['an ASCII name with the address', 'Ada Lovelace', 'Ada Lovelace (ada@example.com)'],
  ['a name that would turn the address around, isolated', 'Ada\u2069\u202E', '\u2068Ada\u202E\u2069 (ada@example.com)'],
  ['the address for a name that is the address', 'ada@example.com', 'ada@example.com'],
  ['the address without a name', undefined, 'ada@example.com'],
])('an invitation names its inviter by %s', (_, name, inviter) => {
  const places = { sessionUrl: 'https://jmap.example.com/.well-known/jmap' } as SignInPlaces;
  expect(invitationBy({ email: 'ada@example.com', name } as Caller, places, { is_admin: false }).inviter).toBe(inviter);
});

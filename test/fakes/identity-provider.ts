import { randomUUID } from 'node:crypto';
import { RpcError } from '../../lambdas/platform/rpc-error.ts';
import type { IdentityProvider, IdpIdentity } from '../../lambdas/providers/identity-provider.ts';

/** An {@link IdentityProvider} in memory. `invitations` are the addresses that were sent one, in order. */
export const memoryIdentityProvider = (): IdentityProvider & { readonly invitations: readonly string[] } => {
  const people = new Map<string, IdpIdentity>();
  const invitations: string[] = [];
  const known = (name: string) => people.get(name) ?? [...people.values()].find(({ username }) => username === name);
  return {
    invitations,
    find: async (name) => known(name),
    async invite(email) {
      if (email.length > 128) throw new RpcError('invalid_argument', 'the identity provider does not take this email address');
      const existing = known(email);
      if (existing) return existing;
      const sub = randomUUID();
      const identity = { provider: 'cognito', sub, username: sub, email, groups: [] };
      people.set(email, identity);
      invitations.push(email);
      return identity;
    },
  };
};

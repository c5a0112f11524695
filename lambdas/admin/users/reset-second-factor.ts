import { users as contract } from '../../../contract/admin/users.ts';
import type { IdentityProvider } from '../../../core/aws/cognito/identity-provider.ts';
import type { Users } from '../../../core/directory/users/users.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { requireActive } from './require-active.ts';

type Dependencies = {
  readonly users: Pick<Users, 'find' | 'revokeTokens'>;
  readonly identityProvider: Pick<IdentityProvider, 'removeSecondFactor' | 'endSessions'>;
  readonly clock: Clock;
};

/**
 * Removes the second factor of a user, then ends the sessions, which a lost phone may hold. The next call completes an
 * interrupted one.
 */
export const resetSecondFactor = ({ users, identityProvider, clock }: Dependencies) => adminMethod(contract.methods.ResetSecondFactor, {
  prefetch: ({ user_id }) => users.find(user_id),
  async run(_, { audit }, found) {
    audit.describe({ entity_name: found?.name ?? '' });
    const user = requireActive(found);
    await audit.recordPending();
    for (const { username } of user.idp_identities ?? []) {
      await identityProvider.removeSecondFactor(username);
      await identityProvider.endSessions(username);
    }
    await users.revokeTokens(user, clock(), audit.successWrites());
    return {};
  },
});

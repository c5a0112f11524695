import { users as contract } from '../../../contract/admin/users.ts';
import type { IdentityProvider } from '../../../core/aws/identity-provider.ts';
import { signInAddressOf } from '../../../core/directory/users/sign-ins.ts';
import type { Users } from '../../../core/directory/users/users.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { invitationBy, type PasswordMailDependencies } from './mail-temporary-password.ts';
import { requireActive } from './stored-user.ts';

type Dependencies = {
  readonly users: Pick<Users, 'find' | 'recordTemporaryPassword'>;
  readonly identityProvider: Pick<IdentityProvider, 'resendInvitation'>;
  readonly clock: Clock;
  readonly signIn: PasswordMailDependencies['signIn'];
};

/** Sends an active user's invitation again. The identity provider knows whether the user has chosen a password. */
export const resendInvitation = ({ users, identityProvider, signIn, clock }: Dependencies) =>
  adminMethod(contract.methods.ResendInvitation, {
    prefetch: ({ user_id }) => users.find(user_id),
    async run(_, { audit, caller }, found) {
      audit.describe({ entity_name: found?.name ?? '' });
      const user = requireActive(found);
      const email = signInAddressOf(user);
      if (email === undefined) throw new RpcError('failed_precondition', 'the user has no address for an invitation');
      await audit.recordPending();
      await identityProvider.resendInvitation(email, invitationBy(caller, signIn, user));
      await users.recordTemporaryPassword(user.user_id, clock(), audit.successWrites());
      return {};
    },
  });

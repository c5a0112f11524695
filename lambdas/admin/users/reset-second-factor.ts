import { users as contract } from '../../../contract/admin/users.ts';
import type { IdentityProvider } from '../../../core/aws/identity-provider.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { resetCredential, type ResetDependencies } from './reset-credential.ts';

type Dependencies = ResetDependencies & { readonly identityProvider: Pick<IdentityProvider, 'removeSecondFactor'> };

/** Removes the second factor of a user, and ends the sessions, which a lost phone may hold. */
export const resetSecondFactor = (dependencies: Dependencies) =>
  adminMethod(contract.methods.ResetSecondFactor, {
    prefetch: ({ user_id }) => dependencies.users.find(user_id),
    async run(_, { audit }, found) {
      await resetCredential(found, audit, dependencies, async (username) => {
        await dependencies.identityProvider.removeSecondFactor(username, found?.last_sign_in_at !== undefined);
      });
      return {};
    },
  });

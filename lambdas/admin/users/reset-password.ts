import { users as contract } from '../../../contract/admin/users.ts';
import type { IdentityProvider } from '../../../core/aws/cognito/identity-provider.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { resetCredential, type ResetDependencies } from './reset-credential.ts';
import { temporaryPassword } from './temporary-password.ts';

type Dependencies = ResetDependencies & { readonly identityProvider: Pick<IdentityProvider, 'resetPassword'> };

/** Gives a user a temporary password, and ends the sessions of the old one. A repeated call gives another password. */
export const resetPassword = (dependencies: Dependencies) => adminMethod(contract.methods.ResetPassword, {
  prefetch: ({ user_id }) => dependencies.users.find(user_id),
  async run(_, { audit }, found) {
    const password = temporaryPassword();
    await resetCredential(found, audit, dependencies, (username) => dependencies.identityProvider.resetPassword(username, password));
    return { temporary_password: password };
  },
});

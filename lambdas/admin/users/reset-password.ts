import { users as contract } from '../../../contract/admin/users.ts';
import type { IdentityProvider } from '../../../core/aws/identity-provider.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { findIsReceived, mailTemporaryPassword, requireOutside, temporaryPassword, type PasswordMailDependencies } from './mail-temporary-password.ts';
import { resetCredential, type ResetDependencies } from './reset-credential.ts';

type Dependencies = ResetDependencies & PasswordMailDependencies & { readonly identityProvider: Pick<IdentityProvider, 'resetPassword'> };

/** Gives a user a temporary password, and ends the sessions of the old one. A repeated call gives another password. */
export const resetPassword = (dependencies: Dependencies) =>
  adminMethod(contract.methods.ResetPassword, {
    prefetch: ({ user_id, invitation_email: to }) => Promise.all([dependencies.users.find(user_id), findIsReceived(dependencies, to)]),
    async run({ invitation_email: to }, { audit, caller }, [found, isReceived]) {
      requireOutside(isReceived);
      const password = temporaryPassword();
      const reset = (username: string): Promise<void> => dependencies.identityProvider.resetPassword(username, password);
      const user = await resetCredential(found, audit, dependencies, reset, { hasTemporaryPassword: true, isLastStep: to === undefined });
      if (to === undefined) return { temporary_password: password };
      await mailTemporaryPassword(dependencies, caller, user, { to, password, isReset: true, done: 'the password was reset' });
      return {};
    },
  });

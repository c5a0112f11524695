import { randomInt } from 'node:crypto';
import { users as contract } from '../../../contract/admin/users.ts';
import type { IdentityProvider } from '../../../core/aws/cognito/identity-provider.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { resetCredential, type ResetDependencies } from './reset-credential.ts';

type Dependencies = ResetDependencies & { readonly identityProvider: Pick<IdentityProvider, 'resetPassword'> };

/** Characters of a temporary password, without those that look like others on paper. */
const alphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const [groups, groupLength] = [4, 4];

/** A random password of 92 bits. It has characters of each class that the user pool requires; the hyphen is a symbol. */
const temporaryPassword = (): string => {
  const group = (): string => Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  const password = Array.from({ length: groups }, group).join('-');
  return [/[a-z]/, /[A-Z]/, /[0-9]/].every((required) => required.test(password)) ? password : temporaryPassword();
};

/** Gives a user a temporary password, and ends the sessions of the old one. A repeated call gives another password. */
export const resetPassword = (dependencies: Dependencies) => adminMethod(contract.methods.ResetPassword, {
  prefetch: ({ user_id }) => dependencies.users.find(user_id),
  async run(_, { audit }, found) {
    const password = temporaryPassword();
    await resetCredential(found, audit, dependencies, (username) => dependencies.identityProvider.resetPassword(username, password));
    return { temporary_password: password };
  },
});

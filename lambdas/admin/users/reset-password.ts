import { randomInt } from 'node:crypto';
import { users as contract } from '../../../contract/admin/users.ts';
import type { IdentityProvider } from '../../../core/aws/cognito/identity-provider.ts';
import type { Users } from '../../../core/directory/users/users.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { requireActive } from './require-active.ts';

type Dependencies = {
  readonly users: Pick<Users, 'find' | 'revokeTokens'>;
  readonly identityProvider: Pick<IdentityProvider, 'resetPassword' | 'endSessions'>;
  readonly clock: Clock;
};

/** Characters of a temporary password, without those that look like others on paper. */
const alphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const [groups, groupLength] = [4, 4];

/** A random password of 92 bits. It has characters of each class that the user pool requires; the hyphen is a symbol. */
const temporaryPassword = (): string => {
  const group = (): string => Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  const password = Array.from({ length: groups }, group).join('-');
  return [/[a-z]/, /[A-Z]/, /[0-9]/].every((required) => required.test(password)) ? password : temporaryPassword();
};

/**
 * Gives a user a temporary password, then ends the sessions of the old one. The next call completes an interrupted one,
 * with another password.
 */
export const resetPassword = ({ users, identityProvider, clock }: Dependencies) => adminMethod(contract.methods.ResetPassword, {
  prefetch: ({ user_id }) => users.find(user_id),
  async run(_, { audit }, found) {
    audit.describe({ entity_name: found?.name ?? '' });
    const user = requireActive(found);
    await audit.recordPending();
    const password = temporaryPassword();
    const usernames = (user.idp_identities ?? []).map(({ username }) => username);
    for (const username of usernames) await identityProvider.resetPassword(username, password);
    // No session can begin with the old password any more.
    await Promise.all(usernames.map((username) => identityProvider.endSessions(username)));
    await users.revokeTokens(user, clock(), audit.successWrites());
    return { temporary_password: password };
  },
});

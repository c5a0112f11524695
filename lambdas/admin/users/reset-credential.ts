import type { IdentityProvider } from '../../../core/aws/identity-provider.ts';
import type { StoredUser, Users } from '../../../core/directory/users/users.ts';
import type { Audit } from '../../../core/rpc/audit.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { requireActive } from './stored-user.ts';

export type ResetDependencies = {
  readonly users: Pick<Users, 'find' | 'revokeTokens'>;
  readonly identityProvider: Pick<IdentityProvider, 'endSessions'>;
  readonly clock: Clock;
};

/**
 * Resets a credential of a user, then ends all sessions. The next call completes an interrupted one.
 * @param reset resets the credential of a username at the identity provider. No session can begin with the old one then.
 * @param result whether the user then has a temporary password, and whether nothing is left to do.
 * @throws RpcError not_found, failed_precondition.
 */
export const resetCredential = async (
  found: StoredUser | undefined,
  audit: Audit,
  { users, identityProvider, clock }: ResetDependencies,
  reset: (username: string) => Promise<void>,
  { hasTemporaryPassword = false, isLastStep = true } = {},
): Promise<StoredUser> => {
  audit.describe({ entity_name: found?.name ?? '' });
  const user = requireActive(found);
  await audit.recordPending();
  const usernames = (user.idp_identities ?? []).map(({ username }) => username);
  for (const username of usernames) await reset(username);
  await Promise.all(usernames.map((username) => identityProvider.endSessions(username)));
  await users.revokeTokens(user, clock(), isLastStep ? audit.successWrites() : audit.pendingWrites(), hasTemporaryPassword);
  return user;
};

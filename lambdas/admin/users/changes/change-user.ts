import type { User } from '../../../../contract/admin/users.ts';
import type { IdentityProvider } from '../../../../core/aws/cognito/identity-provider.ts';
import { maySignIn } from '../../../../core/directory/users/sign-ins.ts';
import type { StoredUser, UserAndAdmins, UserChange, Users } from '../../../../core/directory/users/users.ts';
import { changesBetween, type Audit } from '../../../../core/rpc/audit.ts';
import type { Clock } from '../../../../core/runtime/clock.ts';
import { conflict, retryOnConflictFrom } from '../../../../core/storage/retry-on-conflict.ts';

export type ChangeUserDependencies = {
  readonly users: Pick<Users, 'find' | 'findForUpdate' | 'update' | 'clearSignInPending'>;
  readonly identityProvider: Pick<IdentityProvider, 'block' | 'unblock'>;
  readonly clock: Clock;
  /** Seconds for which a deleted user can be restored. */
  readonly recoverableSeconds: number;
};

/** Blocks or allows sign-in at the identity provider, and repeats until the provider matches the user's record. */
const synchronizeSignIn = (
  { users, identityProvider }: Pick<ChangeUserDependencies, 'users' | 'identityProvider'>, changed: StoredUser, audit: Audit,
): Promise<true> => retryOnConflictFrom<StoredUser | undefined, true>(changed, () => users.find(changed.user_id), async (user) => {
  if (!user) return conflict;
  const action = maySignIn(user) ? 'unblock' : 'block';
  await Promise.all((user.idp_identities ?? []).map(({ username }) => identityProvider[action](username)));
  return await users.clearSignInPending(user, audit.successWrites()) || conflict;
});

/**
 * Changes a user, first in the directory and then at the identity provider. Both APIs read the directory on every call,
 * so that the change takes effect immediately. The next change of the user, even an empty one, completes an interrupted
 * call.
 * @param prefetched the user, if the caller has already read the record. If the record has changed since,
 * `users.update` reads it again.
 * @throws NotFound; FailedPrecondition for a deleted user who is not restored, or the last admin; StoreConflict.
 */
export const changeUser = async (
  dependencies: ChangeUserDependencies, prefetched: UserAndAdmins, userId: string, change: UserChange, audit: Audit,
): Promise<StoredUser> => {
  const { users, clock, recoverableSeconds } = dependencies;
  const user = await users.update(prefetched, userId, change, { now: clock(), recoverableSeconds }, (before, after) => {
    const changes = changesBetween<User>(before, after, ['display_name', 'is_active', 'is_admin', 'is_deleted']);
    audit.describe({ entity_name: after.name, changes });
    return after.sign_in_pending ? audit.pendingWrites() : audit.successWrites();
  });
  if (user.sign_in_pending) await synchronizeSignIn(dependencies, user, audit);
  return user;
};

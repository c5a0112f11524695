import type { User } from '../../../contract/admin/users.ts';
import type { IdentityProvider } from '../../../core/aws/identity-provider.ts';
import { maySignIn } from '../../../core/directory/users/sign-ins.ts';
import type { StoredUser, UserAndAdmins, UserChange, Users } from '../../../core/directory/users/users.ts';
import { changesBetween, type Audit } from '../../../core/rpc/audit.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { conflict, retryOnConflictFrom } from '../../../core/storage/retry-on-conflict.ts';
import type { Write } from '../../../core/storage/table.ts';

export type ChangeUserDependencies = {
  readonly users: Pick<Users, 'find' | 'findForUpdate' | 'update' | 'clearSignInPending'>;
  readonly identityProvider: Pick<IdentityProvider, 'block' | 'release' | 'reinstate'>;
  readonly clock: Clock;
  /** Seconds for which a deleted user can be restored. */
  readonly recoverableSeconds: number;
};

/** Makes the identity provider match the user's record: a deleted user has no address there. */
const synchronizePerson = async (identityProvider: ChangeUserDependencies['identityProvider'], user: StoredUser): Promise<void> => {
  for (const { username } of user.idp_identities ?? []) {
    if (user.is_deleted) await identityProvider.release(username);
    else if (!maySignIn(user)) await identityProvider.block(username);
    else await identityProvider.reinstate(username, user.primary_email);
  }
};

/** Blocks or allows sign-in at the identity provider, and repeats until the provider matches the user's record. */
const synchronizeSignIn = (
  { users, identityProvider }: Pick<ChangeUserDependencies, 'users' | 'identityProvider'>,
  changed: StoredUser,
  audit: Audit,
): Promise<true> =>
  retryOnConflictFrom<StoredUser | undefined, true>(
    changed,
    () => users.find(changed.user_id),
    async (user) => {
      if (!user) return conflict;
      await synchronizePerson(identityProvider, user);
      return (await users.clearSignInPending(user, audit.successWrites())) || conflict;
    },
  );

/**
 * Changes a user, first in the directory and then at the identity provider. Both APIs read the directory on every call,
 * so that the change takes effect immediately. The next change of the user, even an empty one, completes an interrupted
 * call.
 * @param prefetched the user, if the caller has already read the record. If the record has changed since,
 * `users.update` reads it again.
 * @param furtherWrites writes for the transaction that changes the directory.
 * @throws NotFound; FailedPrecondition for a deleted user who is not restored, or the last admin with the role ALL; StoreConflict.
 */
export const changeUser = async (
  dependencies: ChangeUserDependencies,
  prefetched: UserAndAdmins,
  userId: string,
  change: UserChange,
  audit: Audit,
  furtherWrites: readonly Write[] = [],
): Promise<StoredUser> => {
  const { users, clock, recoverableSeconds } = dependencies;
  const user = await users.update(prefetched, userId, change, { now: clock(), recoverableSeconds }, (before, after) => {
    const changes = changesBetween<User>(before, after, ['display_name', 'primary_email', 'is_active', 'is_admin', 'admin_role', 'is_deleted']);
    audit.describe({ entity_name: after.name, changes });
    return [...furtherWrites, ...(after.sign_in_pending ? audit.pendingWrites() : audit.successWrites())];
  });
  if (user.sign_in_pending) await synchronizeSignIn(dependencies, user, audit);
  return user;
};

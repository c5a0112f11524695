import type { User } from '../../../contract/admin/users.ts';
import { changesBetween, type Audit } from '../../../core/rpc/audit.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import { maySignIn, type StoredUser, type UserAndAdmins, type UserChange } from '../../../core/directory/users.ts';
import type { UserStores } from './new-user.ts';

/** How often the identity provider is told again because the person changed in the middle. */
const tries = 5;

/** Tells the identity provider whether the person may sign in, until what it was told last is what holds now; then the change is concluded. */
const settleSignIn = async ({ users, identityProvider }: Pick<UserStores, 'users' | 'identityProvider'>, changed: StoredUser, audit: Audit): Promise<void> => {
  let user: StoredUser | undefined = changed;
  for (let count = 0; user && count < tries; count++) {
    const action = maySignIn(user) ? 'unblock' : 'block';
    await Promise.all((user.idp_identities ?? []).map(({ username }) => identityProvider[action](username)));
    if (await users.signInSettled(user, audit.writes())) return;
    user = await users.find(user.user_id);
  }
  throw new RpcError('aborted', 'others are changing the same person; try again');
};

/**
 * Changes a person. The directory first, which both APIs ask at every call, so it holds at once; then the identity provider, where sign-in is blocked or
 * allowed again. What an interrupted call left there is finished by the next change of the person, also by one that changes nothing.
 * @param known the person as they were just read.
 * @throws RpcError not_found, failed_precondition (a deleted person, the last admin), aborted.
 */
export const changeUser = async (stores: UserStores, known: UserAndAdmins, userId: string, wanted: UserChange, audit: Audit): Promise<StoredUser> => {
  const user = await stores.users.change(known, userId, wanted, stores.clock(), (before, after) => {
    audit.about({ entity_name: after.name, changes: changesBetween<User>(before, after, ['display_name', 'is_active', 'is_admin', 'is_deleted']) });
    return after.sign_in_pending ? audit.begins() : audit.writes();
  });
  if (user.sign_in_pending) await settleSignIn(stores, user, audit);
  return user;
};

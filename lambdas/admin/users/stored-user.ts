import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import { isHeld, type FoundAddress } from '../../../core/directory/aliases/addresses.ts';
import { mailboxOfAnother } from '../../../core/directory/users/invite-user.ts';
import type { Members } from '../../../core/directory/users/members.ts';
import type { StoredUser, Users } from '../../../core/directory/users/users.ts';
import { notFound, RpcError } from '../../../core/rpc/rpc-error.ts';

export type UserReads = { readonly users: Pick<Users, 'find'>; readonly members: Pick<Members, 'accountIdsOf'> };

/**
 * Reads the user and the ids of the user's accounts, in one round trip.
 * @throws RpcError not_found for a user id that does not exist.
 */
export const getUserWithAccountIds = async (
  { users, members }: UserReads,
  userId: string,
): Promise<{ readonly user: StoredUser; readonly accountIds: readonly string[] }> => {
  const [user, accountIds] = await Promise.all([users.find(userId), members.accountIdsOf(userId)]);
  if (!user) throw notFound('user');
  return { user, accountIds };
};

type Dependencies = { readonly accounts: Pick<Accounts, 'isOwnedBy'> };

/** The account of the user that receives the mail of the address, if one does. @throws AlreadyExists for another user's. */
export const ownAccountAt = async (found: FoundAddress, userId: string, { accounts }: Dependencies): Promise<string | undefined> => {
  if (!isHeld(found)) return undefined;
  if (found.stored && (await accounts.isOwnedBy(found.stored.accountId, userId))) return found.stored.accountId;
  throw mailboxOfAnother();
};

/** Requires a user who may sign in. @throws RpcError not_found, failed_precondition. */
export const requireActive = (user: StoredUser | undefined): StoredUser => {
  if (!user) throw notFound('user');
  if (user.is_deleted) throw new RpcError('failed_precondition', 'the user is deleted');
  if (!user.is_active) throw new RpcError('failed_precondition', 'the user is deactivated; activate them first');
  return user;
};

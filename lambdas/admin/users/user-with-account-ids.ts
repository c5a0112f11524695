import type { Members } from '../../../core/directory/users/members.ts';
import type { StoredUser, Users } from '../../../core/directory/users/users.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';

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

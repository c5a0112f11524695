import type { StoredUser } from '../../../core/directory/users/users.ts';
import { notFound, RpcError } from '../../../core/rpc/rpc-error.ts';

/** Requires a user who may sign in. @throws RpcError not_found, failed_precondition. */
export const requireActive = (user: StoredUser | undefined): StoredUser => {
  if (!user) throw notFound('user');
  if (user.is_deleted) throw new RpcError('failed_precondition', 'the user is deleted');
  if (!user.is_active) throw new RpcError('failed_precondition', 'the user is deactivated; activate them first');
  return user;
};

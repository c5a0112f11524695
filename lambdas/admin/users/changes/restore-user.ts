import { users as contract } from '../../../../contract/admin/users.ts';
import { adminMethod } from '../../../../core/rpc/admin-method.ts';
import { RpcError } from '../../../../core/rpc/rpc-error.ts';
import { changeUser, type ChangeUserDependencies } from './change-user.ts';

/** Makes a deleted user active again. Tokens of earlier sign-ins are still refused. */
export const restoreUser = (dependencies: ChangeUserDependencies) => adminMethod(contract.methods.RestoreUser, {
  prefetch: ({ user_id }) => dependencies.users.findForUpdate(user_id),
  async run({ user_id }, { audit }, prefetched) {
    // An interrupted call has restored the user. This call completes it.
    if (prefetched.user && !prefetched.user.is_deleted && !prefetched.user.sign_in_pending) {
      throw new RpcError('failed_precondition', 'the user is not deleted');
    }
    return { user: await changeUser(dependencies, prefetched, user_id, { is_active: true, is_deleted: false }, audit) };
  },
});

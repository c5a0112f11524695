import { users as contract } from '../../../contract/admin/users.ts';
import { missingRole } from '../../../contract/rpc/admin-roles.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import { changeUser, type ChangeUserDependencies } from './change-user.ts';

export const updateUser = (dependencies: ChangeUserDependencies) =>
  adminMethod(contract.methods.UpdateUser, {
    prefetch: ({ user_id }) => dependencies.users.findForUpdate(user_id),
    async run({ user_id, ...change }, { audit, caller: { role } }, prefetched) {
      if (role !== 'ALL' && (change.is_admin !== undefined || change.admin_role !== undefined)) {
        throw new RpcError('permission_denied', missingRole(role, 'a change of is_admin or admin_role'));
      }
      return { user: await changeUser(dependencies, prefetched, user_id, change, audit) };
    },
  });

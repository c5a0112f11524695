import { users as contract } from '../../../contract/admin/users.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { changeUser, type ChangeUserDependencies } from './change-user.ts';

export const updateUser = (dependencies: ChangeUserDependencies) =>
  adminMethod(contract.methods.UpdateUser, {
    prefetch: ({ user_id }) => dependencies.users.findForUpdate(user_id),
    run: async ({ user_id, ...change }, { audit }, prefetched) => ({ user: await changeUser(dependencies, prefetched, user_id, change, audit) }),
  });

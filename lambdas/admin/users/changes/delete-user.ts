import { users as contract } from '../../../../contract/admin/users.ts';
import { adminMethod } from '../../../../core/rpc/admin-method.ts';
import { changeUser, type ChangeUserDependencies } from './change-user.ts';

/** Marks the user as deleted. The record, the address and the memberships are kept while the user can be restored. */
export const deleteUser = (dependencies: ChangeUserDependencies) => adminMethod(contract.methods.DeleteUser, {
  prefetch: ({ user_id }) => dependencies.users.findForUpdate(user_id),
  async run({ user_id }, { audit }, prefetched) {
    await changeUser(dependencies, prefetched, user_id, { is_active: false, is_deleted: true }, audit);
    return {};
  },
});

import { users as contract } from '../../../contract/admin/users.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { changeUser, type ChangeUserConnections } from './change-user.ts';

/** Marks the user as deleted. The record, the address and the memberships are kept. */
export const deleteUser = (connections: ChangeUserConnections) => adminMethod(contract.methods.DeleteUser, {
  prefetch: ({ user_id }) => connections.users.findForUpdate(user_id),
  async run({ user_id }, { audit }, prefetched) {
    await changeUser(connections, prefetched, user_id, { is_active: false, is_deleted: true }, audit);
    return {};
  },
});

import { users as contract } from '../../../contract/admin/users.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { changeUser, type ChangeUserConnections } from './change-user.ts';

export const updateUser = (connections: ChangeUserConnections) => adminMethod(contract.methods.UpdateUser, {
  prefetch: ({ user_id }) => connections.users.findForUpdate(user_id),
  run: async ({ user_id, ...change }, { audit }, prefetched) =>
    ({ user: await changeUser(connections, prefetched, user_id, change, audit) }),
});

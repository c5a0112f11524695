import { users as contract } from '../../../contract/admin/users.ts';
import type { Users } from '../../../core/directory/users/users.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';

export const getUser = ({ users }: { readonly users: Pick<Users, 'find'> }) =>
  adminMethod(contract.methods.GetUser, {
    async run({ user_id }) {
      const user = await users.find(user_id);
      if (!user) throw notFound('user');
      return { user };
    },
  });

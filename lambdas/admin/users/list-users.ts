import { users as contract } from '../../../contract/admin/users.ts';
import type { Users } from '../../../core/directory/users/users.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';

export const listUsers = ({ users }: { readonly users: Pick<Users, 'list'> }) =>
  adminMethod(contract.methods.ListUsers, {
    async run({ page_size }, { pageAfter, nextPageToken }) {
      const { items, next } = await users.list(pageAfter, page_size);
      return { users: [...items], next_page_token: await nextPageToken(next) };
    },
  });

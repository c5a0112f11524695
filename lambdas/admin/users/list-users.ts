import { users as contract } from '../../../contract/admin/users.ts';
import { requestedPage } from '../../../core/directory/listings.ts';
import type { Users } from '../../../core/directory/users/users.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';

export const listUsers = ({ users }: { readonly users: Pick<Users, 'list' | 'listed'> }) =>
  adminMethod(contract.methods.ListUsers, {
    prefetch({ page_size, is_active, is_admin, is_deleted, ...request }, { pageAfter }) {
      const page = requestedPage(request, 'NAME', { is_active, is_admin, is_deleted });
      return page ? users.listed(page, pageAfter, page_size) : users.list(pageAfter, page_size);
    },
    run: async (_request, { nextPageToken }, { items, next }) => ({ users: [...items], next_page_token: await nextPageToken(next) }),
  });

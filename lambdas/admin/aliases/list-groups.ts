import { aliases as contract } from '../../../contract/admin/aliases.ts';
import type { Groups } from '../../../core/directory/groups/groups.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';

export const listGroups = ({ groups }: { readonly groups: Pick<Groups, 'listed'> }) =>
  adminMethod(contract.methods.ListGroups, {
    prefetch: ({ page_size, order_by = 'EMAIL', ...request }, { pageAfter }) =>
      groups.listed({ ...request, order: order_by.toLowerCase() }, pageAfter, page_size),
    run: async (_request, { nextPageToken }, { items, next }) => ({ groups: [...items], next_page_token: await nextPageToken(next) }),
  });

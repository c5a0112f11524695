import { accounts as contract } from '../../../contract/admin/accounts.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import { requestedPage } from '../../../core/directory/listings.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';

export const listAccounts = ({ accounts }: { readonly accounts: Pick<Accounts, 'list' | 'listed'> }) =>
  adminMethod(contract.methods.ListAccounts, {
    prefetch({ page_size, ...request }, { pageAfter }) {
      const page = requestedPage(request, 'NAME');
      return page ? accounts.listed(page, pageAfter, page_size) : accounts.list(pageAfter, page_size);
    },
    run: async (_request, { nextPageToken }, { items, next }) => ({ accounts: [...items], next_page_token: await nextPageToken(next) }),
  });

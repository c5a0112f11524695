import { accounts as contract } from '../../../contract/admin/accounts.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';

export const listAccounts = ({ accounts }: { readonly accounts: Pick<Accounts, 'list'> }) =>
  adminMethod(contract.methods.ListAccounts, {
    async run({ page_size }, { pageAfter, nextPageToken }) {
      const { items, next } = await accounts.list(pageAfter, page_size);
      return { accounts: [...items], next_page_token: await nextPageToken(next) };
    },
  });

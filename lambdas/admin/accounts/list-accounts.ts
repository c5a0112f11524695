import { accounts as contract, type Account } from '../../../contract/admin/accounts.ts';
import type { StoredAccount } from '../../../core/directory/accounts/account-people.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import { requestedPage } from '../../../core/directory/listings.ts';
import type { MailStore } from '../../../core/mail/mail-store/mail-store.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Page } from '../../../core/storage/page.ts';
import { toAccountStorage } from './get-account.ts';

type Dependencies = { readonly accounts: Pick<Accounts, 'list' | 'listed' | 'peopleOf'>; readonly mailStore: Pick<MailStore, 'quotas'> };

const withUse = async ({ accounts, mailStore }: Dependencies, page: readonly StoredAccount[]): Promise<Account[]> => {
  const [people, quotas] = await Promise.all([accounts.peopleOf(page), mailStore.quotas(page.map(({ account_id: id }) => id))]);
  return page.map((account) => {
    const quota = quotas.get(account.account_id);
    return { ...account, use: { ...people.get(account.account_id)!, members: account.member_count, storage: quota && toAccountStorage(quota) } };
  });
};

export const listAccounts = (dependencies: Dependencies) =>
  adminMethod(contract.methods.ListAccounts, {
    async prefetch({ page_size, include_use, ...request }, { pageAfter }): Promise<Page<Account>> {
      const { accounts } = dependencies;
      const page = requestedPage(request, 'NAME');
      const { items, next } = await (page ? accounts.listed(page, pageAfter, page_size) : accounts.list(pageAfter, page_size));
      return { items: include_use ? await withUse(dependencies, items) : items, next };
    },
    run: async (_request, { nextPageToken }, { items, next }) => ({ accounts: [...items], next_page_token: await nextPageToken(next) }),
  });

import { users as contract } from '../../../contract/admin/users.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { getUserWithAccountIds, type UserReads } from './stored-user.ts';

type Dependencies = UserReads & { readonly accounts: Pick<Accounts, 'findAll'> };

export const listUserAccounts = (dependencies: Dependencies) =>
  adminMethod(contract.methods.ListUserAccounts, {
    async run({ user_id }) {
      const { accountIds } = await getUserWithAccountIds(dependencies, user_id);
      return { accounts: await dependencies.accounts.findAll(accountIds) };
    },
  });

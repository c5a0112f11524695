import { users as contract } from '../../../contract/admin/users.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import type { Aliases } from '../../../core/directory/aliases/aliases.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { getUserWithAccountIds, type UserReads } from './stored-user.ts';

type Dependencies = UserReads & { readonly accounts: Pick<Accounts, 'findAll'>; readonly aliases: Pick<Aliases, 'findByAccount'> };

export const getUserOverview = (dependencies: Dependencies) =>
  adminMethod(contract.methods.GetUserOverview, {
    async run({ user_id }) {
      const { user, accountIds } = await getUserWithAccountIds(dependencies, user_id);
      const primaryId = user.primary_account_id;
      const [accounts, primaryAliases] = await Promise.all([
        dependencies.accounts.findAll([...new Set([...accountIds, ...(primaryId === undefined ? [] : [primaryId])])]),
        primaryId === undefined ? [] : dependencies.aliases.findByAccount(primaryId),
      ]);
      const primaryAccount = accounts.find(({ account_id: id }) => id === primaryId);
      return {
        user,
        primary_account: primaryAccount,
        primary_account_aliases: primaryAccount ? primaryAliases : [],
        accounts: accounts.filter(({ account_id: id }) => accountIds.includes(id)),
      };
    },
  });

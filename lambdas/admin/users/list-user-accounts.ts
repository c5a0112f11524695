import { users as contract } from '../../../contract/admin/users.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { getUserWithAccountIds, type UserReads } from './user-with-account-ids.ts';

type Connections = UserReads & { readonly accounts: Pick<Accounts, 'findAll'> };

export const listUserAccounts = (connections: Connections) => adminMethod(contract.methods.ListUserAccounts, {
  async run({ user_id }) {
    const { accountIds } = await getUserWithAccountIds(connections, user_id);
    return { accounts: await connections.accounts.findAll(accountIds) };
  },
});

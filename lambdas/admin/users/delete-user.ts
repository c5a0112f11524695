import { users as contract } from '../../../contract/admin/users.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import type { Members } from '../../../core/directory/users/members.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { changeUser, type ChangeUserDependencies } from './change-user.ts';

type Dependencies = ChangeUserDependencies & { readonly accounts: Pick<Accounts, 'findAll'>; readonly members: Pick<Members, 'accountsOf'> };

const remainingAccounts = async (userId: string, { accounts, members }: Dependencies) => {
  const memberships = await members.accountsOf(userId);
  const found = await accounts.findAll([...memberships.keys()]);
  const { own = [], other = [] } = Object.groupBy(found, ({ account_id: id }) => (memberships.get(id)?.isOwner ? 'own' : 'other'));
  return { own_accounts: own, other_accounts: other };
};

/**
 * Marks the user as deleted, and says which accounts remain. The record and the memberships are kept while the user can
 * be restored; the address is free at once.
 */
export const deleteUser = (dependencies: Dependencies) =>
  adminMethod(contract.methods.DeleteUser, {
    prefetch: ({ user_id }) => Promise.all([dependencies.users.findForUpdate(user_id), remainingAccounts(user_id, dependencies)]),
    async run({ user_id }, { audit }, [prefetched, remaining]) {
      await changeUser(dependencies, prefetched, user_id, { is_active: false, is_deleted: true }, audit);
      return remaining;
    },
  });

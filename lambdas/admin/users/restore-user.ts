import { users as contract } from '../../../contract/admin/users.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import type { Addresses } from '../../../core/directory/aliases/addresses.ts';
import { claimWrites, type Users } from '../../../core/directory/users/users.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import { AlreadyExists } from '../../../core/runtime/domain-errors.ts';
import { changeUser, type ChangeUserDependencies } from './change-user.ts';
import { ownAccountAt } from './stored-user.ts';

type Dependencies = ChangeUserDependencies & {
  readonly users: Pick<Users, 'holderOf'>;
  readonly accounts: Pick<Accounts, 'isOwnedBy'>;
  readonly addresses: Pick<Addresses, 'find'>;
};

const holderExists = (): AlreadyExists =>
  new AlreadyExists('another user signs in with the address now; give another one as email, with which the restored user signs in');

/**
 * Makes a deleted user active again, with the address that they had or another one. Tokens of earlier sign-ins are still
 * refused.
 */
export const restoreUser = (dependencies: Dependencies) =>
  adminMethod(contract.methods.RestoreUser, {
    prefetch: ({ user_id }) => dependencies.users.findForUpdate(user_id),
    async run({ user_id: userId, email: given }, { audit }, prefetched) {
      const { users, addresses } = dependencies;
      const email = given ?? prefetched.user?.primary_email;
      if (!prefetched.user?.is_deleted || email === undefined) {
        // An interrupted call has restored the user. This call completes it.
        if (prefetched.user && !prefetched.user.sign_in_pending) throw new RpcError('failed_precondition', 'the user is not deleted');
        return { user: await changeUser(dependencies, prefetched, userId, { is_active: true, is_deleted: false }, audit) };
      }
      audit.describe({ entity_name: prefetched.user.name });
      const [holder, address] = await Promise.all([users.holderOf(email), addresses.find(email)]);
      if (holder !== undefined && holder !== userId) throw holderExists();
      const ownAccountId = await ownAccountAt(address, userId, dependencies);
      const change = { is_active: true, is_deleted: false, primary_email: email };
      return { user: await changeUser(dependencies, prefetched, userId, change, audit, claimWrites(userId, email, ownAccountId)) };
    },
  });

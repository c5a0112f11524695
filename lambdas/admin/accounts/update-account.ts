import { accounts as contract, type Account } from '../../../contract/admin/accounts.ts';
import type { Accounts } from '../../../core/directory/accounts.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { changesBetween } from '../../../core/rpc/audit.ts';
import type { Clock } from '../../../core/runtime/clock.ts';

type Connections = { readonly accounts: Pick<Accounts, 'rename'>; readonly clock: Clock };

export const updateAccount = ({ accounts, clock }: Connections) => adminMethod(contract.methods.UpdateAccount, {
  run: async ({ account_id, name }, { audit }) => ({
    account: await accounts.rename(account_id, name, clock(), (before, after) => {
      audit.describe({ entity_name: after.name, changes: changesBetween<Account>(before, after, ['name']) });
      return audit.successWrites();
    }),
  }),
});

import { accounts as contract } from '../../../contract/admin/accounts.ts';
import type { AccountRestorations } from '../../../core/directory/accounts/account-restorations.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';

type Dependencies = { readonly restorations: AccountRestorations; readonly clock: Clock };

export const restoreAccount = ({ restorations, clock }: Dependencies) =>
  adminMethod(contract.methods.RestoreAccount, {
    async run({ account_id: accountId }, { audit }) {
      const { account, lost } = await restorations.restore(accountId, clock(), ({ name, email }, notRestored) => {
        const addresses = notRestored.map((address) => address.email).join(' ');
        audit.describe({ entity_name: name, metadata: { email, ...(addresses && { not_restored: addresses }) } });
        return audit.successWrites();
      });
      return { account, addresses_not_restored: lost };
    },
  });

import { aliases as contract } from '../../../contract/admin/aliases.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import type { Forwardings } from '../../../core/directory/forwarding/forwardings.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { auditForwarding } from './forwarding-audit.ts';

type Dependencies = { readonly forwardings: Pick<Forwardings, 'put'>; readonly accounts: Pick<Accounts, 'findAll'>; readonly clock: Clock };

export const deleteForwarding = ({ forwardings, accounts, clock }: Dependencies) =>
  adminMethod(contract.methods.DeleteForwarding, {
    prefetch: ({ account_id }) => accounts.findAll([account_id]),
    async run({ account_id }, { audit }, [account]) {
      await forwardings.put(account_id, { addresses: [], keep_copy: true }, clock(), auditForwarding(audit, account));
      return {};
    },
  });

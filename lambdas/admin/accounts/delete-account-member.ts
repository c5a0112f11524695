import { accounts as contract } from '../../../contract/admin/accounts.ts';
import type { Members } from '../../../core/directory/users/members.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { memberAudit } from '../../../core/rpc/directory-audit.ts';
import type { Clock } from '../../../core/runtime/clock.ts';

type Dependencies = { readonly members: Pick<Members, 'remove'>; readonly clock: Clock };

export const deleteAccountMember = ({ members, clock }: Dependencies) =>
  adminMethod(contract.methods.DeleteAccountMember, {
    async run({ account_id: accountId, user_id: principalId }, { audit }) {
      await members.remove({ accountId, principalId }, clock(), memberAudit(audit, { user_id: principalId }));
      return {};
    },
  });

import { users as contract } from '../../../contract/admin/users.ts';
import type { Members } from '../../../core/directory/users/members.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { memberAudit } from '../../../core/rpc/directory-audit.ts';
import type { Clock } from '../../../core/runtime/clock.ts';

type Dependencies = { readonly members: Pick<Members, 'remove'>; readonly clock: Clock };

export const deleteUserAccountMember = ({ members, clock }: Dependencies) =>
  adminMethod(contract.methods.DeleteUserAccountMember, {
    async run({ user_id: principalId, account_id: accountId }, { audit }) {
      audit.describe({ entity_id: principalId });
      await members.remove({ accountId, principalId }, clock(), memberAudit(audit, { account_id: accountId }));
      return {};
    },
  });

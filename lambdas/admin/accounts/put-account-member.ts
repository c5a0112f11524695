import { accounts as contract } from '../../../contract/admin/accounts.ts';
import type { Members } from '../../../core/directory/users/members.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { memberAudit } from '../../../core/rpc/directory-audit.ts';
import type { Clock } from '../../../core/runtime/clock.ts';

type Dependencies = { readonly members: Pick<Members, 'put'>; readonly clock: Clock };

export const putAccountMember = ({ members, clock }: Dependencies) =>
  adminMethod(contract.methods.PutAccountMember, {
    async run({ account_id: accountId, user_id: principalId, role }, { audit }) {
      return { member: await members.put({ accountId, principalId }, role, clock(), memberAudit(audit, { user_id: principalId })) };
    },
  });

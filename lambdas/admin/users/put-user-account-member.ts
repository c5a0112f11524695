import { users as contract } from '../../../contract/admin/users.ts';
import type { Members } from '../../../core/directory/users/members.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { memberAudit } from '../../../core/rpc/directory-audit.ts';
import type { Clock } from '../../../core/runtime/clock.ts';

type Dependencies = { readonly members: Pick<Members, 'put'>; readonly clock: Clock };

export const putUserAccountMember = ({ members, clock }: Dependencies) =>
  adminMethod(contract.methods.PutUserAccountMember, {
    async run({ user_id: principalId, account_id: accountId, role }, { audit }) {
      audit.describe({ entity_id: principalId });
      return { member: await members.put({ accountId, principalId }, role, clock(), memberAudit(audit, { account_id: accountId })) };
    },
  });

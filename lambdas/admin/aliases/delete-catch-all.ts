import { aliases as contract } from '../../../contract/admin/aliases.ts';
import type { CatchAlls } from '../../../core/directory/aliases/catch-alls.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { auditCatchAll } from './group-audit.ts';

export const deleteCatchAll = ({ catchAlls }: { readonly catchAlls: CatchAlls }) =>
  adminMethod(contract.methods.DeleteCatchAll, {
    async run({ domain_id }, { audit }) {
      await catchAlls.set(domain_id, undefined, auditCatchAll(audit, undefined));
      return {};
    },
  });

import { status as contract } from '../../../contract/admin/status.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';

export const getCaller = () =>
  adminMethod(contract.methods.GetCaller, {
    run: async (_request, { caller: { principalId, name, email, role } }) => ({ caller: { principal_id: principalId, name, email, admin_role: role } }),
  });

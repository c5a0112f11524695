import { status as contract } from '../../../contract/admin/status.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';

export const ping = () => adminMethod(contract.methods.Ping, { run: async () => ({}) });

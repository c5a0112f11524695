import type { status } from '../../../contract/admin/status.ts';
import type { AdminMethods } from '../../../core/rpc/admin-method.ts';
import { getStatus, type StatusDependencies } from './get-status.ts';
import { ping } from './ping.ts';

/** The methods of /status (docs/specification.md#status). */
export const statusService = (dependencies: StatusDependencies): AdminMethods<typeof status> => ({
  Ping: ping(),
  GetStatus: getStatus(dependencies),
});

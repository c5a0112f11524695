import type { AdminRole } from '../../contract/rpc/admin-roles.ts';
import { useAdminQuery } from './admin-api.tsx';

/** The role of the person. Until it is known, nothing is hidden: the API refuses what the role lacks. */
export const useRole = (): AdminRole => useAdminQuery('status', 'GetCaller', {}).data?.caller.admin_role ?? 'ALL';

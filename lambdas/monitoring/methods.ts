import type { monitoring } from '../../contract/admin/monitoring.ts';
import { unimplemented, type Behaviours } from '../platform/admin-pipe.ts';

/** What /monitoring does. */
export const monitoringMethods = (): Behaviours<typeof monitoring> => ({
  GetOverview: unimplemented,
  ListRecentErrors: unimplemented,
  GetLogContext: unimplemented,
});

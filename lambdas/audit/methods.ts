import type { audit } from '../../contract/admin/audit.ts';
import { unimplemented, type Behaviours } from '../platform/admin-pipe.ts';

/** What /audit does. */
export const auditMethods = (): Behaviours<typeof audit> => ({
  ListAuditLogs: unimplemented,
  ListActors: unimplemented,
  ListOperations: unimplemented,
});

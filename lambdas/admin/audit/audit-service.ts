import type { audit } from '../../../contract/admin/audit.ts';
import type { AuditEntries } from '../../../core/directory/audit-log.ts';
import type { AdminMethods } from '../../../core/rpc/admin-method.ts';
import { listActors } from './list-actors.ts';
import { listAuditLogs } from './list-audit-logs.ts';
import { listOperations } from './list-operations.ts';

type AuditServiceDependencies = { readonly entries: AuditEntries };

/** The methods of /audit (docs/specification.md#audit). */
export const auditService = (dependencies: AuditServiceDependencies): AdminMethods<typeof audit> => ({
  ListAuditLogs: listAuditLogs(dependencies),
  ListActors: listActors(dependencies),
  ListOperations: listOperations(),
});

import type { audit } from '../../../contract/admin/audit.ts';
import type { AuditEntries } from '../../../core/directory/operations/audit-log.ts';
import type { AdminMethods } from '../../../core/rpc/admin-method.ts';
import { listActors } from './list-actors.ts';
import { listAuditLogs } from './list-audit-logs.ts';
import { listOperations } from './list-operations.ts';

export type AuditServiceConnections = { readonly entries: AuditEntries };

/** The methods of /audit (docs/specification.md#audit). */
export const auditService = (connections: AuditServiceConnections): AdminMethods<typeof audit> => ({
  ListAuditLogs: listAuditLogs(connections),
  ListActors: listActors(connections),
  ListOperations: listOperations(),
});

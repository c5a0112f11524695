import type { Alias } from '../../../contract/admin/aliases.ts';
import { changesBetween, type Audit, type AuditSubject } from '../../../core/rpc/audit.ts';
import type { Write } from '../../../core/storage/table.ts';

const auditedFields = ['email', 'is_active', 'is_visible', 'can_send_from', 'name', 'reply_to', 'bcc'] as const;
/** The fields that only change when an existing alias gets another place. */
const placeFields = ['account_id', 'is_primary'] as const;

/**
 * The subject of the audit entry. @param before undefined for a new alias. @param after undefined for a deleted one.
 */
export const aliasAuditSubject = (before: Alias | undefined, after: Alias | undefined): Partial<AuditSubject> => {
  const alias = after ?? before;
  return {
    entity_id: alias?.alias_id,
    entity_name: alias?.email,
    metadata: alias && { account_id: alias.account_id },
    changes: changesBetween<Alias>(before, after, [...(before && after ? placeFields : []), ...auditedFields]),
  };
};

/** Describes the change of an alias, and returns the writes that record its success. */
export const auditAliasChange =
  (audit: Audit) =>
  (before: Alias, after: Alias): readonly Write[] => {
    audit.describe(aliasAuditSubject(before, after));
    return audit.successWrites();
  };

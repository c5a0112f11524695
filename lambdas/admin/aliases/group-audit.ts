import type { Group } from '../../../contract/admin/aliases.ts';
import type { StoredDomain } from '../../../core/directory/domains/domains.ts';
import { changesBetween, type Audit, type AuditSubject } from '../../../core/rpc/audit.ts';
import type { Write } from '../../../core/storage/table.ts';

/** The subject of the audit entry. @param before undefined for a new group. @param after undefined for a deleted one. */
export const groupAuditSubject = (before: Group | undefined, after: Group | undefined): Partial<AuditSubject> => {
  const group = after ?? before;
  return {
    entity_id: group?.group_id,
    entity_name: group?.email,
    changes: changesBetween<Group>(before, after, ['email', 'name', 'description', 'writers', 'members_may_send', 'member_count']),
  };
};

/**
 * Describes the change of a group, and returns the writes that record its success.
 * @param members the ids of the members that the call adds or removes.
 */
export const auditGroupChange =
  (audit: Audit, members?: { readonly added: readonly string[] } | { readonly removed: readonly string[] }) =>
  (before: Group, after: Group): readonly Write[] => {
    audit.describe({ ...groupAuditSubject(before, after), ...(members && { metadata: memberMetadata(members) }) });
    return audit.successWrites();
  };

/** Describes who gets the mail for addresses at a domain that do not exist, and returns the writes that record the success. */
export const auditCatchAll =
  (audit: Audit, receiverId: string | undefined) =>
  ({ id, domain, catch_all }: StoredDomain): readonly Write[] => {
    const changes = changesBetween({ catch_all }, { catch_all: receiverId }, ['catch_all']);
    audit.describe({ entity_id: id, entity_name: domain, changes });
    return audit.successWrites();
  };

const memberMetadata = (members: { readonly [how: string]: readonly string[] }): { readonly [how: string]: string } =>
  Object.fromEntries(Object.entries(members).map(([how, ids]) => [how, ids.join(' ')]));

import type { RoleChangeWrites } from '../directory/members.ts';
import { changesBetween, type Audit } from './audit.ts';

/**
 * The audit writes for a change of a member's role, to be stored in the transaction that changes the role.
 * @param metadata the side of the membership that the entry's entity_id does not name: `user_id` or `account_id`.
 */
export const memberAudit = (audit: Audit, metadata: { readonly user_id: string } | { readonly account_id: string }): RoleChangeWrites =>
  ({ accountName, before, after }) => {
    audit.describe({ entity_name: accountName, changes: changesBetween({ role: before }, { role: after }, ['role']), metadata });
    return audit.successWrites();
  };

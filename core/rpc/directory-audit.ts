import type { User } from '../../contract/admin/users.ts';
import type { RoleChangeWrites } from '../directory/users/members.ts';
import { changesBetween, type Audit } from './audit.ts';

/** Audit entries about the directory, which several Lambdas write. */

/**
 * The audit writes for a change of a member's role.
 * @param metadata the id of the membership that is not the entry's entity_id: `user_id` or `account_id`.
 */
export const memberAudit =
  (audit: Audit, metadata: { readonly user_id: string } | { readonly account_id: string }): RoleChangeWrites =>
  ({ accountName, before, after }) => {
    audit.describe({ entity_name: accountName, changes: changesBetween({ role: before }, { role: after }, ['role']), metadata });
    return audit.successWrites();
  };

/** The audit writes for a new user. @param isLastStep whether nothing is left to do after these writes. */
export const newUserAudit =
  (audit: Audit, { isLastStep }: { readonly isLastStep: boolean }) =>
  (user: Pick<User, 'user_id' | 'name' | 'primary_email' | 'display_name' | 'is_admin'>) => {
    const changes = changesBetween<User>({}, user, ['primary_email', 'display_name', 'is_admin']);
    audit.describe({ entity_id: user.user_id, entity_name: user.name, changes });
    return isLastStep ? audit.successWrites() : audit.pendingWrites();
  };

import { readEmailAddress } from '../../../contract/fields.ts';
import type { User } from '../../../contract/admin/users.ts';
import { changesBetween, openAudit, systemActor, type AuditConnections } from '../../../core/rpc/audit.ts';
import { rpcErrorOf } from '../../../core/rpc/rpc-error.ts';
import { completeUser, type UserStores } from '../../admin/users/new-user.ts';

export type FirstAdminStores = UserStores & { readonly audit: AuditConnections };

/**
 * Makes the deployment's first admin, once: invited, or appointed if they are a user already. Whoever comes after is made by an admin,
 * and a first admin who was demoted since stays so.
 * @throws Error in words for whoever deploys.
 */
export const appointFirstAdmin = async (stores: FirstAdminStores, address: unknown): Promise<void> => {
  const email = typeof address === 'string' ? readEmailAddress(address) : undefined;
  if (email === undefined) throw new Error('adminEmail is not an email address');
  const { users, newId, clock } = stores;
  if (await users.hasFirstAdmin()) return;
  const { id, isReady } = await users.reserve(email, newId('user'));
  const existing = isReady ? await users.find(id) : undefined;
  const audit = await openAudit(stores.audit, existing ? 'users/UpdateUser' : 'users/CreateUser', systemActor('first-admin'), id);
  try {
    if (!existing) return void await completeUser(stores, Promise.resolve({ id, isReady: false }), { email, is_admin: true }, audit, 'first-admin');
    audit.about({ entity_name: existing.name, changes: changesBetween<User>(existing, { is_admin: true }, ['is_admin']) });
    if (!(await users.appointFirstAdmin(existing, clock(), audit.writes()))) throw new Error('the first admin is being made by somebody else; deploy again');
  } catch (error) {
    await audit.failed(rpcErrorOf(error));
    throw error;
  }
};

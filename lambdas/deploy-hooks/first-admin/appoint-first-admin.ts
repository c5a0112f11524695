import type { User } from '../../../contract/admin/users.ts';
import type { Invitation } from '../../../contract/oauth/first-sign-in.ts';
import { parseEmailAddress } from '../../../contract/values/mail-address.ts';
import type { IdentityProvider } from '../../../core/aws/identity-provider.ts';
import { inviteUser } from '../../../core/directory/users/invite-user.ts';
import type { Users } from '../../../core/directory/users/users.ts';
import { changesBetween, openAudit, systemActor, type AuditDependencies } from '../../../core/rpc/audit.ts';
import { newUserAudit } from '../../../core/rpc/directory-audit.ts';
import { toRpcError } from '../../../core/rpc/rpc-error.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { NewId } from '../../../core/runtime/ids.ts';

type FirstAdminDependencies = {
  readonly users: Users;
  readonly identityProvider: IdentityProvider;
  /** Whether the deployment receives mail for the domain of an address. */
  readonly receivesMail: (address: string) => Promise<boolean>;
  /** The facts of the invitation. */
  readonly invitation: Invitation;
  readonly audit: AuditDependencies;
  readonly newId: NewId;
  readonly clock: Clock;
};

/**
 * Appoints the deployment's first admin, once. It invites the address, or makes the existing user with that address an
 * admin. Later admins are created by admins. The next deployment does not restore a first admin who was demoted.
 * @throws Error with a message for the person who deploys.
 */
export const appointFirstAdmin = async (dependencies: FirstAdminDependencies, address: unknown): Promise<void> => {
  const email = typeof address === 'string' ? parseEmailAddress(address) : undefined;
  if (email === undefined) throw new Error('adminEmail is not an email address');
  const { users, newId, clock } = dependencies;
  if (await users.hasFirstAdmin()) return;
  const { id, isReady } = await users.reserve(email, newId('user'));
  const existing = isReady ? await users.find(id) : undefined;
  const audit = await openAudit(dependencies.audit, existing ? 'users/UpdateUser' : 'users/CreateUser', systemActor('first-admin'), id);
  try {
    if (!existing) {
      const newAdmin = { email, is_admin: true, invitation: (await dependencies.receivesMail(email)) ? undefined : dependencies.invitation };
      await inviteUser(dependencies, Promise.resolve({ id, isReady: false }), newAdmin, newUserAudit(audit, { isLastStep: true }), 'first-admin');
      return;
    }
    audit.describe({ entity_name: existing.name, changes: changesBetween<User>(existing, { is_admin: true }, ['is_admin']) });
    const isAppointed = await users.appointFirstAdmin(existing, clock(), audit.successWrites());
    if (!isAppointed) throw new Error('another deploy is creating the first admin; deploy again');
  } catch (error) {
    await audit.recordFailure(toRpcError(error));
    throw error;
  }
};

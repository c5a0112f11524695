import type { IdentityProvider } from '../../core/aws/identity-provider.ts';
import type { AuditTrail } from '../../core/directory/audit-log.ts';
import type { Members } from '../../core/directory/users/members.ts';
import type { UserRemovals } from '../../core/directory/users/user-removals.ts';
import type { Users } from '../../core/directory/users/users.ts';
import { openAudit, systemActor } from '../../core/rpc/audit.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { NewId } from '../../core/runtime/ids.ts';

export type UserRemovalDependencies = {
  readonly userRemovals: UserRemovals;
  readonly users: Pick<Users, 'find'>;
  readonly members: Pick<Members, 'accountIdsOf' | 'forget'>;
  readonly identityProvider: Pick<IdentityProvider, 'remove'>;
  readonly trail: AuditTrail;
  readonly newId: NewId;
  readonly clock: Clock;
};

/**
 * Removes the deleted users who can no longer be restored: first their sign-in at the identity provider, then their
 * memberships, then their record and address. Each step may be repeated, so that the next run completes an interrupted
 * one.
 * @returns the number of removed users.
 */
export const removeUsers = async (dependencies: UserRemovalDependencies): Promise<number> => {
  const { userRemovals, clock } = dependencies;
  let removed = 0;
  for (const userId of await userRemovals.listDue(clock())) {
    if ((await userRemovals.begin(userId)) && (await removeUser(dependencies, userId))) removed++;
  }
  return removed;
};

const removeUser = async (
  { userRemovals, users, members, identityProvider, trail, newId, clock }: UserRemovalDependencies,
  userId: string,
): Promise<boolean> => {
  const user = await users.find(userId);
  if (!user) return false;
  for (const { username } of user.idp_identities ?? []) await identityProvider.remove(username);
  for (const accountId of await members.accountIdsOf(userId)) await members.forget({ accountId, principalId: userId }, clock());
  const audit = await openAudit({ trail, newId, clock }, 'users/DeleteUser', systemActor('account-removal'), userId);
  audit.describe({ metadata: { removal: 'complete' } });
  await userRemovals.finish(user, audit.successWrites());
  return true;
};

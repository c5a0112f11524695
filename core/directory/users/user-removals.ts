import { directoryKeys } from '../../../contract/deployment/keys.ts';
import { tryWrite } from '../../storage/retry-on-conflict.ts';
import type { Table, Write } from '../../storage/table.ts';
import { userEmailKey } from '../address-reservations.ts';
import { listingWrites } from '../listings.ts';
import { adminMarkWrite } from './admin-protection.ts';
import { profileKey } from './member-profile.ts';
import { userRemovalKey, userRemovalRow, type StoredUser } from './users.ts';

/** Removals of deleted users who can no longer be restored. */
export type UserRemovals = {
  /** Ids of the deleted users who can no longer be restored. */
  listDue(now: Date): Promise<readonly string[]>;
  /**
   * Begins a removal, after which the user can't be restored.
   * @returns false if the user was restored, or is removed already.
   */
  begin(userId: string): Promise<boolean>;
  /**
   * Deletes the user in one transaction with the additional writes. Whether the user was an admin stays recorded.
   */
  finish(user: StoredUser, additionalWrites: readonly Write[]): Promise<void>;
};

export const userRemovalsIn = (table: Table): UserRemovals => ({
  async listDue(now) {
    const waiting = await table.query({ pk: userRemovalKey('').pk });
    return waiting.filter((item) => userRemovalRow(item).removal_at <= now.toISOString()).map(({ sk }) => sk);
  },
  begin: (userId) => tryWrite(table, [{ update: userRemovalKey(userId), set: { step: 'removing' }, if: { present: true } }]),
  async finish(user, additionalWrites) {
    const { user_id: userId, primary_email, primary_account_id, changing_to, idp_identities: identities = [] } = user;
    const emails = [primary_email, changing_to].filter((email) => email !== undefined);
    // Since the deletion, somebody else may have got an address.
    const ofAccount = primary_account_id === undefined ? [] : [directoryKeys.account(primary_account_id)];
    const items = await table.batchGet([...[...new Set(emails)].map(userEmailKey), ...ofAccount]);
    const reserved = items.filter((item) => item['user_id'] === userId);
    const ownAccount = items.find((item) => item.pk === ofAccount[0]?.pk);
    await tryWrite(table, [
      { delete: userRemovalKey(userId), if: { equals: { step: 'removing' } } },
      { delete: directoryKeys.user(userId) },
      { delete: profileKey(userId) },
      adminMarkWrite(userId, user.is_admin),
      ...listingWrites('user', user, undefined),
      ...reserved.map(({ pk, sk }): Write => ({ delete: { pk, sk }, if: { equals: { user_id: userId } } })),
      // The deletion of a primary account changes its owner's record, which does not exist any more.
      ...(ownAccount ? [{ update: ofAccount[0]!, set: { is_owners_primary: false }, if: { present: true } } as const] : []),
      ...identities.map(({ sub }) => ({ delete: directoryKeys.identity(sub) })),
      ...additionalWrites,
    ]);
  },
});

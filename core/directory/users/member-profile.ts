import type { AccountMember } from '../../../contract/admin/accounts.ts';
import type { User } from '../../../contract/admin/users.ts';
import { directoryKeys } from '../../../contract/deployment/keys.ts';
import { rowOf, type Key, type Write } from '../../storage/table.ts';

/**
 * The key of a person's profile, which is in the partition of their memberships, so that one query reads everything
 * that a request checks. Every change of these fields in the record `user`/user_id also writes the profile, in the same
 * transaction. No account id equals the profile's sort key.
 */
export const profileKey = directoryKeys.profile;

/** The fields of a user that requests check. */
type Profile = Pick<User, 'user_id' | 'is_active' | 'is_admin' | 'is_deleted' | 'primary_email' | 'primary_account_id'> & {
  readonly tokens_revoked_at?: string | undefined;
};

/** Writes the profile of a user beside the memberships, in the transaction that changes the user. */
export const profileWrite = (user: Profile): Write => {
  const { is_active, is_admin, is_deleted, tokens_revoked_at, primary_email, primary_account_id } = user;
  return { put: { ...profileKey(user.user_id), is_active, is_admin, is_deleted, tokens_revoked_at, primary_email, primary_account_id } };
};

/** The profile of a user, or the same fields of the record `user`/user_id. */
export const profileRow = rowOf<Profile>;

/** The attributes of the item `account-member#account_id`/principal_id. */
export type MemberRow = Pick<AccountMember, 'role' | 'created_at' | 'updated_at'> & { readonly is_owner: boolean };

export const memberRow = rowOf<MemberRow>;

/** The attributes of the item `member#principal_id`/account_id. */
type MembershipRow = MemberRow & { readonly account_name: string };

export const membershipRow = rowOf<MembershipRow>;

/** Whether an item of the partition `member#`principal_id is a membership. */
export const isMembership = ({ sk }: Key): boolean => sk !== profileKey('').sk;

import { directoryKeys, directoryPartitions } from '../../../contract/deployment/keys.ts';
import { isIdOf } from '../../../contract/values/ids.ts';
import type { Item, Table } from '../../storage/table.ts';
import { isMembership, membershipRow, profileRow } from './member-profile.ts';
import type { StoredUser } from './users.ts';

/** Roles on an account, weakest first (docs/specification.md#accounts). */
export type Role = 'READ' | 'WRITE' | 'ADMIN';

/** Whether a membership allows changes: only the roles that say so do. */
export const mayWrite = (role: unknown): boolean => role === 'WRITE' || role === 'ADMIN';

export type Membership = {
  readonly accountId: string;
  readonly role: Role;
  /** The display name of the account. */
  readonly accountName: string;
  /** Whether the principal is the account's owner. */
  readonly isOwner: boolean;
  /** Time of creation (RFC 3339). A change of the role does not change it. */
  readonly createdAt: string;
};

/** A caller's current record in the directory. The record, not the token, decides the caller's rights. */
export type Principal = {
  readonly principalId: string;
  readonly isMachine: boolean;
  /** False for a deactivated or deleted user, who is refused everywhere. */
  readonly isActive: boolean;
  readonly isAdmin: boolean;
  /**
   * Time of the person's last deactivation, in seconds since 1970. Undefined for a machine, and for a person who was
   * never deactivated.
   */
  readonly tokensRevokedAt?: number;
  /** The primary address of a person, or the client id of a machine. It is `username` in the JMAP session. */
  readonly username: string;
  readonly memberships: readonly Membership[];
  /**
   * The primary account, which `primaryAccounts` of the JMAP session names. Undefined without a membership. A new
   * membership never changes it.
   */
  readonly primaryAccountId?: string;
};

/**
 * The time of the sign-in for a token, or for a connection that was opened with it. It decides whether the token is
 * revoked.
 */
type SignIn = { readonly authenticatedAt: number };

/** Time of a user's last deactivation, in seconds since 1970. */
export const tokensRevokedAtOf = (profile: Pick<StoredUser, 'tokens_revoked_at'>): number | undefined =>
  profile.tokens_revoked_at === undefined ? undefined : Math.floor(Date.parse(profile.tokens_revoked_at) / 1000);

/** Whether the sign-in was before the person's last deactivation, in the same second, or at a time that is not known. */
export const isRevoked = ({ authenticatedAt }: SignIn, { tokensRevokedAt }: { readonly tokensRevokedAt?: number | undefined }): boolean =>
  tokensRevokedAt !== undefined && !(authenticatedAt > tokensRevokedAt);

export type Principals = {
  /** The principal with its memberships, in one query. @returns undefined for an unknown person; never for a machine. */
  find(token: { readonly principalId: string; readonly isMachine: boolean }): Promise<Principal | undefined>;
};

const membershipOf = (item: Item): Membership => {
  const { role, account_name: accountName, is_owner: isOwner, created_at: createdAt } = membershipRow(item);
  return { accountId: item.sk, role, accountName, isOwner, createdAt };
};

/**
 * A person's primary account, while the person is a member of it. Otherwise, and for a machine, the account with the
 * oldest membership, own accounts first.
 * @param stored the attribute `primary_account_id` of the user.
 */
const primaryAccountOf = (stored: string | undefined, memberships: readonly Membership[]): string | undefined => {
  if (stored !== undefined && memberships.some(({ accountId }) => accountId === stored)) return stored;
  const order = ({ isOwner, createdAt, accountId }: Membership) => `${isOwner ? 0 : 1} ${createdAt} ${accountId}`;
  return memberships.toSorted((one, other) => (order(one) < order(other) ? -1 : 1))[0]?.accountId;
};

export const principalsIn = (table: Table): Principals => ({
  async find({ principalId, isMachine }) {
    if (principalId === '') return undefined;
    const items = await table.query({ pk: directoryPartitions.memberships(principalId) });
    const item = isMachine ? undefined : items.find((each) => !isMembership(each));
    if (!isMachine && !item) return undefined;
    const profile = item && profileRow(item);
    const memberships = items.filter(isMembership).map(membershipOf);
    return {
      principalId,
      isMachine,
      isActive: isMachine || (profile !== undefined && isActiveProfile(profile)),
      isAdmin: profile?.is_admin === true,
      tokensRevokedAt: profile && tokensRevokedAtOf(profile),
      username: isMachine ? principalId : (profile?.primary_email ?? ''),
      memberships,
      primaryAccountId: primaryAccountOf(profile?.primary_account_id, memberships),
    };
  },
});

/** Finds the members of an account, who are notified of its changes. */
export type MemberLookup = {
  /** Ids of the principals that are members of the account, read by one query. */
  memberIds(accountId: string): Promise<string[]>;
  /**
   * Finds whether a principal is active, and when a person was last deactivated, in one read. A person without a record is
   * not.
   */
  findAccess(principalId: string): Promise<Pick<Principal, 'isActive' | 'tokensRevokedAt'>>;
};

export const memberLookupIn = (directory: Table): MemberLookup => ({
  memberIds: async (accountId) => (await directory.query({ pk: directoryPartitions.accountMembers(accountId) })).map(({ sk }) => sk),
  async findAccess(principalId) {
    const profile = await directory.get(directoryKeys.user(principalId));
    return profile ? { isActive: isActiveProfile(profile), tokensRevokedAt: tokensRevokedAtOf(profileRow(profile)) } : { isActive: !isPersonId(principalId) };
  },
});

/** Whether a principal is a person. A machine has the id of its client at Cognito, which has no prefix. */
export const isPersonId = (principalId: string): boolean => isIdOf('user', principalId);

/** Whether a `user` item belongs to an active person. */
export const isActiveProfile = (profile: { readonly [attribute: string]: unknown }): boolean => profile['is_active'] === true && profile['is_deleted'] !== true;

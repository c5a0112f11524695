import type { Item, Table } from '../../storage/table.ts';
import type { StoredUser } from './users.ts';

/** Roles on an account, weakest first (docs/specification.md#accounts). */
export type Role = 'READ' | 'WRITE' | 'ADMIN';

export type Membership = {
  readonly accountId: string;
  readonly role: Role;
  /** The account's display name. */
  readonly accountName: string;
  /** The principal is the account's owner: `isPersonal` in the JMAP session. */
  readonly isOwner: boolean;
  /** RFC 3339. A change of the role keeps it. */
  readonly createdAt: string;
};

/** A caller's current record in the directory. It decides the caller's rights, not the token. */
export type Principal = {
  readonly principalId: string;
  readonly isMachine: boolean;
  /** False for a deactivated or deleted user, who is refused everywhere. */
  readonly isActive: boolean;
  readonly isAdmin: boolean;
  /** Seconds since 1970: when the person was last deactivated. Undefined for a machine, and when it never happened. */
  readonly tokensRevokedAt?: number;
  /** The primary address of a person; the client id of a machine. `username` in the JMAP session. */
  readonly username: string;
  readonly memberships: readonly Membership[];
  /** `primaryAccounts` in the JMAP session; undefined without a membership. Another membership never changes it. */
  readonly primaryAccountId?: string;
};

/** The sign-in of a token, or of a connection that was opened with it. It decides whether they are revoked. */
export type SignIn = { readonly authenticatedAt: number };

/** Seconds since 1970 of a user's last deactivation. */
export const tokensRevokedAtOf = (profile: Pick<StoredUser, 'tokens_revoked_at'>): number | undefined =>
  (profile.tokens_revoked_at === undefined ? undefined : Math.floor(Date.parse(profile.tokens_revoked_at) / 1000));

/**
 * Whether the sign-in is of a time before the person was last deactivated. Tokens have whole seconds: one of the second
 * of the deactivation is revoked too.
 */
export const isRevoked = (
  { authenticatedAt }: SignIn, { tokensRevokedAt }: { readonly tokensRevokedAt?: number | undefined },
): boolean => tokensRevokedAt !== undefined && authenticatedAt <= tokensRevokedAt;

export type Principals = {
  /**
   * The principal with its memberships, in one trip.
   * @returns undefined for a person who is not in the directory. A machine is always found: its token is its record.
   */
  find(token: { readonly principalId: string; readonly isMachine: boolean }): Promise<Principal | undefined>;
};

const membershipOf = (item: Item): Membership => ({
  accountId: item.sk,
  role: item['role'] as Role,
  accountName: item['account_name'] as string,
  isOwner: item['is_owner'] === true,
  createdAt: item['created_at'] as string,
});

/**
 * A person's primary account, while they are a member of it. Otherwise, and for a machine, the account with the oldest
 * membership, own accounts first.
 * @param stored `primary_account_id` of the user.
 */
const primaryAccountOf = (stored: unknown, memberships: readonly Membership[]): string | undefined => {
  if (memberships.some(({ accountId }) => accountId === stored)) return stored as string;
  const order = ({ isOwner, createdAt, accountId }: Membership) => `${isOwner ? 0 : 1} ${createdAt} ${accountId}`;
  return memberships.toSorted((one, other) => (order(one) < order(other) ? -1 : 1))[0]?.accountId;
};

export const principalsIn = (table: Table): Principals => ({
  async find({ principalId, isMachine }) {
    if (principalId === '') return undefined;
    const [profile, items] = await Promise.all([
      isMachine ? undefined : table.get({ pk: 'user', sk: principalId }),
      table.query({ pk: `member#${principalId}` }),
    ]);
    if (!isMachine && !profile) return undefined;
    const memberships = items.map(membershipOf);
    return {
      principalId,
      isMachine,
      isActive: isMachine || (profile !== undefined && isActiveProfile(profile)),
      isAdmin: profile?.['is_admin'] === true,
      tokensRevokedAt: profile && tokensRevokedAtOf(profile as Partial<StoredUser>),
      username: isMachine ? principalId : profile?.['primary_email'] as string,
      memberships,
      primaryAccountId: primaryAccountOf(profile?.['primary_account_id'], memberships),
    };
  },
});

/** Looks up the members of an account, for the notification of its changes. */
export type MemberLookup = {
  /** Ids of the principals that are members of the account. One query. */
  memberIds(accountId: string): Promise<string[]>;
  /**
   * Whether a person is active, and when they were last deactivated; true for a machine, which has no profile. One
   * read.
   */
  findAccess(principalId: string): Promise<Pick<Principal, 'isActive' | 'tokensRevokedAt'>>;
};

export const memberLookupIn = (directory: Table): MemberLookup => ({
  memberIds: async (accountId) => (await directory.query({ pk: `account-member#${accountId}` })).map(({ sk }) => sk),
  async findAccess(principalId) {
    const profile = await directory.get({ pk: 'user', sk: principalId });
    return profile
      ? { isActive: isActiveProfile(profile), tokensRevokedAt: tokensRevokedAtOf(profile as Partial<StoredUser>) }
      : { isActive: true };
  },
});

/** Whether a `user` item is of an active person. */
export const isActiveProfile = (profile: { readonly [attribute: string]: unknown }): boolean =>
  profile['is_active'] === true && profile['is_deleted'] !== true;

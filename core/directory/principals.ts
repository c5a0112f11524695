import type { Item, Table } from '../storage/table.ts';

/** Roles on an account, weakest first (docs/specification.md#accounts). */
export type Role = 'READ' | 'WRITE' | 'ADMIN';

export type Membership = {
  readonly accountId: string;
  readonly role: Role;
  /** The account's display name. */
  readonly accountName: string;
  /** The principal is the account's owner: `isPersonal` in the JMAP session. */
  readonly isOwner: boolean;
};

/** Who is calling, as the directory knows them now; whatever their token says, this decides. */
export type Principal = {
  readonly principalId: string;
  readonly isMachine: boolean;
  /** False once deactivated or deleted: refused everywhere. */
  readonly isActive: boolean;
  readonly isAdmin: boolean;
  /** Primary address of a person; the client id of a machine. `username` in the JMAP session. */
  readonly username: string;
  readonly memberships: readonly Membership[];
};

export type Principals = {
  /**
   * The principal with its memberships in one trip (profile and memberships are read side by side).
   * A person the directory does not know is undefined; a machine is known by its token and has whatever memberships it was given.
   */
  find(token: { readonly principalId: string; readonly isMachine: boolean }): Promise<Principal | undefined>;
};

const membershipOf = (item: Item): Membership => ({
  accountId: item.sk,
  role: item['role'] as Role,
  accountName: item['account_name'] as string,
  isOwner: item['is_owner'] === true,
});

/** Who calls, from the directory: profile and memberships side by side, so one trip. */
export const principalsIn = (table: Table): Principals => ({
  async find({ principalId, isMachine }) {
    if (principalId === '') return undefined;
    const [profile, memberships] = await Promise.all([
      isMachine ? undefined : table.get({ pk: 'user', sk: principalId }),
      table.query({ pk: `member#${principalId}` }),
    ]);
    if (!isMachine && !profile) return undefined;
    return {
      principalId,
      isMachine,
      isActive: isMachine || (profile !== undefined && isActiveProfile(profile)),
      isAdmin: profile?.['is_admin'] === true,
      username: isMachine ? principalId : profile?.['primary_email'] as string,
      memberships: memberships.map(membershipOf),
    };
  },
});

/** Who is to be told of an account's changes, as the directory says it now. */
export type Audience = {
  /** Ids of the principals that are members of the account. One query. */
  memberIds(accountId: string): Promise<string[]>;
  /** Whether a person may be told anything; a machine, which has no profile, always may. One read. */
  isActive(principalId: string): Promise<boolean>;
};

export const audienceIn = (directory: Table): Audience => ({
  memberIds: async (accountId) => (await directory.query({ pk: `account-member#${accountId}` })).map(({ sk }) => sk),
  async isActive(principalId) {
    const profile = await directory.get({ pk: 'user', sk: principalId });
    return !profile || isActiveProfile(profile);
  },
});

/** What `user` items say of a person. */
export const isActiveProfile = (profile: { readonly [attribute: string]: unknown }): boolean => profile['is_active'] === true && profile['is_deleted'] !== true;

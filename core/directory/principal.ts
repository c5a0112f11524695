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

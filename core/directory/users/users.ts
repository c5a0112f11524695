import type { User } from '../../../contract/admin/users.ts';
import { directoryKeys, directoryPartitions } from '../../../contract/deployment/keys.ts';
import { givenFields } from '../../../contract/values/given-fields.ts';
import type { Clock } from '../../runtime/clock.ts';
import { FailedPrecondition, NotFound } from '../../runtime/domain-errors.ts';
import { readPage, type Page } from '../../storage/page.ts';
import { conflict, retryOnConflictFrom, tryWrite } from '../../storage/retry-on-conflict.ts';
import { contentOf, rowOf, type Item, type Table, type Write } from '../../storage/table.ts';
import { signInAddressWrites, userEmailKey, userEmailRow } from '../address-reservations.ts';
import { listingWrites, readListedPage, type ListedPage } from '../listings.ts';
import { readyWrite, release, reserve, type Reservation } from '../reservation.ts';
import { adminMarkWrite } from './admin-protection.ts';
import { profileWrite } from './member-profile.ts';
import { changedByTokens, maySignIn, signInFields, type SignIns, type TokenUse } from './sign-ins.ts';

/** A stored user; `version` counts the changes of the record. */
export type StoredUser = User &
  SignIns & {
    readonly version: number;
    /** True while the identity provider does not have the user's current permission to sign in. */
    readonly sign_in_pending?: boolean;
    /**
     * Time of the last deactivation, deletion or reset of the password (RFC 3339). Tokens of earlier sign-ins are refused
     * forever.
     */
    readonly tokens_revoked_at?: string;
    /** The reserved sign-in address of a change that is not complete. */
    readonly changing_to?: string;
  };

/** A user who is being created. The other fields are derived. */
export type NewUser = Omit<User, 'sign_in_state' | 'temporary_password_until' | 'clients'> & Pick<SignIns, 'temporary_password_at'>;

/** The time of a change, and the seconds during which a deleted user can be restored. */
export type ChangeTime = { readonly now: Date; readonly recoverableSeconds: number };

/** Changes of a user. A missing field is unchanged. */
export type UserChange = {
  readonly [Field in 'display_name' | 'is_active' | 'is_admin' | 'admin_role' | 'is_deleted']?: User[Field] | undefined;
} & {
  /** The sign-in address of a restored user, which has to be claimed ({@link claimWrites}). */
  readonly primary_email?: string | undefined;
};

/** The role of a user who is an admin. An admin from before there were roles has none stored. */
export const adminRoleOf = ({ is_admin: isAdmin, admin_role: role }: Pick<User, 'is_admin' | 'admin_role'>): User['admin_role'] =>
  isAdmin ? (role ?? 'ALL') : undefined;

/** Whether the user can call every method of the admin API. Such users are counted, and the last one can't be removed. */
const isActiveAdmin = (user: Pick<User, 'is_active' | 'is_admin' | 'admin_role' | 'is_deleted'>): boolean => adminRoleOf(user) === 'ALL' && maySignIn(user);

/**
 * Users. `user`/user_id is the record. `member#user_id`/`profile` has what requests check of it. `user-email`/address
 * makes the address unique. `idp-identity`/sub finds the user of a sign-in. `admins`/`summary` counts the active
 * admins with the role ALL, and has the first admin. `admins`/user_id says whether a user is an admin (`admin-protection.ts`). `user-removal`/user_id is a deleted user who waits for removal (`user-removals.ts`).
 */
export type Users = {
  find(userId: string): Promise<StoredUser | undefined>;
  /** Finds the user with this `sub` at the identity provider. */
  findBySub(sub: string): Promise<StoredUser | undefined>;
  list(after: string | undefined, size: number): Promise<Page<StoredUser>>;
  /** A page of the users in an order, or of those that a query finds by name, sign-in address or an address of their accounts. */
  listed(page: ListedPage, after: string | undefined, size: number): Promise<Page<StoredUser>>;
  /** Whether a user has the address. */
  isTaken(email: string): Promise<boolean>;
  /** The id of the user for whom the sign-in address is reserved. */
  holderOf(email: string): Promise<string | undefined>;
  /** Reserves the address for a new user, or finds the existing reservation. */
  reserve(email: string, userId: string): Promise<Reservation>;
  /** Releases a reserved address whose user can't be created. It does nothing once the user is complete. */
  release(email: string, userId: string): Promise<void>;
  /**
   * Completes a reserved user, in one transaction with the additional writes.
   * @returns false if another call completed it, if another user has the identity, or if an alias has the address.
   */
  complete(user: NewUser, additionalWrites: readonly Write[], asFirst?: 'first-admin'): Promise<boolean>;
  /** Whether the deployment has ever had a first admin. */
  hasFirstAdmin(): Promise<boolean>;
  /**
   * Changes a user, in one transaction with the additional writes. These are made even if nothing changes.
   * @param known the user, if the caller has read it. After a conflict it is read again.
   * @throws NotFound; FailedPrecondition for a deleted user who is not restored, for a user who is being removed, and
   * for a change after which no admin with the role ALL remains, or that gives a role to a user who is no admin;
   * StoreConflict.
   */
  update(
    known: UserAndAdmins,
    userId: string,
    change: UserChange,
    time: ChangeTime,
    additionalWrites: (before: StoredUser, after: StoredUser) => readonly Write[],
  ): Promise<StoredUser>;
  /**
   * Refuses the tokens of all earlier sign-ins of a user, in one transaction with the additional writes.
   * @param known the user as the caller has read it. After a conflict it is read again.
   * @param hasTemporaryPassword whether the user got a temporary password.
   * @throws NotFound, StoreConflict.
   */
  revokeTokens(known: StoredUser, now: Date, additionalWrites: readonly Write[], hasTemporaryPassword?: boolean): Promise<void>;
  /** Records that the user got a temporary password, in one transaction with the additional writes. */
  recordTemporaryPassword(userId: string, now: Date, additionalWrites: readonly Write[]): Promise<void>;
  /**
   * Records that a client got tokens for the user as the caller has read it. It writes at most once for a user, client
   * and day, except in concurrent calls. Of two clients at once, one may be recorded later.
   */
  recordTokens(user: StoredUser, use: TokenUse, now: Date): Promise<void>;
  /**
   * Reserves another sign-in address for a user, with the additional writes. It takes the place of an earlier one whose
   * change was not completed.
   * @returns the user; undefined if another user has the address, or the user changed since it was read.
   */
  reserveSignInAddress(user: StoredUser, email: string, additionalWrites: readonly Write[]): Promise<StoredUser | undefined>;
  /** Releases a reserved sign-in address that the user can't have. */
  releaseSignInAddress(userId: string, email: string): Promise<void>;
  /**
   * Makes a reserved sign-in address that of the user, and refuses the tokens of all earlier sign-ins, in one transaction
   * with the additional writes. The old address is free.
   * @param known the user with the reservation. After a conflict it is read again.
   * @param ownAccountId the account of the user that may have the address.
   * @throws StoreConflict, also when another account has the address.
   */
  changeSignInAddress(known: StoredUser, email: string, ownAccountId: string | undefined, now: Date, additionalWrites: readonly Write[]): Promise<StoredUser>;
  /** Reads the input of `update`, in one round trip. */
  findForUpdate(userId: string): Promise<UserAndAdmins>;
  /**
   * Stores that the identity provider has the user's permission to sign in, with the additional writes. The addresses of
   * a deleted user are free then.
   * @returns false if the user changed since it was read.
   */
  clearSignInPending(user: StoredUser, additionalWrites: readonly Write[]): Promise<boolean>;
  /**
   * Makes a user the first admin of the deployment.
   * @returns false if there was a first admin already, or if the user changed since it was read.
   */
  appointFirstAdmin(user: StoredUser, now: Date, additionalWrites: readonly Write[]): Promise<boolean>;
};

/** A user, and the number of active admins with the role ALL. */
export type UserAndAdmins = { readonly user: StoredUser | undefined; readonly admins: number | undefined };

export const userRemovalKey = directoryKeys.userRemoval;
/** The key of the item with the first admin and the number of active admins with the role ALL. */
export const adminsKey = directoryKeys.admins;

export const adminsRow = rowOf<{ readonly first_admin?: string; readonly count?: number }>;

const identityRow = rowOf<{ readonly user_id: string }>;

/** The record of a user as it was written, without what is derived. */
export const storedUserOf = contentOf<StoredUser>;

/** The attributes of the item `user-removal`/user_id. */
type UserRemovalRow = { readonly removal_at: string; readonly step: 'waiting' | 'removing' };

export const userRemovalRow = rowOf<UserRemovalRow>;

/** A stored user with the fields that are derived. */
export const withDerived = <Stored extends NewUser>(user: Stored, now: Date) => ({
  ...user,
  name: user.display_name ?? user.primary_email ?? user.user_id,
  admin_role: adminRoleOf(user),
  ...signInFields(user, now),
});

const firstAdminWrite = (userId: string, added: number): Write => ({
  update: adminsKey,
  set: { first_admin: userId },
  add: { count: added },
  if: { lacks: 'first_admin' },
});

/** The user after a change. An empty text removes a field. */
const changed = (user: StoredUser, change: UserChange, now: Date): StoredUser => withDerived({ ...user, ...givenFields(change) }, now);

/** The writes that reserve the sign-in address of a restored user. @param ownAccountId the account of the user that may have it. */
export const claimWrites = (userId: string, email: string, ownAccountId: string | undefined): Write[] => [
  { put: { ...userEmailKey(email), user_id: userId, state: 'ready' }, if: [{ absent: true }, { equals: { user_id: userId } }] },
  ...signInAddressWrites(email, ownAccountId),
];

/** The value of `tokens_revoked_at` after a change. */
const tokensRevokedAt = (before: StoredUser, after: StoredUser, now: Date): string | undefined =>
  maySignIn(before) && !maySignIn(after) ? now.toISOString() : before.tokens_revoked_at;

/** The writes that free the addresses of a deleted user. They fail if somebody else has one. */
const addressReleases = (userId: string, ...emails: readonly (string | undefined)[]): Write[] =>
  [...new Set(emails.filter((email) => email !== undefined))].map((email) => ({
    delete: userEmailKey(email),
    if: [{ absent: true }, { equals: { user_id: userId } }],
  }));

/** The value of `removal_at` after a change. */
const removalAt = (before: StoredUser, after: StoredUser, { now, recoverableSeconds }: ChangeTime): string | undefined => {
  if (!after.is_deleted) return undefined;
  return before.is_deleted ? before.removal_at : new Date(now.getTime() + recoverableSeconds * 1000).toISOString();
};

/**
 * The writes that schedule the removal of a deleted user, or cancel the removal of a restored user. Canceling fails
 * when the removal has begun.
 */
const removalWrites = (before: StoredUser, { user_id: userId, is_deleted: isDeleted, removal_at: at }: StoredUser): Write[] => {
  if (before.is_deleted === isDeleted) return [];
  const key = userRemovalKey(userId);
  if (isDeleted) return [{ put: { ...key, removal_at: at, step: 'waiting' } }];
  return [{ delete: key, if: [{ absent: true }, { equals: { step: 'waiting' } }] }];
};

const changeable = ['display_name', 'primary_email', 'is_active', 'is_admin', 'admin_role', 'is_deleted'] as const;

/**
 * The write that changes the number of active admins with the role ALL. It fails if the number changed since it was read.
 * @throws FailedPrecondition when the last admin would be removed.
 */
const adminsWrite = (known: number | undefined, difference: number): Write[] => {
  if (difference === 0) return [];
  const count = known ?? 0;
  if (count + difference < 1) throw new FailedPrecondition('this is the last admin with the role ALL');
  return [{ update: adminsKey, set: { count: count + difference }, if: known === undefined ? { lacks: 'count' } : { equals: { count } } }];
};

/** Writes a change of a user. @throws NotFound, FailedPrecondition; WriteRefused when the user changed since it was read. */
const writeChange = async (
  table: Table,
  { user: before, admins: count }: UserAndAdmins,
  userId: string,
  change: UserChange,
  { now, recoverableSeconds }: ChangeTime,
  additionalWrites: Parameters<Users['update']>[4],
): Promise<StoredUser> => {
  const key = directoryKeys.user(userId);
  if (!before) throw new NotFound('user');
  if (before.is_deleted && change.is_deleted === undefined) throw new FailedPrecondition('the user is deleted');
  if (before.is_deleted && change.is_deleted === false && before.removal_at! <= now.toISOString()) {
    throw new FailedPrecondition('the time in which the user can be restored is over');
  }
  const after = changed(before, change, now);
  if (change.admin_role !== undefined && !after.is_admin) throw new FailedPrecondition('only an admin has a role; give is_admin true with it');
  if (changeable.every((field) => after[field] === before[field])) {
    await table.write(additionalWrites(before, before));
    return before;
  }
  const updated = {
    ...after,
    updated_at: now.toISOString(),
    sign_in_pending: before.sign_in_pending === true || maySignIn(before) !== maySignIn(after) || before.is_deleted !== after.is_deleted,
    ...(change.primary_email !== undefined && { idp_identities: after.idp_identities?.map((identity) => ({ ...identity, email: change.primary_email })) }),
    tokens_revoked_at: tokensRevokedAt(before, after, now),
    removal_at: removalAt(before, after, { now, recoverableSeconds }),
  };
  const admins = adminsWrite(count, Number(isActiveAdmin(after)) - Number(isActiveAdmin(before)));
  const { name, primary_email, idp_identities, is_active, is_admin, is_deleted, updated_at, sign_in_pending } = updated;
  const { display_name, admin_role, tokens_revoked_at, removal_at } = updated;
  await table.write([
    {
      update: key,
      set: {
        name,
        is_active,
        is_admin,
        is_deleted,
        updated_at,
        sign_in_pending,
        ...givenFields({ primary_email, idp_identities, display_name, admin_role, tokens_revoked_at, removal_at }),
      },
      remove: Object.entries({ display_name, admin_role, removal_at }).flatMap(([name, value]) => (value === undefined ? [name] : [])),
      add: { version: 1 },
      if: { equals: { version: before.version } },
    },
    profileWrite(updated),
    ...listingWrites('user', before, updated),
    ...admins,
    ...(before.is_admin === is_admin ? [] : [adminMarkWrite(userId, is_admin)]),
    ...removalWrites(before, updated),
    ...additionalWrites(before, updated),
  ]);
  return { ...updated, version: before.version + 1 };
};

/** Writes a sign-in address that was reserved. @returns `conflict` when the user changed since it was read. @throws NotFound */
const writeSignInAddress = async (
  table: Table,
  before: StoredUser | undefined,
  email: string,
  ownAccountId: string | undefined,
  now: Date,
  additionalWrites: readonly Write[],
): Promise<StoredUser | typeof conflict> => {
  if (!before) throw new NotFound('user');
  const { user_id: userId } = before;
  const [identity, ...others] = before.idp_identities ?? [];
  const at = now.toISOString();
  const change = { primary_email: email, idp_identities: [{ ...identity!, email }, ...others], tokens_revoked_at: at, updated_at: at };
  const after = withDerived({ ...before, ...change }, now);
  const isWritten = await tryWrite(table, [
    {
      update: directoryKeys.user(userId),
      set: { ...change, name: after.name },
      remove: ['changing_to'],
      add: { version: 1 },
      if: { equals: { version: before.version } },
    },
    profileWrite(after),
    ...listingWrites('user', before, after),
    { update: userEmailKey(email), set: { state: 'ready' }, if: { equals: { user_id: userId } } },
    ...(before.primary_email === undefined || before.primary_email === email ? [] : [{ delete: userEmailKey(before.primary_email) }]),
    ...signInAddressWrites(email, ownAccountId),
    ...additionalWrites,
  ]);
  return isWritten ? { ...after, version: before.version + 1 } : conflict;
};

/** Reserves an address to which a user changes. @returns undefined when somebody has it, or the user changed since it was read. */
const reserveSignInAddress = async (table: Table, user: StoredUser, email: string, additionalWrites: readonly Write[]): Promise<StoredUser | undefined> => {
  const { user_id: userId, version, changing_to: earlier, primary_email: present } = user;
  const reservation = { user_id: userId, state: 'changing' };
  const ofUser = { equals: { user_id: userId } };
  const isReserved = await tryWrite(table, [
    { update: directoryKeys.user(userId), set: { changing_to: email }, add: { version: 1 }, if: { equals: { version } } },
    email === present ? { check: userEmailKey(email), if: ofUser } : { put: { ...userEmailKey(email), ...reservation }, if: [{ absent: true }, ofUser] },
    ...(earlier === undefined || earlier === email ? [] : [{ delete: userEmailKey(earlier), if: [{ absent: true }, { equals: reservation }] } as const]),
    ...additionalWrites,
  ]);
  return isReserved ? { ...user, changing_to: email, version: version + 1 } : undefined;
};

const appointFirstAdmin = async (table: Table, user: StoredUser, now: Date, additionalWrites: readonly Write[]): Promise<boolean> => {
  const key = directoryKeys.user(user.user_id);
  const appointment: Write[] = user.is_admin
    ? [{ check: key, if: { equals: { is_admin: true } } }]
    : [
        {
          update: key,
          set: { is_admin: true, updated_at: now.toISOString() },
          add: { version: 1 },
          if: { equals: { version: user.version, is_deleted: false } },
        },
        profileWrite({ ...user, is_admin: true }),
        ...listingWrites('user', user, { ...user, is_admin: true }),
        adminMarkWrite(user.user_id, true),
      ];
  const added = Number(isActiveAdmin({ ...user, is_admin: true })) - Number(isActiveAdmin(user));
  return tryWrite(table, [...appointment, firstAdminWrite(user.user_id, added), ...additionalWrites]);
};

export const usersIn = (table: Table, clock: Clock): Users => {
  const userOf = (item: Item): StoredUser => withDerived(storedUserOf(item), clock());
  const find = async (userId: string): Promise<StoredUser | undefined> => {
    const item = await table.get(directoryKeys.user(userId));
    return item && userOf(item);
  };
  const findForUpdate = async (userId: string): Promise<UserAndAdmins> => {
    const items = await table.batchGet([directoryKeys.user(userId), adminsKey]);
    const [item, summary] = [items.find(({ pk }) => pk === directoryPartitions.users), items.find(({ pk }) => pk === adminsKey.pk)];
    return { user: item && userOf(item), admins: summary && adminsRow(summary).count };
  };
  return {
    find,
    async findBySub(sub) {
      const identity = await table.get(directoryKeys.identity(sub));
      return identity && find(identityRow(identity).user_id);
    },
    list: (after, size) => readPage(table, directoryPartitions.users, after, size, userOf),
    listed: (page, after, size) => readListedPage(table, 'user', page, after, size, { keyOf: directoryKeys.user, toRow: userOf }),
    isTaken: async (email) => ((await table.get(userEmailKey(email)))?.['state'] ?? 'creating') !== 'creating',
    async holderOf(email) {
      const item = await table.get(userEmailKey(email));
      return item && userEmailRow(item).user_id;
    },
    reserve: (email, userId) => reserve(table, userEmailKey(email), 'user_id', userId),
    release: (email, userId) => release(table, userEmailKey(email), 'user_id', userId),
    complete: (user, additionalWrites, asFirst) =>
      tryWrite(table, [
        { put: { ...directoryKeys.user(user.user_id), ...user, version: 1 }, if: { absent: true } },
        profileWrite(user),
        ...listingWrites('user', undefined, user),
        readyWrite(userEmailKey(user.primary_email ?? ''), 'user_id', user.user_id),
        ...signInAddressWrites(user.primary_email ?? ''),
        ...(user.idp_identities ?? []).map(({ sub }): Write => ({ put: { ...directoryKeys.identity(sub), user_id: user.user_id }, if: { absent: true } })),
        ...(asFirst ? [firstAdminWrite(user.user_id, 1)] : isActiveAdmin(user) ? [{ update: adminsKey, add: { count: 1 } }] : []),
        ...additionalWrites,
      ]),
    findForUpdate,
    update: (known, userId, change, time, additionalWrites) =>
      retryOnConflictFrom(
        known,
        () => findForUpdate(userId),
        (read) => writeChange(table, read, userId, change, time, additionalWrites),
      ),
    revokeTokens: (known, now, additionalWrites, hasTemporaryPassword = false) =>
      retryOnConflictFrom<StoredUser | undefined, void>(
        known,
        () => find(known.user_id),
        async (user) => {
          if (!user) throw new NotFound('user');
          const change = { tokens_revoked_at: now.toISOString() };
          await table.write([
            {
              update: directoryKeys.user(user.user_id),
              set: { ...change, ...(hasTemporaryPassword && { temporary_password_at: now.toISOString() }) },
              add: { version: 1 },
              if: { equals: { version: user.version } },
            },
            profileWrite({ ...user, ...change }),
            ...additionalWrites,
          ]);
        },
      ),
    recordTemporaryPassword: (userId, now, additionalWrites) =>
      table.write([{ update: directoryKeys.user(userId), set: { temporary_password_at: now.toISOString() }, if: { present: true } }, ...additionalWrites]),
    async recordTokens(user, use, now) {
      const set = changedByTokens(user, use, now);
      if (set) await table.write([{ update: directoryKeys.user(user.user_id), set, if: { present: true } }]);
    },
    reserveSignInAddress: (user, email, additionalWrites) => reserveSignInAddress(table, user, email, additionalWrites),
    async releaseSignInAddress(userId, email) {
      await tryWrite(table, [
        { update: directoryKeys.user(userId), remove: ['changing_to'], add: { version: 1 }, if: { equals: { changing_to: email } } },
        { delete: userEmailKey(email), if: { equals: { user_id: userId, state: 'changing' } } },
      ]);
    },
    changeSignInAddress: (known, email, ownAccountId, now, additionalWrites) =>
      retryOnConflictFrom<StoredUser | undefined, StoredUser>(
        known,
        () => find(known.user_id),
        (before) => writeSignInAddress(table, before, email, ownAccountId, now, additionalWrites),
      ),
    clearSignInPending: ({ user_id: userId, version, is_deleted: isDeleted, primary_email, changing_to }, additionalWrites) =>
      tryWrite(table, [
        { update: directoryKeys.user(userId), remove: ['sign_in_pending', ...(isDeleted ? ['changing_to'] : [])], if: { equals: { version } } },
        ...(isDeleted ? addressReleases(userId, primary_email, changing_to) : []),
        ...additionalWrites,
      ]),
    hasFirstAdmin: async () => (await table.get(adminsKey))?.['first_admin'] !== undefined,
    appointFirstAdmin: (user, now, additionalWrites) => appointFirstAdmin(table, user, now, additionalWrites),
  };
};

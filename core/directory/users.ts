import type { User } from '../../contract/admin/users.ts';
import { FailedPrecondition, NotFound } from '../runtime/domain-errors.ts';
import { contentOf, type Item, type Table, type Write } from '../storage/table.ts';
import { givenFields } from '../../contract/fields.ts';
import { readPage, type Page } from '../storage/page.ts';
import { retryOnConflictFrom, tryWrite } from '../storage/retry-on-conflict.ts';
import { readyWrite, release, reserve, type Reservation } from './reservation.ts';

/** A person as they are kept; `version` moves with every change of the record. */
export type StoredUser = User & {
  readonly version: number;
  /** The identity provider was not told yet whether the person may sign in now. */
  readonly sign_in_pending?: boolean;
};

/** What may be changed of a person. */
export type UserChange = { readonly [Field in 'display_name' | 'is_active' | 'is_admin' | 'is_deleted']?: User[Field] | undefined };

/** Whether the person may sign in. */
export const maySignIn = ({ is_active: isActive, is_deleted: isDeleted }: Pick<User, 'is_active' | 'is_deleted'>): boolean => isActive && !isDeleted;

/** The person can use the admin interface: such are counted, and one must stay. */
const isActingAdmin = (user: Pick<User, 'is_active' | 'is_admin' | 'is_deleted'>): boolean => user.is_admin && maySignIn(user);

/**
 * People. `user`/user_id is the profile, `user-email`/address makes an address belong to one person only, `idp-identity`/sub finds the person
 * of a sign-in, `admins`/`summary` counts the admins who are active and remembers that the first one was made.
 */
export type Users = {
  find(userId: string): Promise<StoredUser | undefined>;
  /** The person who signs in at the identity provider under this `sub`. */
  findBySub(sub: string): Promise<StoredUser | undefined>;
  list(after: string | undefined, size: number): Promise<Page<StoredUser>>;
  /** Whether somebody has the address. */
  isTaken(email: string): Promise<boolean>;
  /** Takes the address for a person to be made, or finds who has taken it. */
  reserve(email: string, userId: string): Promise<Reservation>;
  /** Gives back an address that was reserved and can't be anybody's; nothing once its person is complete. */
  release(email: string, userId: string): Promise<void>;
  /**
   * Makes a reserved person complete, in one transaction with what is to be written also.
   * @returns false when somebody else was faster, or when a sign-in is another person's already.
   */
  complete(user: User, also: readonly Write[], asFirst?: 'first-admin'): Promise<boolean>;
  /** The first admin was made, by whatever address. */
  hasFirstAdmin(): Promise<boolean>;
  /**
   * Changes what is given, in one transaction with what is to be written also, which is asked for when there is nothing to change as well.
   * @param known the person as they were just read; they are read again when somebody was faster.
   * @throws NotFound; FailedPrecondition for a deleted person and for what would leave no admin; StoreConflict.
   */
  update(known: UserAndAdmins, userId: string, wanted: UserChange, now: Date, also: (before: StoredUser, after: StoredUser) => readonly Write[]): Promise<StoredUser>;
  /** What a change of the person depends on. */
  findForUpdate(userId: string): Promise<UserAndAdmins>;
  /** The identity provider knows whether this person may sign in; with what is to be written also. @returns false when the person has changed since. */
  clearSignInPending(user: StoredUser, also: readonly Write[]): Promise<boolean>;
  /** Makes a complete person the deployment's first admin; false when there was one already or the person changed meanwhile. */
  appointFirstAdmin(user: StoredUser, now: Date, also: readonly Write[]): Promise<boolean>;
};

/** A person, and the count of the acting admins. */
export type UserAndAdmins = { readonly user: StoredUser | undefined; readonly admins: number | undefined };

const adminsKey = { pk: 'admins', sk: 'summary' } as const;
const emailKey = (email: string) => ({ pk: 'user-email', sk: email });

const userOf = (item: Item): StoredUser => {
  const user = contentOf(item) as StoredUser;
  return { ...user, name: user.display_name ?? user.primary_email ?? user.user_id };
};

const firstAdminWrite = (userId: string, added: number): Write =>
  ({ update: adminsKey, set: { first_admin: userId }, add: { count: added }, if: { lacks: 'first_admin' } });

/** A person after a change; undefined leaves a field as it is, an empty text takes it away. */
const changed = (user: StoredUser, wanted: UserChange): StoredUser => {
  const after = { ...user, ...givenFields(wanted) } as StoredUser;
  return { ...after, name: after.display_name ?? after.primary_email ?? after.user_id };
};

const changeable = ['display_name', 'is_active', 'is_admin', 'is_deleted'] as const;

/** Moves the number of admins; holds only while nobody else has moved it since it was read. @throws FailedPrecondition for the last one. */
const adminsWrite = (known: number | undefined, difference: number): Write[] => {
  if (difference === 0) return [];
  const count = known ?? 0;
  if (count + difference < 1) throw new FailedPrecondition('this is the last admin');
  return [{ update: adminsKey, set: { count: count + difference }, if: known === undefined ? { lacks: 'count' } : { equals: { count } } }];
};

export const usersIn = (table: Table): Users => {
  const find = async (userId: string): Promise<StoredUser | undefined> => {
    const item = await table.get({ pk: 'user', sk: userId });
    return item && userOf(item);
  };
  const findForUpdate = async (userId: string): Promise<UserAndAdmins> => {
    const items = await table.batchGet([{ pk: 'user', sk: userId }, adminsKey]);
    const [item, summary] = [items.find(({ pk }) => pk === 'user'), items.find(({ pk }) => pk === adminsKey.pk)];
    return { user: item && userOf(item), admins: summary?.['count'] as number | undefined };
  };
  return {
    find,
    async findBySub(sub) {
      const identity = await table.get({ pk: 'idp-identity', sk: sub });
      return identity && find(identity['user_id'] as string);
    },
    list: (after, size) => readPage(table, 'user', after, size, userOf),
    isTaken: async (email) => ((await table.get(emailKey(email)))?.['state'] ?? 'creating') !== 'creating',
    reserve: (email, userId) => reserve(table, emailKey(email), 'user_id', userId),
    release: (email, userId) => release(table, emailKey(email), 'user_id', userId),
    complete: (user, also, asFirst) => tryWrite(table, [
      { put: { pk: 'user', sk: user.user_id, ...user, version: 1 }, if: { absent: true } },
      readyWrite(emailKey(user.primary_email ?? ''), 'user_id', user.user_id),
      ...(user.idp_identities ?? []).map(({ sub }): Write => ({ put: { pk: 'idp-identity', sk: sub, user_id: user.user_id }, if: { absent: true } })),
      ...(asFirst ? [firstAdminWrite(user.user_id, 1)] : isActingAdmin(user) ? [{ update: adminsKey, add: { count: 1 } }] : []),
      ...also,
    ]),
    findForUpdate,
    update: (known, userId, wanted, now, also) => retryOnConflictFrom(known, () => findForUpdate(userId), async ({ user: before, admins: adminCount }) => {
      const key = { pk: 'user', sk: userId };
      if (!before) throw new NotFound('user');
      if (before.is_deleted && wanted.is_deleted !== true) throw new FailedPrecondition('the user is deleted');
      const after = changed(before, wanted);
      if (changeable.every((field) => after[field] === before[field])) {
        await table.write(also(before, before));
        return before;
      }
      const updated = { ...after, updated_at: now.toISOString(), sign_in_pending: before.sign_in_pending === true || maySignIn(before) !== maySignIn(after) };
      const admins = adminsWrite(adminCount, Number(isActingAdmin(after)) - Number(isActingAdmin(before)));
      const { name, is_active, is_admin, is_deleted, updated_at, sign_in_pending, display_name } = updated;
      await table.write([
        {
          update: key,
          set: { name, is_active, is_admin, is_deleted, updated_at, sign_in_pending, ...(display_name !== undefined && { display_name }) },
          remove: display_name === undefined ? ['display_name'] : [],
          add: { version: 1 },
          if: { equals: { version: before.version } },
        },
        ...admins,
        ...also(before, updated),
      ]);
      return { ...updated, version: before.version + 1 };
    }),
    clearSignInPending: ({ user_id: userId, version }, also) => tryWrite(table, [
      { update: { pk: 'user', sk: userId }, remove: ['sign_in_pending'], if: { equals: { version } } },
      ...also,
    ]),
    hasFirstAdmin: async () => (await table.get(adminsKey))?.['first_admin'] !== undefined,
    async appointFirstAdmin(user, now, also) {
      const key = { pk: 'user', sk: user.user_id };
      const profile: Write = user.is_admin
        ? { check: key, if: { equals: { is_admin: true } } }
        : { update: key, set: { is_admin: true, updated_at: now.toISOString() }, add: { version: 1 }, if: { equals: { version: user.version, is_deleted: false } } };
      return tryWrite(table, [profile, firstAdminWrite(user.user_id, Number(isActingAdmin({ ...user, is_admin: true })) - Number(isActingAdmin(user))), ...also]);
    },
  };
};

import type { User } from '../../../contract/admin/users.ts';
import type { Item, Table, Write } from '../table.ts';
import { readPage, type Page } from './page.ts';
import { written } from './race.ts';
import { ready, release, reserve, type Reservation } from './reservation.ts';

/** A person as they are kept; `version` moves with every change of the record. */
export type StoredUser = User & { readonly version: number };

/**
 * People. `user`/user_id is the profile, `user-email`/address makes an address belong to one person only, `idp-identity`/sub finds the person
 * of a sign-in, `admins`/`summary` counts the admins and remembers that the first one was made.
 */
export type Users = {
  find(userId: string): Promise<StoredUser | undefined>;
  /** The person who signs in at the identity provider under this `sub`. */
  findBySub(sub: string): Promise<StoredUser | undefined>;
  list(after: string | undefined, size: number): Promise<Page<StoredUser>>;
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
  /** Makes a complete person the deployment's first admin; false when there was one already or the person changed meanwhile. */
  appointFirstAdmin(user: StoredUser, now: Date, also: readonly Write[]): Promise<boolean>;
};

const adminsKey = { pk: 'admins', sk: 'summary' } as const;
const emailKey = (email: string) => ({ pk: 'user-email', sk: email });

const userOf = ({ pk: _pk, sk: _sk, ...stored }: Item): StoredUser => {
  const user = stored as unknown as StoredUser;
  return { ...user, name: user.display_name ?? user.primary_email ?? user.user_id };
};

const firstAdminWrite = (userId: string): Write =>
  ({ update: adminsKey, set: { first_admin: userId }, add: { count: 1 }, if: { lacks: 'first_admin' } });

export const usersIn = (table: Table): Users => {
  const find = async (userId: string): Promise<StoredUser | undefined> => {
    const item = await table.get({ pk: 'user', sk: userId });
    return item && userOf(item);
  };
  return {
    find,
    async findBySub(sub) {
      const identity = await table.get({ pk: 'idp-identity', sk: sub });
      return identity && find(identity['user_id'] as string);
    },
    list: (after, size) => readPage(table, 'user', after, size, userOf),
    reserve: (email, userId) => reserve(table, emailKey(email), 'user_id', userId),
    release: (email, userId) => release(table, emailKey(email), 'user_id', userId),
    complete: (user, also, asFirst) => written(table, [
      { put: { pk: 'user', sk: user.user_id, ...user, version: 1 }, if: { absent: true } },
      ready(emailKey(user.primary_email ?? ''), 'user_id', user.user_id),
      ...(user.idp_identities ?? []).map(({ sub }): Write => ({ put: { pk: 'idp-identity', sk: sub, user_id: user.user_id }, if: { absent: true } })),
      ...(asFirst ? [firstAdminWrite(user.user_id)] : []),
      ...also,
    ]),
    hasFirstAdmin: async () => (await table.get(adminsKey))?.['first_admin'] !== undefined,
    async appointFirstAdmin(user, now, also) {
      const key = { pk: 'user', sk: user.user_id };
      const profile: Write = user.is_admin
        ? { check: key, if: { equals: { is_admin: true } } }
        : { update: key, set: { is_admin: true, updated_at: now.toISOString() }, add: { version: 1 }, if: { equals: { version: user.version, is_deleted: false } } };
      return written(table, [profile, firstAdminWrite(user.user_id), ...also]);
    },
  };
};

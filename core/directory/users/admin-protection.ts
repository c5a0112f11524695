import { directoryKeys } from '../../../contract/deployment/keys.ts';
import { findItemIn, rowOf, type Key, type Table, type Write } from '../../storage/table.ts';
import type { AccountRow } from '../account-row.ts';
import { groupReceiversIn } from '../groups/group-receivers.ts';
import { profileRow } from './member-profile.ts';

/** The fields of a request that name people: themselves, by their account, by an address of it, or by a group that gets them mail. */
const namingFields = ['user_id', 'account_id', 'alias_id', 'group_id'] as const;

/** The people whom a change concerns, and whether one of them is an admin. */
type ConcernedPeople = { readonly userIds: readonly string[]; readonly includeAdmin: boolean };

/** The field of the records of an account that says whose it is. */
type Owned = Pick<AccountRow, 'owner_id'>;

/** Protects admins from changes by those who may not change them. */
export type AdminProtection = {
  /**
   * Finds the people whom a request names: users, and owners of accounts, of deleted ones too. It leaves out users and accounts that
   * do not exist, about which a method reads and changes nothing.
   * Of the owners of a group's accounts, who may be many, it only finds whether one is an admin.
   */
  peopleOf(request: { readonly [field: string]: unknown }): Promise<ConcernedPeople>;
  /** Those of the accounts, of deleted and removed ones too, of which nothing proves that their owner is no admin. */
  accountsOfAdmins(accountIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** The writes with which a transaction throws the refusal when one of the users has become an admin. */
  stillNoAdmins(userIds: readonly string[], refusal: Error): readonly Write[];
};

/**
 * The write that records whether a user is an admin, in the transaction that changes it or removes the user. Transactions that change the user
 * can check this item, because they do not write it.
 */
export const adminMarkWrite = (userId: string, isAdmin: boolean): Write => ({ update: directoryKeys.admin(userId), set: { is_admin: isAdmin } });

export const adminProtectionIn = (table: Pick<Table, 'reference' | 'batchGet' | 'query'>): AdminProtection => {
  const read = async (keys: readonly Key[]) => findItemIn(keys.length > 0 ? await table.batchGet(keys) : []);

  const accountOfAlias = async (aliasId: string): Promise<string[]> => {
    const key = directoryKeys.alias(aliasId);
    const alias = (await read([key]))(key);
    return alias ? [rowOf<{ readonly account_id: string }>(alias).account_id] : [];
  };

  /** The owners of accounts, also of deleted and removed ones, by the account. */
  const ownersOf = async (accountIds: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const keysOf = (accountId: string) => [directoryKeys.account, directoryKeys.accountRemoval, directoryKeys.removedAccount].map((key) => key(accountId));
    const find = await read(accountIds.flatMap(keysOf));
    return new Map(
      accountIds.flatMap((accountId) => {
        const [account, removal, removed] = keysOf(accountId).map(find);
        const item = account ?? removed;
        const row = item ? rowOf<Owned>(item) : removal && rowOf<{ readonly account?: Owned }>(removal).account;
        return row ? [[accountId, row.owner_id]] : [];
      }),
    );
  };

  /** Whether each of the users is an admin, also of removed ones. Those of whom nothing says it are left out. */
  const adminRightsOf = async (userIds: readonly string[]): Promise<ReadonlyMap<string, boolean>> => {
    const find = await read(userIds.flatMap((userId) => [directoryKeys.user(userId), directoryKeys.admin(userId)]));
    return new Map(
      userIds.flatMap((userId) => {
        const item = find(directoryKeys.user(userId)) ?? find(directoryKeys.admin(userId));
        return item ? [[userId, profileRow(item).is_admin]] : [];
      }),
    );
  };

  const accountsOfAdmins = async (accountIds: readonly string[]): Promise<ReadonlySet<string>> => {
    const owners = await ownersOf([...new Set(accountIds)]);
    const rights = await adminRightsOf([...new Set(owners.values())]);
    return new Set(accountIds.filter((accountId) => rights.get(owners.get(accountId) ?? '') !== false));
  };

  const hasAdminInGroups = async (groupIds: readonly string[]): Promise<boolean> => {
    const members = [...(await groupReceiversIn(table).membersOf(groupIds)).values()];
    return (await accountsOfAdmins(members.flatMap(({ accountIds }) => accountIds))).size > 0;
  };

  return {
    async peopleOf(request) {
      const [user, account, alias, group] = namingFields.map((field) => (typeof request[field] === 'string' ? [request[field]] : []));
      const accountIds = [...account!, ...(await Promise.all(alias!.map(accountOfAlias))).flat()];
      const owners = new Set((await ownersOf([...new Set(accountIds)])).values());
      const userIds = [...new Set([...user!, ...owners])];
      const rights = await adminRightsOf(userIds);
      const includeAdmin = userIds.some((userId) => rights.get(userId) ?? owners.has(userId));
      return { userIds, includeAdmin: includeAdmin || (await hasAdminInGroups(group!)) };
    },
    accountsOfAdmins,
    stillNoAdmins: (userIds, refusal) =>
      userIds.map((userId) => ({
        check: directoryKeys.admin(userId),
        if: [{ absent: true }, { equals: { is_admin: false } }],
        inTable: table.reference,
        refusal,
      })),
  };
};

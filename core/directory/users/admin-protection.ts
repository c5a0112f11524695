import { directoryKeys } from '../../../contract/deployment/keys.ts';
import { findItemIn, rowOf, type Key, type Table, type Write } from '../../storage/table.ts';
import { accountRow, type AccountRow } from '../account-row.ts';
import { groupReceiversIn } from '../groups/group-receivers.ts';
import { profileRow } from './member-profile.ts';

/** The fields of a request that name people: themselves, by their account, by an address of it, or by a group that gets them mail. */
const namingFields = ['user_id', 'account_id', 'alias_id', 'group_id'] as const;

/** The people whom a change concerns, and whether one of them is an admin. */
type ConcernedPeople = { readonly userIds: readonly string[]; readonly includeAdmin: boolean };

/** Protects admins from changes by those who may not change them. */
export type AdminProtection = {
  /**
   * Finds the people whom a request names: users, and owners of accounts, of deleted ones too. What it does not find is left out.
   * Of the owners of a group's accounts, who may be many, it only finds whether one is an admin.
   */
  peopleOf(request: { readonly [field: string]: unknown }): Promise<ConcernedPeople>;
  /** Those of the accounts, of deleted ones too, that an admin owns. */
  accountsOfAdmins(accountIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** The writes with which a transaction throws the refusal when one of the users has become an admin. */
  stillNoAdmins(userIds: readonly string[], refusal: Error): readonly Write[];
};

/**
 * The write that records whether a user is an admin, in the transaction that changes it. Transactions that change the user
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

  /** The owners of accounts, also of deleted ones, by the account. */
  const ownersOf = async (accountIds: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const keysOf = (accountId: string) => [directoryKeys.account(accountId), directoryKeys.accountRemoval(accountId)] as const;
    const find = await read(accountIds.flatMap(keysOf));
    return new Map(
      accountIds.flatMap((accountId) => {
        const [account, removal] = keysOf(accountId).map(find);
        const row = account ? accountRow(account) : removal && rowOf<{ readonly account?: AccountRow }>(removal).account;
        return row ? [[accountId, row.owner_id]] : [];
      }),
    );
  };

  /** Those of the users who are admins. */
  const adminsAmong = async (userIds: readonly string[]): Promise<ReadonlySet<string>> => {
    const find = await read(userIds.map(directoryKeys.user));
    return new Set(
      userIds.filter((userId) => {
        const item = find(directoryKeys.user(userId));
        return item !== undefined && profileRow(item).is_admin;
      }),
    );
  };

  const accountsOfAdmins = async (accountIds: readonly string[]): Promise<ReadonlySet<string>> => {
    const owners = await ownersOf([...new Set(accountIds)]);
    const admins = await adminsAmong([...new Set(owners.values())]);
    return new Set([...owners].filter(([, owner]) => admins.has(owner)).map(([accountId]) => accountId));
  };

  const hasAdminInGroups = async (groupIds: readonly string[]): Promise<boolean> => {
    const members = [...(await groupReceiversIn(table).membersOf(groupIds)).values()];
    return (await accountsOfAdmins(members.flatMap(({ accountIds }) => accountIds))).size > 0;
  };

  return {
    async peopleOf(request) {
      const [user, account, alias, group] = namingFields.map((field) => (typeof request[field] === 'string' ? [request[field]] : []));
      const accountIds = [...account!, ...(await Promise.all(alias!.map(accountOfAlias))).flat()];
      const userIds = [...new Set([...user!, ...(await ownersOf([...new Set(accountIds)])).values()])];
      return { userIds, includeAdmin: (await adminsAmong(userIds)).size > 0 || (await hasAdminInGroups(group!)) };
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

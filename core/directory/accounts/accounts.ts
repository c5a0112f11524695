import type { Account } from '../../../contract/admin/accounts.ts';
import type { Alias } from '../../../contract/admin/aliases.ts';
import { directoryKeys, directoryPartitions } from '../../../contract/deployment/keys.ts';
import { NotFound } from '../../runtime/domain-errors.ts';
import { readPage, type Page } from '../../storage/page.ts';
import { retryOnConflict } from '../../storage/retry-on-conflict.ts';
import { itemOf, WriteRefused, type Item, type Table, type Write } from '../../storage/table.ts';
import { accountRow, type AccountRow } from '../account-row.ts';
import { addressKey, heldSince, readSignInAddresses } from '../address-reservations.ts';
import { newAddressWrite, newAliasWrites } from '../aliases/aliases.ts';
import { addressAddedWrite } from '../domains/domains.ts';
import { listingWrites, maxListingWrites, readListedPage, type ListedPage } from '../listings.ts';
import { profileWrite } from '../users/member-profile.ts';
import { memberKeys, memberWrites } from '../users/members.ts';
import type { StoredUser } from '../users/users.ts';
import { readAccountPeople, type AccountPeople, type StoredAccount } from './account-people.ts';

/** An account to create, with its owner and its primary alias. */
type NewAccount = { readonly accountId: string; readonly name: string; readonly owner: StoredUser; readonly alias: Alias; readonly now: Date };

/**
 * Accounts. The item `account`/account_id is the record. `member_count` counts the people among its members,
 * `admin_count` the members with the role ADMIN, and `access_version` the changes of its members and aliases.
 */
export type Accounts = {
  find(accountId: string): Promise<Account | undefined>;
  /** The accounts that exist, ordered by id. */
  findAll(accountIds: readonly string[]): Promise<Account[]>;
  /** Whether the account exists and is the user's own. */
  isOwnedBy(accountId: string, userId: string): Promise<boolean>;
  list(after: string | undefined, size: number): Promise<Page<StoredAccount>>;
  /** A page of the accounts in an order, or of those that a query finds by name or by an address. */
  listed(page: ListedPage, after: string | undefined, size: number): Promise<Page<StoredAccount>>;
  /** The owners and the use of each of the accounts, by account id. */
  peopleOf(accounts: readonly StoredAccount[]): Promise<ReadonlyMap<string, AccountPeople>>;
  /**
   * Creates an account: its record, member, alias and address.
   * @param readMore reads what else the transaction writes, while the sign-in addresses are read.
   * @param write makes these writes and those of the account's mail in one transaction. It returns false if the
   * account's mail exists already.
   * @returns `sign-in-address` if another user signs in with the address; `changed` if the owner, the domain or the
   * account changed since it was read.
   */
  create(
    account: NewAccount,
    readMore: () => Promise<readonly Write[]>,
    write: (writes: readonly Write[]) => Promise<boolean>,
  ): Promise<'created' | 'address-taken' | 'sign-in-address' | 'changed'>;
  /**
   * Renames the account, including its name in the items of members. The next call completes an interrupted one.
   * @throws NotFound, StoreConflict.
   */
  rename(accountId: string, name: string | undefined, now: Date, additionalWrites: (before: Account, after: Account) => readonly Write[]): Promise<Account>;
};

export const accountOf = (item: Item): Account => {
  const { name, email, member_count: people, created_at } = accountRow(item);
  return { account_id: item.sk, name, email, shared: people > 1, created_at };
};

const storedAccountOf = (item: Item): StoredAccount => {
  const { owner_id, is_owners_primary, member_count } = accountRow(item);
  return { ...accountOf(item), owner_id, is_owners_primary, member_count };
};

/** Maximum members whose items are updated in one transaction. */
const membersPerTransaction = 90 - maxListingWrites;

/** Requires the owner to be active. Their first account becomes their primary account. */
const ownerWrites = (owner: StoredUser, accountId: string): Write[] => {
  const key = directoryKeys.user(owner.user_id);
  if (owner.primary_account_id !== undefined) return [{ check: key, if: { equals: { is_active: true, is_deleted: false } } }];
  return [
    {
      update: key,
      set: { primary_account_id: accountId },
      add: { version: 1 },
      if: { equals: { version: owner.version, is_active: true, is_deleted: false } },
    },
    profileWrite({ ...owner, primary_account_id: accountId }),
  ];
};

export const accountsIn = (table: Table): Accounts => ({
  async find(accountId) {
    const item = await table.get(directoryKeys.account(accountId));
    return item && accountOf(item);
  },
  isOwnedBy: async (accountId, userId) => (await table.get(directoryKeys.account(accountId)))?.['owner_id'] === userId,
  async findAll(accountIds) {
    const items = await table.batchGet(accountIds.map((accountId) => directoryKeys.account(accountId)));
    return items.map(accountOf).sort(({ account_id: a }, { account_id: b }) => (a < b ? -1 : 1));
  },
  list: (after, size) => readPage(table, directoryPartitions.accounts, after, size, storedAccountOf),
  listed: (page, after, size) => readListedPage(table, 'account', page, after, size, { keyOf: directoryKeys.account, toRow: storedAccountOf }),
  peopleOf: (accounts) => readAccountPeople(table, accounts),
  async create({ accountId, name, owner, alias, now }, readMore, write) {
    const at = now.toISOString();
    const account: AccountRow = {
      name,
      email: alias.email,
      owner_id: owner.user_id,
      domain_id: alias.domain_id,
      primary_alias_id: alias.alias_id,
      is_owners_primary: owner.primary_account_id === undefined,
      member_count: 1,
      admin_count: 1,
      access_version: 1,
      created_at: at,
      updated_at: at,
    };
    const writes = (signInAddressChecks: readonly Write[], former: Item | undefined): Write[] => [
      newAddressWrite(alias, heldSince(alias, former)),
      ...signInAddressChecks,
      { put: itemOf(directoryKeys.account(accountId), account), if: { absent: true } },
      ...memberWrites({ accountId, accountName: name, principalId: owner.user_id, role: 'ADMIN', isOwner: true, createdAt: at, updatedAt: at }),
      ...listingWrites('account', undefined, { ...account, account_id: accountId }),
      ...newAliasWrites(alias),
      ...ownerWrites(owner, accountId),
      addressAddedWrite(alias.domain_id, { send_enabled: true }),
    ];
    return retryOnConflict(async () => {
      const [signInAddressesFor, former, more] = await Promise.all([readSignInAddresses(table, alias.email), table.get(addressKey(alias.email)), readMore()]);
      const signInAddressChecks = signInAddressesFor(owner.user_id);
      if (signInAddressChecks === 'taken') return 'sign-in-address';
      try {
        return (await write([...writes(signInAddressChecks, former).map((each) => ({ ...each, inTable: table.reference })), ...more])) ? 'created' : 'changed';
      } catch (error) {
        if (!(error instanceof WriteRefused) || error.contended) throw error;
        return error.failed.includes(0) ? 'address-taken' : error.failed.includes(1) ? 'sign-in-address' : 'changed';
      }
    });
  },
  rename: (accountId, name, now, additionalWrites) =>
    retryOnConflict(async () => {
      const [item, members] = await Promise.all([
        table.get(directoryKeys.account(accountId)),
        table.query({ pk: directoryPartitions.accountMembers(accountId) }),
      ]);
      if (!item) throw new NotFound('account');
      const before = accountOf(item);
      const after = { ...before, name: name ?? before.name };
      const version = accountRow(item).access_version;
      const key = { pk: item.pk, sk: item.sk };
      const memberUpdates = members.map(({ sk: principalId }): Write => ({
        update: memberKeys(accountId, principalId).fromPrincipal,
        set: { account_name: after.name },
        if: { present: true },
      }));
      await table.write([
        { update: key, set: { name: after.name, access_version: version + 1, updated_at: now.toISOString() }, if: { equals: { access_version: version } } },
        ...memberUpdates.slice(0, membersPerTransaction),
        ...listingWrites('account', before, after),
        ...additionalWrites(before, after),
      ]);
      for (let first = membersPerTransaction; first < memberUpdates.length; first += membersPerTransaction) {
        await table.write([{ check: key, if: { equals: { access_version: version + 1 } } }, ...memberUpdates.slice(first, first + membersPerTransaction)]);
      }
      return after;
    }),
});

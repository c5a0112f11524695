import type { Account } from '../../../contract/admin/accounts.ts';
import type { Alias } from '../../../contract/admin/aliases.ts';
import type { Item, Table, Write } from '../table.ts';
import { memberWrites } from './members.ts';
import { readPage, type Page } from './page.ts';
import { written } from './race.ts';
import { ready, reserve, type Reservation } from './reservation.ts';
import type { StoredUser } from './users.ts';

/** An account to be made: with its owner and its primary alias. */
export type NewAccount = { readonly accountId: string; readonly name: string; readonly owner: StoredUser; readonly alias: Alias; readonly now: Date };

/**
 * Accounts and their addresses. `account`/account_id is the record with the counts of its members, `account-alias#account_id`/alias_id its aliases,
 * `alias`/alias_id finds the account of an alias, `address`/address says where mail goes.
 */
export type Accounts = {
  find(accountId: string): Promise<Account | undefined>;
  list(after: string | undefined, size: number): Promise<Page<Account>>;
  /** Takes the address for an account to be made, or finds which account has taken it. */
  reserve(email: string, accountId: string): Promise<Reservation>;
  /**
   * Makes a reserved account complete, in one transaction: account, member, alias, address, and what is to be written also.
   * @returns false when somebody else was faster, or when the owner or the domain changed meanwhile.
   */
  complete(account: NewAccount, also: readonly Write[]): Promise<boolean>;
};

const addressKey = (email: string) => ({ pk: 'address', sk: email });

const accountOf = (item: Item): Account => ({
  account_id: item.sk,
  name: item['name'] as string,
  email: item['email'] as string,
  shared: Number(item['member_count']) > 1,
  created_at: item['created_at'] as string,
});

/** The owner must still be active; their first account becomes their primary one. */
const ownerWrite = ({ user_id: userId, primary_account_id: primary, version }: StoredUser, accountId: string): Write => {
  const key = { pk: 'user', sk: userId };
  if (primary !== undefined) return { check: key, if: { equals: { is_active: true, is_deleted: false } } };
  return { update: key, set: { primary_account_id: accountId }, add: { version: 1 }, if: { equals: { version, is_active: true, is_deleted: false } } };
};

export const accountsIn = (table: Table): Accounts => ({
  async find(accountId) {
    const item = await table.get({ pk: 'account', sk: accountId });
    return item && accountOf(item);
  },
  list: (after, size) => readPage(table, 'account', after, size, accountOf),
  reserve: (email, accountId) => reserve(table, addressKey(email), 'account_id', accountId),
  complete({ accountId, name, owner, alias, now }, also) {
    const at = now.toISOString();
    const account: Item = {
      pk: 'account', sk: accountId, name, email: alias.email, owner_id: owner.user_id, domain_id: alias.domain_id, primary_alias_id: alias.alias_id,
      member_count: 1, admin_count: 1, access_version: 1, created_at: at, updated_at: at,
    };
    return written(table, [
      { put: account, if: { absent: true } },
      ...memberWrites({ accountId, accountName: name, principalId: owner.user_id, role: 'ADMIN', isOwner: true, createdAt: at, updatedAt: at }),
      { put: { pk: `account-alias#${accountId}`, sk: alias.alias_id, ...alias }, if: { absent: true } },
      { put: { pk: 'alias', sk: alias.alias_id, account_id: accountId, email: alias.email }, if: { absent: true } },
      ready(addressKey(alias.email), 'account_id', accountId, { alias_id: alias.alias_id, domain_id: alias.domain_id, is_active: alias.is_active }),
      ownerWrite(owner, accountId),
      { check: { pk: 'domain', sk: alias.domain_id }, if: { equals: { send_enabled: true } } },
      ...also,
    ]);
  },
});

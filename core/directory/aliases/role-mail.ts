import { directoryKeys, directoryPartitions } from '../../../contract/deployment/keys.ts';
import type { Table } from '../../storage/table.ts';
import { accountRow } from '../account-row.ts';
import { adminRoleOf, adminsKey, adminsRow, storedUserOf, type StoredUser } from '../users/users.ts';

/** The account that gets the mail of role addresses that no account has. */
export type RoleMailAccount = { readonly accountId: string; readonly email: string };

type Reads = Pick<Table, 'get' | 'query'>;

/** The primary account of a user who is an active admin with the role ALL. */
const accountOfAdmin = async (user: StoredUser, table: Reads): Promise<RoleMailAccount | undefined> => {
  const { is_active: isActive, is_deleted: isDeleted, primary_account_id: accountId } = user;
  if (adminRoleOf(user) !== 'ALL' || !isActive || isDeleted || accountId === undefined) return undefined;
  const account = await table.get(directoryKeys.account(accountId));
  return account && { accountId, email: accountRow(account).email };
};

/**
 * Finds the primary account of the first admin, or else of the admin who has been a user for the longest time, of those
 * with the role ALL. Only without the first admin it reads all users.
 */
export const findRoleMailAccount = async (table: Reads): Promise<RoleMailAccount | undefined> => {
  const summary = await table.get(adminsKey);
  const firstAdmin = summary && adminsRow(summary).first_admin;
  const first = firstAdmin === undefined ? undefined : await table.get(directoryKeys.user(firstAdmin));
  const accountOfFirst = first && (await accountOfAdmin(storedUserOf(first), table));
  if (accountOfFirst) return accountOfFirst;
  const users = await table.query({ pk: directoryPartitions.users });
  const byAge = users
    .map(storedUserOf)
    .filter((user) => user.is_admin)
    .toSorted(({ created_at: one }, { created_at: other }) => (one < other ? -1 : 1));
  for (const user of byAge) {
    const account = await accountOfAdmin(user, table);
    if (account) return account;
  }
  return undefined;
};

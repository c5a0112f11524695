import type { User } from '../../../contract/admin/users.ts';
import { directoryKeys, directoryPartitions } from '../../../contract/deployment/keys.ts';
import { contentOf, type Item, type Table } from '../../storage/table.ts';
import { adminsKey } from '../users/users.ts';

/** The account that gets the mail of role addresses that no account has. */
export type RoleMailAccount = { readonly accountId: string; readonly email: string };

type Reads = Pick<Table, 'get' | 'query'>;

/** The primary account of a user who is an active admin. */
const accountOfAdmin = async (item: Item | undefined, table: Reads): Promise<RoleMailAccount | undefined> => {
  if (!item) return undefined;
  const { is_admin: isAdmin, is_active: isActive, is_deleted: isDeleted, primary_account_id: accountId } = contentOf(item) as User;
  if (!isAdmin || !isActive || isDeleted || accountId === undefined) return undefined;
  const account = await table.get(directoryKeys.account(accountId));
  return account && { accountId, email: account['email'] as string };
};

/**
 * Finds the primary account of the first admin, or else of the admin who has been a user for the longest time. Only without
 * the first admin it reads all users.
 */
export const findRoleMailAccount = async (table: Reads): Promise<RoleMailAccount | undefined> => {
  const firstAdmin = (await table.get(adminsKey))?.['first_admin'] as string | undefined;
  const first = firstAdmin === undefined ? undefined : await accountOfAdmin(await table.get(directoryKeys.user(firstAdmin)), table);
  if (first) return first;
  const users = await table.query({ pk: directoryPartitions.users });
  const byAge = users
    .filter((item) => item['is_admin'] === true)
    .toSorted(({ created_at: one }, { created_at: other }) => ((one as string) < (other as string) ? -1 : 1));
  for (const user of byAge) {
    const account = await accountOfAdmin(user, table);
    if (account) return account;
  }
  return undefined;
};

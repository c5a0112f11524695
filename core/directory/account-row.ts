import type { Account } from '../../contract/admin/accounts.ts';
import type { Alias } from '../../contract/admin/aliases.ts';
import { rowOf } from '../storage/table.ts';

/** The attributes of the item `account`/account_id. */
export type AccountRow = Pick<Account, 'name' | 'email' | 'created_at'> &
  Pick<Alias, 'domain_id' | 'updated_at'> & {
    readonly owner_id: string;
    readonly primary_alias_id: string;
    /** Whether it is the primary account of its owner. */
    readonly is_owners_primary: boolean;
    /** The number of members who are people. */
    readonly member_count: number;
    readonly admin_count: number;
    readonly access_version: number;
  };

export const accountRow = rowOf<AccountRow>;

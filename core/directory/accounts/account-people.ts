import type { Account, AccountUse } from '../../../contract/admin/accounts.ts';
import { directoryKeys, directoryPartitions } from '../../../contract/deployment/keys.ts';
import { mapConcurrently } from '../../runtime/map-concurrently.ts';
import type { Table } from '../../storage/table.ts';
import type { AccountRow } from '../account-row.ts';
import { memberRow } from '../users/member-profile.ts';
import { isPerson } from '../users/members.ts';
import { usesOf } from '../users/sign-ins.ts';
import { storedUserOf } from '../users/users.ts';

/** An account with the fields of its record that say whose it is. */
export type StoredAccount = Account & Pick<AccountRow, 'owner_id' | 'is_owners_primary' | 'member_count'>;

export type AccountPeople = Pick<AccountUse, 'owners' | 'last_used_at' | 'never_used'>;

/** Members of one account, and users for each account, that are read at most. */
const [maxMembers, usersForEach] = [50, 2];
/** Accounts whose members are read at the same time: those of the usual page. */
const readsAtOnce = 50;

/** Reads who owns and uses each account, in two trips: the members of each, then the users, owners and ADMINs first. */
export const readAccountPeople = async (
  table: Pick<Table, 'query' | 'batchGet'>,
  accounts: readonly StoredAccount[],
): Promise<ReadonlyMap<string, AccountPeople>> => {
  const read = await mapConcurrently(
    accounts,
    async (account) => {
      const members = await table.query({ pk: directoryPartitions.accountMembers(account.account_id), limit: maxMembers + 1 });
      const people = members.filter(({ sk }) => isPerson(sk));
      return {
        account,
        isWhole: members.length <= maxMembers,
        people: people.map(({ sk }) => sk),
        admins: people.filter((member) => memberRow(member).role === 'ADMIN').map(({ sk }) => sk),
      };
    },
    { atOnce: readsAtOnce },
  );
  const wanted = new Set([
    ...accounts.flatMap(({ is_owners_primary: isPrimary, owner_id: id }) => (isPrimary ? [id] : [])),
    ...read.flatMap(({ admins }) => admins),
    ...read.flatMap(({ people }) => people),
  ]);
  const keys = [...wanted].slice(0, usersForEach * accounts.length).map(directoryKeys.user);
  const users = new Map((await table.batchGet(keys)).map((item) => [item.sk, storedUserOf(item)]));
  return new Map(
    read.map(({ account: { account_id: accountId, owner_id: ownerId }, isWhole, people, admins }) => {
      const known = (ids: readonly string[]) => ids.flatMap((id) => users.get(id) ?? []);
      const owner = known([ownerId]).filter((user) => user.primary_account_id === accountId);
      const owners = (owner.length > 0 ? owner : known(admins)).map(({ name }) => name);
      const isKnown = isWhole && people.length > 0 && people.every((id) => users.has(id));
      const last = isKnown ? known(people).flatMap(usesOf).toSorted().at(-1) : undefined;
      return [accountId, { owners, last_used_at: last, never_used: isKnown && last === undefined }];
    }),
  );
};

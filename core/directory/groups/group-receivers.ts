import { directoryKeys, directoryPartitions } from '../../../contract/deployment/keys.ts';
import { isIdOf } from '../../../contract/values/ids.ts';
import { mapConcurrently } from '../../runtime/map-concurrently.ts';
import type { Table } from '../../storage/table.ts';
import { accountRow } from '../account-row.ts';

/** An account that gets the mail of a group, with its primary address. */
export type GroupAccount = { readonly accountId: string; readonly email: string; readonly name: string };

/** The ids of the accounts in a group, and its members outside. */
export type AllMembers = { readonly accountIds: readonly string[]; readonly outside: readonly string[] };

/** Finds who gets the mail of groups. */
export type GroupReceivers = {
  /**
   * The accounts and the addresses outside of each group, each once, also through groups in it. It reads one level of groups in each round
   * trip. Groups that are in each other, which another call may have made at the same time, end.
   */
  membersOf(groupIds: readonly string[]): Promise<ReadonlyMap<string, AllMembers>>;
  /** Those of the accounts that exist, in one BatchGet. An account that is being removed is left out. */
  accounts(accountIds: readonly string[]): Promise<GroupAccount[]>;
};

/** Whether a member of a group is an address outside, and not the id of an account or of a group. */
export const isOutside = (memberId: string): boolean => memberId.includes('@');

/** Whether a member of a group is a group. An address outside may begin like an id. */
export const isGroup = (memberId: string): boolean => isIdOf('group', memberId) && !isOutside(memberId);

export const groupReceiversIn = (table: Pick<Table, 'query' | 'batchGet'>): GroupReceivers => ({
  async membersOf(groupIds) {
    const members = new Map<string, readonly string[]>();
    for (let level = [...new Set(groupIds)]; level.length > 0;) {
      const found = await mapConcurrently(level, async (id) => (await table.query({ pk: directoryPartitions.groupMembers(id) })).map(({ sk }) => sk));
      for (const [index, id] of level.entries()) members.set(id, found[index]!);
      level = [...new Set(found.flat())].filter((id) => isGroup(id) && !members.has(id));
    }
    return new Map(groupIds.map((groupId) => [groupId, allBelow(groupId, members)]));
  },
  async accounts(accountIds) {
    const items = await table.batchGet(accountIds.map(directoryKeys.account));
    return items.map((item) => {
      const { email, name } = accountRow(item);
      return { accountId: item.sk, email, name };
    });
  },
});

const allBelow = (groupId: string, members: ReadonlyMap<string, readonly string[]>): AllMembers => {
  const groups = new Set([groupId]);
  const others = new Set<string>();
  // A set that grows while it is read is read to its end.
  for (const group of groups) for (const id of members.get(group) ?? []) (isGroup(id) ? groups : others).add(id);
  return { accountIds: [...others].filter((id) => !isOutside(id)), outside: [...others].filter(isOutside).toSorted() };
};

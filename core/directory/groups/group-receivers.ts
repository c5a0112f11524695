import { directoryKeys, directoryPartitions } from '../../../contract/deployment/keys.ts';
import { isIdOf } from '../../../contract/values/ids.ts';
import { mapConcurrently } from '../../runtime/map-concurrently.ts';
import type { Table } from '../../storage/table.ts';
import { accountRow } from '../account-row.ts';

/** An account that gets the mail of a group, with its primary address. */
export type GroupAccount = { readonly accountId: string; readonly email: string; readonly name: string };

/** Finds who gets the mail of groups. */
export type GroupReceivers = {
  /**
   * The ids of the accounts of each group, each once, also through groups in it. It reads one level of groups in each round
   * trip. Groups that are in each other, which another call may have made at the same time, end.
   */
  accountIdsOf(groupIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Those of the accounts that exist, in one BatchGet. An account that is being removed is left out. */
  accounts(accountIds: readonly string[]): Promise<GroupAccount[]>;
};

export const groupReceiversIn = (table: Pick<Table, 'query' | 'batchGet'>): GroupReceivers => ({
  async accountIdsOf(groupIds) {
    const members = new Map<string, readonly string[]>();
    for (let level = [...new Set(groupIds)]; level.length > 0;) {
      const found = await mapConcurrently(level, async (id) => (await table.query({ pk: directoryPartitions.groupMembers(id) })).map(({ sk }) => sk));
      for (const [index, id] of level.entries()) members.set(id, found[index]!);
      level = [...new Set(found.flat())].filter((id) => isIdOf('group', id) && !members.has(id));
    }
    return new Map(groupIds.map((groupId) => [groupId, accountIdsBelow(groupId, members)]));
  },
  async accounts(accountIds) {
    const items = await table.batchGet(accountIds.map(directoryKeys.account));
    return items.map((item) => {
      const { email, name } = accountRow(item);
      return { accountId: item.sk, email, name };
    });
  },
});

const accountIdsBelow = (groupId: string, members: ReadonlyMap<string, readonly string[]>): string[] => {
  const groups = new Set([groupId]);
  const accountIds = new Set<string>();
  // A set that grows while it is read is read to its end.
  for (const group of groups) for (const id of members.get(group) ?? []) (isIdOf('group', id) ? groups : accountIds).add(id);
  return [...accountIds];
};

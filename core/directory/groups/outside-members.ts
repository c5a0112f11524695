import { directoryKeys, directoryPartitions } from '../../../contract/deployment/keys.ts';
import { contentOf, type Table } from '../../storage/table.ts';
import type { StoredGroup } from './groups.ts';

/** A member of a group that is an address outside. */
export type OutsideMember = { readonly address: string; readonly groupEmail: string };

/** Lists the members of groups that are addresses outside. */
export const listOutsideMembers = async (table: Pick<Table, 'query' | 'batchGet'>): Promise<OutsideMember[]> => {
  const members = (await table.query({ pk: directoryPartitions.outsideMembers })).map(({ sk }) => {
    const end = sk.lastIndexOf('#');
    return { address: sk.slice(0, end), groupId: sk.slice(end + 1) };
  });
  const groups = await table.batchGet([...new Set(members.map(({ groupId }) => groupId))].map(directoryKeys.group));
  const emails = new Map(groups.map((item) => [item.sk, contentOf<StoredGroup>(item).email]));
  return members.flatMap(({ address, groupId }) => {
    const groupEmail = emails.get(groupId);
    return groupEmail === undefined ? [] : [{ address, groupEmail }];
  });
};

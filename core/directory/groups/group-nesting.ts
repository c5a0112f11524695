import { maxGroupLevels } from '../../../contract/admin/aliases.ts';
import { directoryPartitions } from '../../../contract/deployment/keys.ts';
import { mapConcurrently } from '../../runtime/map-concurrently.ts';
import type { Table } from '../../storage/table.ts';
import { isGroup } from './group-receivers.ts';

/** Reads the groups next to a group: those in it, or those that have it as a member. */
type ReadNext = (groupId: string) => Promise<readonly string[]>;

/** The groups on each level from a group on, of which each group is next to one of the level before. The first has the group itself. */
type Levels = readonly ReadonlySet<string>[];

/** Reads one level more than is allowed, so that what is too much is seen. */
const levelsFrom = async (groupId: string, next: ReadNext): Promise<Levels> => {
  const levels = [new Set([groupId])];
  while (levels.length <= maxGroupLevels) {
    const found = await mapConcurrently([...levels.at(-1)!], next);
    if (found.flat().length === 0) break;
    levels.push(new Set(found.flat()));
  }
  return levels;
};

/** The groups above the group, and those below each of the groups that become its members. */
type Nesting = { readonly above: Levels; readonly below: readonly Levels[] };

const groupsAmong = (ids: readonly string[]): string[] => ids.filter(isGroup);

export const groupsAboveAndBelow = async (table: Pick<Table, 'query'>, groupId: string, memberIds: readonly string[]): Promise<Nesting> => {
  const groups = groupsAmong(memberIds);
  if (groups.length === 0) return { above: [], below: [] };
  const idsIn = async (pk: string): Promise<string[]> => (await table.query({ pk })).map(({ sk }) => sk);
  const [above, below] = await Promise.all([
    levelsFrom(groupId, (id) => idsIn(directoryPartitions.groupsOfMember(id))),
    mapConcurrently(groups, (group) => levelsFrom(group, async (id) => groupsAmong(await idsIn(directoryPartitions.groupMembers(id))))),
  ]);
  return { above, below };
};

/** The reason why groups may not become members of a group. Undefined when they may. */
export const nestingProblem = (memberIds: readonly string[], { above, below }: Nesting): string | undefined => {
  const ancestors = new Set(above.flatMap((level) => [...level]));
  if (groupsAmong(memberIds).some((id) => ancestors.has(id))) return 'a group cannot be a member of itself, nor of a group in it';
  if (below.some((levels) => above.length + levels.length > maxGroupLevels)) {
    return `groups are members of groups over at most ${maxGroupLevels} levels`;
  }
  return undefined;
};

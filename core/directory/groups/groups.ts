import { maxGroupMembers, type Group } from '../../../contract/admin/aliases.ts';
import { directoryKeys, directoryPartitions } from '../../../contract/deployment/keys.ts';
import { givenFields } from '../../../contract/values/given-fields.ts';
import { AlreadyExists, FailedPrecondition, NotFound } from '../../runtime/domain-errors.ts';
import { readPage, type Page } from '../../storage/page.ts';
import { retryOnConflict, tryWrite, writeOrThrow } from '../../storage/retry-on-conflict.ts';
import { contentOf, findItemIn, itemOf, rowOf, type Item, type Key, type Table, type Write } from '../../storage/table.ts';
import { addressKey, heldSince, isFreeFor, readSignInAddresses, signInAddressTaken, type GroupAddressRow } from '../address-reservations.ts';
import { addressAddedWrite, addressRemovedWrite } from '../domains/domains.ts';
import { identityRequest } from '../identity-request.ts';
import { listingWrites, readListedPage, type ListedPage } from '../listings.ts';
import { groupsAboveAndBelow, nestingProblem } from './group-nesting.ts';
import { isGroup, isOutside } from './group-receivers.ts';

/** A stored group; `version` counts its changes. `removing`: its address is released, and its members are being removed. */
export type StoredGroup = Group & { readonly version: number; readonly state: 'ready' | 'removing' };

type GroupChange = { readonly [Field in 'name' | 'description' | 'writers' | 'members_may_send']?: Group[Field] | undefined };

/** A membership: the id of an account or of a group, and when it was added (RFC 3339). */
export type GroupMembership = { readonly memberId: string; readonly addedAt: string };

/** The writes of the audit entry of a change. */
type AuditWrites = (before: Group, after: Group) => readonly Write[];

/**
 * Groups. The item `group`/group_id is the record, and `address`/address what deliveries read. A membership is two items:
 * `group-member#group_id`/member_id, and `member-group#member_id`/group_id; one outside is a third, `outside-member`. It stays while its account can be restored, so that
 * deliveries check that the accounts of members exist.
 */
export type Groups = {
  /** The group. A group whose removal has begun is left out. */
  find(groupId: string): Promise<StoredGroup | undefined>;
  /** Those of the groups that exist. */
  findAll(groupIds: readonly string[]): Promise<Group[]>;
  listed(page: ListedPage, after: string | undefined, size: number): Promise<Page<Group>>;
  /** @throws NotFound (domain), AlreadyExists (also for the sign-in address of a user), StoreConflict. */
  create(group: Group, additionalWrites: readonly Write[]): Promise<void>;
  /** @throws NotFound, StoreConflict. */
  update(groupId: string, change: GroupChange, now: Date, additionalWrites: AuditWrites): Promise<Group>;
  /**
   * Releases the address, then removes the members and the memberships of the group, and last the group.
   * @param begun makes the writes of the first transaction, and `ended` those of the last.
   * @throws NotFound, StoreConflict.
   */
  remove(groupId: string, writes: { readonly begun: (group: Group) => readonly Write[]; readonly ended: () => readonly Write[] }): Promise<void>;
  members(groupId: string, after: string | undefined, size: number): Promise<Page<GroupMembership>>;
  /** The ids of the groups that have the member, in the order of ids. */
  groupIdsOf(memberId: string, after: string | undefined, size: number): Promise<Page<string>>;
  /**
   * Adds accounts and groups, which exist, as members. Members stay as they are.
   * @throws NotFound, FailedPrecondition (too many members, groups that are not nested right), StoreConflict.
   */
  addMembers(groupId: string, memberIds: readonly string[], now: Date, additionalWrites: AuditWrites): Promise<Group>;
  /** Removes those of the members that are some. @throws NotFound, StoreConflict. */
  removeMembers(groupId: string, memberIds: readonly string[], now: Date, additionalWrites: AuditWrites): Promise<Group>;
};

const groupKey = directoryKeys.group;
const storedGroupOf = contentOf<StoredGroup>;
const isReady = ({ state }: StoredGroup): boolean => state === 'ready';

/** The group as the interface has it. */
const groupOf = ({ version: _version, state: _state, ...group }: StoredGroup): Group => group;

const membershipRow = rowOf<{ readonly added_at: string }>;

const membershipKeys = (groupId: string, memberId: string): readonly [fromGroup: Key, ...others: Key[]] => [
  directoryKeys.groupMember(groupId, memberId),
  directoryKeys.groupOfMember(memberId, groupId),
  ...(isOutside(memberId) ? [directoryKeys.outsideMember(memberId, groupId)] : []),
];

/** The writes that remove a membership. They fail when somebody else has removed it. */
const removedMembershipWrites = (groupId: string, memberId: string): Write[] => {
  const [fromGroup, ...others] = membershipKeys(groupId, memberId);
  return [{ delete: fromGroup, if: { present: true } }, ...others.map((key) => ({ delete: key }))];
};

/** The requests for the Identities of accounts that become members of the group, or no longer are. */
const identityRequests = ({ members_may_send: maySend }: Group, memberIds: readonly string[]): Write[] =>
  maySend ? memberIds.filter((id) => !isOutside(id) && !isGroup(id)).map(identityRequest) : [];

/** Memberships that one transaction removes when a group or a member is removed. */
const removedAtOnce = 25;

/** The write of a changed group. It fails when the group has changed since it was read. */
const changedWrite = (before: StoredGroup, after: Group): Write => ({
  put: itemOf(groupKey(before.group_id), { ...after, state: 'ready', version: before.version + 1 } satisfies StoredGroup),
  if: { equals: { version: before.version, state: 'ready' } },
});

const newAddressWrite = ({ email, group_id, domain_id, writers, members_may_send }: Group, since: string | undefined): Write => ({
  put: itemOf(addressKey(email), {
    group_id,
    domain_id,
    writers,
    members_may_send,
    is_active: true,
    state: 'ready',
    ...(since !== undefined && { held_since: since }),
  } satisfies GroupAddressRow),
  if: isFreeFor(since),
});

/** Removes the memberships of an account or of a group in other groups. */
export const removeMemberships = async (table: Table, memberId: string): Promise<void> => {
  const pk = directoryPartitions.groupsOfMember(memberId);
  for (let found = await table.query({ pk, limit: removedAtOnce }); found.length > 0; found = await table.query({ pk, limit: removedAtOnce })) {
    // Each in its own transaction, because each changes another group.
    for (const { sk: groupId } of found) await removeMembership(table, groupId, memberId);
  }
};

const removeMembership = async (table: Table, groupId: string, memberId: string): Promise<void> => {
  const isRemoved = await tryWrite(table, [
    ...removedMembershipWrites(groupId, memberId),
    { update: groupKey(groupId), add: { member_count: -1, version: 1 }, if: { present: true } },
  ]);
  if (!isRemoved) {
    await tryWrite(
      table,
      membershipKeys(groupId, memberId).map((key) => ({ delete: key })),
    );
  }
};

export const groupsIn = (table: Table): Groups => {
  const read = async (groupId: string): Promise<StoredGroup | undefined> => {
    const item = await table.get(groupKey(groupId));
    return item && storedGroupOf(item);
  };
  const find = async (groupId: string): Promise<StoredGroup | undefined> => {
    const group = await read(groupId);
    return group && isReady(group) ? group : undefined;
  };
  const existing = async (groupId: string): Promise<StoredGroup> => {
    const group = await find(groupId);
    if (!group) throw new NotFound('group');
    return group;
  };

  /** Those of the members that are some, by their membership. */
  const membershipsAmong = async (groupId: string, memberIds: readonly string[]) => {
    const unique = [...new Set(memberIds)];
    const findItem = findItemIn(await table.batchGet(unique.map((id) => directoryKeys.groupMember(groupId, id))));
    return { unique, isMember: (id: string) => findItem(directoryKeys.groupMember(groupId, id)) !== undefined };
  };

  const newMembershipWrites = (groupId: string, memberId: string, now: Date): Write[] =>
    membershipKeys(groupId, memberId).map((key, index) => ({
      put: { ...key, added_at: now.toISOString() },
      // The number of members counts each once.
      ...(index === 0 && { if: { absent: true } as const }),
    }));

  const removeAllMembers = async (group: Group): Promise<void> => {
    const groupId = group.group_id;
    const pk = directoryPartitions.groupMembers(groupId);
    for (let found = await table.query({ pk, limit: removedAtOnce }); found.length > 0; found = await table.query({ pk, limit: removedAtOnce })) {
      const memberIds = found.map(({ sk }) => sk);
      const deleted = memberIds.flatMap((memberId) => membershipKeys(groupId, memberId).map((key): Write => ({ delete: key })));
      await tryWrite(table, [...deleted, ...identityRequests(group, memberIds)]);
    }
  };

  return {
    find,
    async findAll(groupIds) {
      const items = await table.batchGet([...new Set(groupIds)].map(groupKey));
      return items.map(storedGroupOf).filter(isReady).map(groupOf);
    },
    listed: async (page, after, size) => {
      const { items, next } = await readListedPage(table, 'group', page, after, size, { keyOf: groupKey, toRow: storedGroupOf });
      return { items: items.filter(isReady).map(groupOf), next };
    },
    create: (group, additionalWrites) =>
      retryOnConflict(async () => {
        // Nobody signs in with the address of a group: its members would read the codes.
        const [signInAddressesFor, former] = await Promise.all([readSignInAddresses(table, group.email), table.get(addressKey(group.email))]);
        const checks = signInAddressesFor('');
        if (checks === 'taken') throw new AlreadyExists(signInAddressTaken);
        await writeOrThrow(
          table,
          [
            addressAddedWrite(group.domain_id),
            newAddressWrite(group, heldSince(group, former)),
            ...checks,
            { put: itemOf(groupKey(group.group_id), { ...group, state: 'ready', version: 1 } satisfies StoredGroup), if: { absent: true } },
            ...listingWrites('group', undefined, group),
            ...additionalWrites,
          ],
          [
            () => new NotFound('domain'),
            () => new AlreadyExists('an account or another group has this address already'),
            () => new AlreadyExists(signInAddressTaken),
          ],
        );
      }),
    update: (groupId, change, now, additionalWrites) =>
      retryOnConflict(async () => {
        const before = await existing(groupId);
        const after: Group = { ...groupOf(before), ...givenFields(change), updated_at: now.toISOString() };
        await table.write([
          changedWrite(before, after),
          { update: addressKey(after.email), set: { writers: after.writers, members_may_send: after.members_may_send }, if: { equals: { group_id: groupId } } },
          ...(after.members_may_send === before.members_may_send ? [] : [identityRequest(groupId)]),
          ...listingWrites('group', before, after),
          ...additionalWrites(before, after),
        ]);
        return after;
      }),
    async remove(groupId, { begun, ended }) {
      const removed = await retryOnConflict(async () => {
        const group = await read(groupId);
        if (!group) throw new NotFound('group');
        if (!isReady(group)) {
          await table.write(begun(groupOf(group)));
          return group;
        }
        await table.write([
          { update: groupKey(groupId), set: { state: 'removing' }, add: { version: 1 }, if: { equals: { version: group.version } } },
          { delete: addressKey(group.email), if: { equals: { group_id: groupId } } },
          addressRemovedWrite(group.domain_id),
          ...listingWrites('group', group, undefined),
          ...begun(groupOf(group)),
        ]);
        return group;
      });
      await removeMemberships(table, groupId);
      await removeAllMembers(removed);
      await tryWrite(table, [{ delete: groupKey(groupId) }, ...ended()]);
    },
    members: (groupId, after, size) =>
      readPage(table, directoryPartitions.groupMembers(groupId), after, size, (item: Item) => ({ memberId: item.sk, addedAt: membershipRow(item).added_at })),
    groupIdsOf: (memberId, after, size) => readPage(table, directoryPartitions.groupsOfMember(memberId), after, size, ({ sk }) => sk),
    addMembers: (groupId, memberIds, now, additionalWrites) =>
      retryOnConflict(async () => {
        const [before, { unique, isMember }] = await Promise.all([existing(groupId), membershipsAmong(groupId, memberIds)]);
        const added = unique.filter((id) => !isMember(id));
        const problem = nestingProblem(added, await groupsAboveAndBelow(table, groupId, added));
        if (problem !== undefined) throw new FailedPrecondition(problem);
        const count = before.member_count + added.length;
        if (added.length > 0 && count > maxGroupMembers) throw new FailedPrecondition(`a group has at most ${maxGroupMembers} members`);
        const after: Group = { ...groupOf(before), member_count: count, ...(added.length > 0 && { updated_at: now.toISOString() }) };
        await table.write([
          changedWrite(before, after),
          ...added.flatMap((id) => newMembershipWrites(groupId, id, now)),
          ...identityRequests(after, added),
          ...additionalWrites(before, after),
        ]);
        return after;
      }),
    removeMembers: (groupId, memberIds, now, additionalWrites) =>
      retryOnConflict(async () => {
        const [before, { unique, isMember }] = await Promise.all([existing(groupId), membershipsAmong(groupId, memberIds)]);
        const removed = unique.filter(isMember);
        const after: Group = {
          ...groupOf(before),
          member_count: before.member_count - removed.length,
          ...(removed.length > 0 && { updated_at: now.toISOString() }),
        };
        await table.write([
          changedWrite(before, after),
          ...removed.flatMap((id) => removedMembershipWrites(groupId, id)),
          ...identityRequests(after, removed),
          ...additionalWrites(before, after),
        ]);
        return after;
      }),
  };
};

import { directoryKeys, directoryPartitions } from '../../../contract/deployment/keys.ts';
import { FailedPrecondition, NotFound } from '../../runtime/domain-errors.ts';
import { readPage, type Page } from '../../storage/page.ts';
import { conflict, retryOnConflict, retryOnConflictFrom, tryWrite } from '../../storage/retry-on-conflict.ts';
import { contentOf, findItemIn, itemOf, rowOf, type FindItem, type Item, type Table, type Write } from '../../storage/table.ts';
import type { AccountRow } from '../account-row.ts';
import { addressKey, addressHolder } from '../address-reservations.ts';
import { accountKey, aliasKeys, aliasOf, type StoredAlias } from '../aliases/aliases.ts';
import { addressRemovedWrite } from '../domains/domains.ts';
import { removeMemberships } from '../groups/groups.ts';
import { listingWrites, maxListingWrites } from '../listings.ts';
import { profileKey } from '../users/member-profile.ts';
import { memberKeys } from '../users/members.ts';

/**
 * The steps of a removal, in order: access is closed and addresses are freed, the account waits while it can be restored, mail is
 * deleted, objects are deleted, the records of the addresses are deleted.
 */
export const removalSteps = ['access', 'waiting', 'mail', 'objects', 'addresses'] as const;
/** A step of a removal. `restoring`: a restoration has begun (`account-restorations.ts`), so nothing is removed. */
export type RemovalStep = (typeof removalSteps)[number] | 'restoring';

/** An account that is being removed. */
export type Removal = {
  readonly accountId: string;
  readonly name: string;
  readonly email: string;
  readonly step: RemovalStep;
  /** The number of items that the step has removed so far. */
  readonly removed: number;
  /** The time at which the removal began (ISO 8601). */
  readonly begunAt: string;
  /** The time until which the account can be restored (ISO 8601). After it, the account's mail is removed. */
  readonly removalAt: string;
  /** Whether an admin requested immediate removal. Then no version of an object is kept. */
  readonly isErasure: boolean;
  /** The number of restorations that began. Undefined for none. */
  readonly restorations?: number | undefined;
  /** Undefined for a removal that an earlier version began. */
  readonly ownerId: string | undefined;
};

/**
 * Whether the account can't be restored any more. When a removal does not wait, `removalAt` equals `begunAt`, so that
 * clocks which differ do not delay it.
 */
export const hasEndedWaiting = ({ begunAt, removalAt }: Pick<Removal, 'begunAt' | 'removalAt'>, now: Date): boolean =>
  removalAt <= begunAt || removalAt <= now.toISOString();

/** The time at which a removal begins, and the seconds for which the account can be restored. */
type RemovalTime = { readonly now: Date; readonly recoverableSeconds: number };

/** The account or its removal, with as many members and addresses as one transaction closes. */
type RemovalState = readonly [items: readonly Item[], members: readonly Item[], aliases: readonly Item[]];

/**
 * Removals of accounts. The item `account-removal`/account_id replaces the account in the transaction that begins its
 * removal. From then on the account is not found, its members have no access and its addresses receive no mail. The
 * removal keeps the account's record, and `removed-member#account_id`/principal_id its members, for a restoration. The
 * addresses are free for others at once; their aliases and their items `address`/address stay for a restoration, until everything
 * else is deleted or somebody takes the address.
 */
export type AccountRemovals = {
  /** Reads the input of `begin`, in one round trip. */
  findState(accountId: string): Promise<RemovalState>;
  /**
   * Begins the removal, unless it has begun.
   * @param known the state that the caller read; it is read again after a conflict.
   * @throws NotFound if neither the account nor a removal exists; StoreConflict.
   */
  begin(
    known: RemovalState,
    accountId: string,
    time: RemovalTime,
    additionalWrites: (removal: Removal, begun: 'now' | 'before') => readonly Write[],
  ): Promise<void>;
  find(accountId: string): Promise<Removal | undefined>;
  /**
   * Ends the time in which the account can be restored. All versions of its objects will be removed.
   * @throws NotFound; FailedPrecondition while the account is being restored; StoreConflict.
   */
  endWaiting(accountId: string, now: Date, additionalWrites: () => readonly Write[]): Promise<void>;
  /** Removals by account id. */
  list(after: string | undefined, size: number): Promise<Page<Removal>>;
  /** Removes the members and frees the addresses that did not fit into the first transaction. */
  closeAccess(accountId: string): Promise<void>;
  /** Stores the progress of the current step, or begins the next step. */
  recordProgress(removal: Removal, to: Pick<Removal, 'step' | 'removed'>, additionalWrites: readonly Write[]): Promise<void>;
  /**
   * Deletes the stored members, the memberships in groups, the forwarding and the records of some of the addresses. @returns the number of
   * addresses; 0 when none is left.
   */
  removeAddresses(accountId: string): Promise<number>;
  /** Deletes the removal after everything else of the account. What was recorded of its mail stays, so the owner's id stays too. */
  finish(removal: Removal, additionalWrites: readonly Write[]): Promise<void>;
};

/**
 * Maximum members and addresses of one transaction. With the account, its owner, the audit entry, the check of the owner and the
 * entries of the account in lists they take at most 100 writes, three for each member, two for each address.
 */
const membersPerTransaction = 12;
const aliasesPerTransaction = Math.trunc((100 - 7 - 3 * membersPerTransaction - maxListingWrites / 2) / 2);

export const removalKey = directoryKeys.accountRemoval;
export const removedMemberKey = directoryKeys.removedMember;

/** The attributes of the item `account-removal`/account_id. */
type RemovalRow = Pick<Removal, 'name' | 'email' | 'step' | 'removed'> & {
  readonly begun_at: string;
  readonly removal_at: string;
  readonly is_erasure?: boolean;
  /** The removed account. */
  readonly account?: AccountRow;
  /** The number of restorations that began. */
  readonly restorations?: number;
  /** The addresses that a restoration does not give back. */
  readonly lost?: readonly string[];
};

export const removalRow = rowOf<RemovalRow>;

export const removalOf = (item: Item): Removal => {
  const { name, email, step, removed, begun_at: begunAt, removal_at: removalAt, is_erasure: isErasure, restorations, account } = removalRow(item);
  return { accountId: item.sk, name, email, step, removed, begunAt, removalAt, isErasure: isErasure === true, restorations, ownerId: account?.owner_id };
};

/** The writes that free addresses, which are not counted at their domains any more. */
const freedAddresses = (items: readonly Item[]): Write[] => {
  const aliases = items.map(aliasOf);
  return [
    ...aliases.map(({ email, alias_id }): Write => ({ update: addressKey(email), set: { state: 'freed' }, if: { equals: { alias_id, state: 'ready' } } })),
    ...[...Map.groupBy(aliases, ({ domain_id: domainId }) => domainId)].map(([domainId, { length }]) => addressRemovedWrite(domainId, length)),
  ];
};

const closedMember = (accountId: string, member: Item): Write[] => [
  { put: { ...member, ...removedMemberKey(accountId, member.sk) } },
  ...Object.values(memberKeys(accountId, member.sk)).map((key) => ({ delete: key })),
];

const membersOf = (table: Table, accountId: string) => table.query({ pk: directoryPartitions.accountMembers(accountId), limit: membersPerTransaction });
const aliasesOf = (table: Table, accountId: string, after?: string) =>
  table.query({ pk: directoryPartitions.accountAliases(accountId), after, limit: aliasesPerTransaction });

const findState = (table: Table, accountId: string): Promise<RemovalState> =>
  Promise.all([table.batchGet([accountKey(accountId), removalKey(accountId)]), membersOf(table, accountId), aliasesOf(table, accountId)]);

const isOpen = ({ email, alias_id: aliasId }: StoredAlias, rows: FindItem): boolean => {
  const row = rows(addressKey(email));
  return row !== undefined && addressHolder(row).alias_id === aliasId && addressHolder(row).state === 'ready';
};

const closeAccess = async (table: Table, accountId: string): Promise<void> => {
  const isClosing: Write = { check: removalKey(accountId), if: { equals: { step: 'access' } } };
  for (let members = await membersOf(table, accountId); members.length > 0; members = await membersOf(table, accountId)) {
    // A concurrent restoration adds them as members again.
    if (!(await tryWrite(table, [isClosing, ...members.flatMap((member) => closedMember(accountId, member))]))) return;
  }
  let after: string | undefined;
  do {
    const aliases = await aliasesOf(table, accountId, after);
    const isClosed = await retryOnConflict(async () => {
      const rows = findItemIn(await table.batchGet(aliases.map((alias) => addressKey(aliasOf(alias).email))));
      const open = aliases.filter((alias) => isOpen(aliasOf(alias), rows));
      if (open.length === 0 || (await tryWrite(table, [isClosing, ...freedAddresses(open)]))) return true;
      return (await table.get(removalKey(accountId)))?.['step'] === 'access' ? conflict : false;
    });
    if (!isClosed) return;
    after = aliases.length < aliasesPerTransaction ? undefined : aliases.at(-1)?.sk;
  } while (after !== undefined);
};

const newRemoval = (accountId: string, row: AccountRow, { now, recoverableSeconds }: RemovalTime): Item =>
  itemOf(removalKey(accountId), {
    name: row.name,
    email: row.email,
    step: removalSteps[0],
    removed: 0,
    begun_at: now.toISOString(),
    removal_at: new Date(now.getTime() + recoverableSeconds * 1000).toISOString(),
    account: row,
  } satisfies RemovalRow);

const primaryAccountRemovedWrites = ({ owner_id: ownerId }: AccountRow): Write[] => [
  { update: directoryKeys.user(ownerId), remove: ['primary_account_id'], add: { version: 1 }, if: { present: true } },
  { update: profileKey(ownerId), remove: ['primary_account_id'] },
];

/** @returns whether members or addresses may remain that `closeAccess` has to close. */
const writeRemoval = async (
  table: Table,
  [items, members, aliases]: RemovalState,
  accountId: string,
  time: RemovalTime,
  additionalWrites: Parameters<AccountRemovals['begin']>[3],
): Promise<boolean> => {
  const { accounts, accountRemovals } = directoryPartitions;
  const [account, begun] = [accounts, accountRemovals].map((kind) => items.find(({ pk }) => pk === kind));
  if (begun) {
    // This ends a restoration that is not complete.
    const removal = removalOf(begun);
    const reopened: Write[] =
      removal.step === 'restoring' ? [{ update: removalKey(accountId), set: { step: 'access' }, if: { equals: { step: 'restoring' } } }] : [];
    await table.write([...reopened, ...additionalWrites(removal, 'before')]);
    return removal.step === 'access' || removal.step === 'restoring';
  }
  if (!account) throw new NotFound('account');
  const row = contentOf<AccountRow>(account);
  const removal = newRemoval(accountId, row, time);
  await table.write([
    { delete: accountKey(accountId), if: { equals: { access_version: row.access_version } } },
    { put: removal, if: { absent: true } },
    ...listingWrites('account', { ...row, account_id: accountId }, undefined),
    ...(row.is_owners_primary ? primaryAccountRemovedWrites(row) : []),
    ...freedAddresses(aliases),
    ...members.flatMap((member) => closedMember(accountId, member)),
    ...additionalWrites(removalOf(removal), 'now'),
  ]);
  return members.length === membersPerTransaction || aliases.length === aliasesPerTransaction;
};

const endWaiting = async (table: Table, accountId: string, now: Date, additionalWrites: () => readonly Write[]): Promise<void> => {
  const item = await table.get(removalKey(accountId));
  if (!item) throw new NotFound('deleted account');
  const removal = removalOf(item);
  const { step, begunAt } = removal;
  if (step === 'restoring') throw new FailedPrecondition('the account is being restored');
  const isWaiting = (step === 'access' || step === 'waiting') && !hasEndedWaiting(removal, now);
  await table.write([
    { update: removalKey(accountId), set: { is_erasure: true, ...(isWaiting && { removal_at: begunAt }) }, if: { equals: { step } } },
    ...additionalWrites(),
  ]);
};

const removeAddress = async (table: Table, item: Item): Promise<void> => {
  const alias = aliasOf(item);
  const record: Write[] = [...aliasKeys(alias).map((key): Write => ({ delete: key })), ...listingWrites('alias', alias, undefined)];
  const isOurs = { alias_id: alias.alias_id };
  const address = { delete: addressKey(alias.email) };
  if (await tryWrite(table, [...record, { ...address, if: { equals: { ...isOurs, state: 'freed' } } }])) return;
  // An earlier version deleted the account.
  if (await tryWrite(table, [...record, { ...address, if: { equals: isOurs } }, addressRemovedWrite(alias.domain_id)])) return;
  // Another account has the address.
  await tryWrite(table, record);
};

const removeAddresses = async (table: Table, accountId: string): Promise<number> => {
  const members = await table.query({ pk: removedMemberKey(accountId, '').pk });
  for (const { pk, sk } of members) await table.write([{ delete: { pk, sk } }]);
  await removeMemberships(table, accountId);
  await table.write([{ delete: directoryKeys.forwarding(accountId) }]);
  const aliases = await aliasesOf(table, accountId);
  for (const alias of aliases) await removeAddress(table, alias);
  return aliases.length;
};

export const accountRemovalsIn = (table: Table): AccountRemovals => ({
  findState: (accountId) => findState(table, accountId),
  async begin(known, accountId, time, additionalWrites) {
    const hasMore = await retryOnConflictFrom(
      known,
      () => findState(table, accountId),
      (state) => writeRemoval(table, state, accountId, time, additionalWrites),
    );
    if (hasMore) await closeAccess(table, accountId);
  },
  async find(accountId) {
    const item = await table.get(removalKey(accountId));
    return item && removalOf(item);
  },
  endWaiting: (accountId, now, additionalWrites) => retryOnConflict(() => endWaiting(table, accountId, now, additionalWrites)),
  list: (after, size) => readPage(table, directoryPartitions.accountRemovals, after, size, removalOf),
  closeAccess: (accountId) => closeAccess(table, accountId),
  async recordProgress({ accountId, step: from, begunAt: begun_at, restorations }, { step, removed }, additionalWrites) {
    // A restoration that another deletion ended, or that is complete, makes it another removal.
    const isSame = { equals: { step: from, begun_at, restorations } };
    await tryWrite(table, [{ update: removalKey(accountId), set: { step, removed }, if: isSame }, ...additionalWrites]);
  },
  removeAddresses: (accountId) => removeAddresses(table, accountId),
  async finish({ accountId, ownerId }, additionalWrites) {
    const owner: Write[] = ownerId === undefined ? [] : [{ put: { ...directoryKeys.removedAccount(accountId), owner_id: ownerId } }];
    await tryWrite(table, [{ delete: removalKey(accountId), if: { present: true } }, ...owner, ...additionalWrites]);
  },
});

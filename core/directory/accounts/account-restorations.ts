import type { Account } from '../../../contract/admin/accounts.ts';
import type { AddressNotRestored, Alias } from '../../../contract/admin/aliases.ts';
import { directoryKeys, directoryPartitions } from '../../../contract/deployment/keys.ts';
import { domainOf } from '../../../contract/values/mail-address.ts';
import { FailedPrecondition, NotFound } from '../../runtime/domain-errors.ts';
import { conflict, retryOnConflict, retryOnConflictFrom, tryWrite } from '../../storage/retry-on-conflict.ts';
import { findItemIn, itemOf, rowOf, type Item, type Table, type Write } from '../../storage/table.ts';
import type { AccountRow } from '../account-row.ts';
import { addressKey, addressHolder, readSignInAddresses, signInHolderOf } from '../address-reservations.ts';
import type { AliasIdentities } from '../aliases/alias-identities.ts';
import { primaryWrites } from '../aliases/alias-moves.ts';
import { accountKey, aliasKeys, aliasOf, changedAlias, newAddressWrite, primaryOf, type StoredAlias } from '../aliases/aliases.ts';
import { addressAddedWrite, domainNameRow, storedDomainOf } from '../domains/domains.ts';
import { listingWrites } from '../listings.ts';
import { profileWrite } from '../users/member-profile.ts';
import { isPerson, memberKeys } from '../users/members.ts';
import { storedUserOf } from '../users/users.ts';
import { hasEndedWaiting, removalKey, removalOf, removalRow, removedMemberKey, type RemovalStep } from './account-removals.ts';
import { accountOf } from './accounts.ts';

/** A restored account, and the addresses that it does not get back. */
type Restored = { readonly account: Account; readonly lost: AddressNotRestored[] };

/** Restores deleted accounts. */
export type AccountRestorations = {
  /**
   * Restores an account whose mail is not being removed. The step `restoring` stops the removal. Then the addresses that nobody
   * else has and the members are restored, and last the account, in one transaction with the additional writes. The next call
   * completes an interrupted restoration; DeleteAccount ends it.
   * @throws NotFound if there is no removal; FailedPrecondition if the removal has begun, or if the account gets no address back,
   * which changes nothing; StoreConflict.
   */
  restore(accountId: string, now: Date, additionalWrites: (account: Account, lost: readonly AddressNotRestored[]) => readonly Write[]): Promise<Restored>;
};

/** Maximum addresses or members that are read at once. */
const itemsAtOnce = 25;

/** A restoration that has begun. */
type Claim = {
  readonly accountId: string;
  readonly account: AccountRow;
  /** The number of the restoration. */
  readonly restorations: number | undefined;
  /** The addresses that earlier calls did not give back. */
  readonly lost: readonly string[];
  /** The step before. Undefined for a restoration that another call began. */
  readonly from?: RemovalStep;
};

/** The condition that no call of DeleteAccount has ended the restoration, and no other call has completed it. */
const restoring = ({ restorations }: Claim) => ({ equals: { step: 'restoring', restorations } });
const isRestoring = (claim: Claim): Write => ({ check: removalKey(claim.accountId), if: restoring(claim) });

/** The address that becomes primary: the oldest one that sends, or else that receives, or else the oldest one. */
const nextPrimary = (aliases: readonly StoredAlias[]): StoredAlias | undefined => {
  const rank = ({ is_active: isActive, can_send_from: sends }: Alias) => (isActive ? (sends ? 0 : 1) : 2);
  return aliases.toSorted((one, other) => rank(one) - rank(other) || (one.created_at < other.created_at ? -1 : 1))[0];
};

const lostSentence = ({ email, account_id: accountId, group_id: groupId, user_id: userId, name = '' }: AddressNotRestored): string => {
  if (groupId !== undefined) return `${email} is the address of the group ${name} (${groupId}); delete the group first (aliases/DeleteGroup)`;
  if (accountId !== undefined) return `${email} is an address of the account ${name} (${accountId}); delete it there first (aliases/DeleteAlias)`;
  if (userId !== undefined) return `${email} is the sign-in address of ${name} (${userId}); give them another one first (users/ChangeSignInAddress)`;
  return `the domain of ${email} was removed; add it first (domains/AddDomain)`;
};

/** @param identities makes the writes that destroy the Identities of an address. */
export const accountRestorationsIn = (table: Table, identities: Pick<AliasIdentities, 'removed'>): AccountRestorations => {
  const claimRestoration = (accountId: string, now: Date): Promise<Claim> =>
    retryOnConflict(async () => {
      const item = await table.get(removalKey(accountId));
      if (!item) throw new NotFound('deleted account');
      const removal = removalOf(item);
      const { step, removalAt, restorations } = removal;
      const { account, lost = [] } = removalRow(item);
      if (!account || (step !== 'restoring' && (!['access', 'waiting'].includes(step) || hasEndedWaiting(removal, now)))) {
        throw new FailedPrecondition('the removal of the account has begun');
      }
      if (step === 'restoring') return { accountId, account, restorations, lost };
      const next = (restorations ?? 0) + 1;
      const unchanged = { equals: { step, removal_at: removalAt, restorations } };
      return (await tryWrite(table, [{ update: removalKey(accountId), set: { step: 'restoring', restorations: next }, if: unchanged }]))
        ? { accountId, account, restorations: next, lost, from: step }
        : conflict;
    });

  /** Another attempt is made while the restoration goes on. The last transaction finds out why it does not. */
  const againIfRestoring = async <T>(claim: Claim, otherwise: T): Promise<T | typeof conflict> => {
    const item = await table.get(removalKey(claim.accountId));
    const removal = item && removalOf(item);
    return removal?.step === 'restoring' && removal.restorations === claim.restorations ? conflict : otherwise;
  };

  /** Finds a domain that takes addresses: the one that the address had, or a later one of the same name. */
  const findDomainId = async (name: Item | undefined, domain: Item | undefined): Promise<string | undefined> => {
    const row = name && domainNameRow(name);
    if (row?.state !== 'ready') return undefined;
    const id = row.domain_id;
    const item = domain?.sk === id ? domain : await table.get(directoryKeys.domain(id));
    return item && storedDomainOf(item).state === 'ready' ? id : undefined;
  };

  /** Reads what decides whether an address is free, and for whom. */
  const readAddress = async ({ account: { owner_id: ownerId } }: Claim, { alias_id: aliasId, email, domain_id: domainId }: StoredAlias) => {
    const keys = [addressKey(email), directoryKeys.alias(aliasId), directoryKeys.domainName(domainOf(email)), directoryKeys.domain(domainId)] as const;
    const [items, holder, signInAddressesFor] = await Promise.all([
      table.batchGet(keys),
      signInHolderOf(table, email, ownerId),
      readSignInAddresses(table, email),
    ]);
    const [address, record, name, domain] = keys.map(findItemIn(items));
    const checks = holder === undefined ? signInAddressesFor(ownerId) : 'taken';
    return { row: address && addressHolder(address), record: record && aliasOf(record), name, domain, checks };
  };

  /** @returns whether the account has the address again. */
  const restoreAddress = (claim: Claim, known: Awaited<ReturnType<typeof readAddress>>, former: StoredAlias, now: Date): Promise<boolean> =>
    retryOnConflictFrom(
      known,
      () => readAddress(claim, former),
      async ({ row, record, name, domain, checks }) => {
        const isOurs = row?.alias_id === former.alias_id;
        if (isOurs && row.state === 'ready') return true;
        const domainId = await findDomainId(name, domain);
        if (!record || (row && !isOurs && row.state !== 'freed') || checks === 'taken' || domainId === undefined) return false;
        const alias = { ...record, domain_id: domainId };
        const key = addressKey(alias.email);
        const isWritten = await tryWrite(table, [
          isRestoring(claim),
          isOurs
            ? { update: key, set: { state: 'ready', domain_id: domainId }, if: { equals: { alias_id: alias.alias_id, state: row.state } } }
            : newAddressWrite(alias, now.toISOString()),
          // An earlier version left the address counted.
          ...(isOurs && row.state === 'removing' ? [] : [addressAddedWrite(domainId)]),
          ...checks,
          ...aliasKeys(alias).map((each): Write => ({ update: each, set: { domain_id: domainId }, if: { equals: { version: alias.version } } })),
        ]);
        return isWritten || againIfRestoring(claim, true);
      },
    );

  /** Deletes the record of an address that somebody else has, and its Identities. */
  const forgetAddress = (claim: Claim, alias: StoredAlias): Promise<void> =>
    retryOnConflict(async () => {
      const key = addressKey(alias.email);
      const item = await table.get(key);
      const row = item && addressHolder(item);
      const isOurs = row?.alias_id === alias.alias_id;
      // A concurrent call gave it back.
      if (isOurs && row.state === 'ready') return undefined;
      const unchanged = row ? { equals: { alias_id: row.alias_id, state: row.state } } : { absent: true as const };
      const isWritten = await tryWrite(table, [
        isRestoring(claim),
        isOurs ? { delete: key, if: unchanged } : { check: key, if: unchanged },
        ...aliasKeys(alias).map((record): Write => ({ delete: record })),
        ...listingWrites('alias', alias, undefined),
        ...(await identities.removed(alias)),
      ]);
      return isWritten ? undefined : againIfRestoring(claim, undefined);
    });

  const findHolder = async (email: string, ownerId: string): Promise<AddressNotRestored> => {
    const [address, userId] = await Promise.all([table.get(addressKey(email)), signInHolderOf(table, email, ownerId)]);
    const row = address && addressHolder(address);
    if (row && row.state !== 'freed') {
      const { account_id, group_id } = row;
      const holder = await table.get(group_id === undefined ? accountKey(account_id ?? '') : directoryKeys.group(group_id));
      return { email, account_id, group_id, ...(holder && { name: rowOf<{ readonly name: string }>(holder).name }) };
    }
    if (userId === undefined) return { email };
    const user = await table.get(directoryKeys.user(userId));
    return { email, user_id: userId, ...(user && { name: storedUserOf(user).name }) };
  };

  const aliasesOf = async ({ accountId }: Claim): Promise<StoredAlias[]> =>
    (await table.query({ pk: directoryPartitions.accountAliases(accountId) })).map(aliasOf);

  /**
   * Restores the addresses that nobody else has. Those that are lost are first noted for a later call, then forgotten.
   * @returns all addresses that are lost since the account was deleted.
   */
  const restoreAddresses = async (claim: Claim, now: Date): Promise<string[]> => {
    const [lost, aliases]: [StoredAlias[], StoredAlias[]] = [[], await aliasesOf(claim)];
    for (let first = 0; first < aliases.length; first += itemsAtOnce) {
      const some = aliases.slice(first, first + itemsAtOnce);
      const known = await Promise.all(some.map((alias) => readAddress(claim, alias)));
      // They are written one by one, because each changes the number of addresses of the domain.
      for (const [index, alias] of some.entries()) if (!(await restoreAddress(claim, known[index]!, alias, now))) lost.push(alias);
    }
    const key = removalKey(claim.accountId);
    if (lost.length === aliases.length && lost.length > 0) {
      if (claim.from !== undefined) await tryWrite(table, [{ update: key, set: { step: claim.from }, if: restoring(claim) }]);
      const { email } = primaryOf(lost) ?? lost[0]!;
      throw new FailedPrecondition(`the account needs one of its addresses: ${lostSentence(await findHolder(email, claim.account.owner_id))}`);
    }
    const all = [...new Set([...claim.lost, ...lost.map(({ email }) => email)])];
    if (lost.length > 0) await tryWrite(table, [{ update: key, set: { lost: all }, if: restoring(claim) }]);
    for (const alias of lost) await forgetAddress(claim, alias);
    return all;
  };

  /** Adds the removed members again. Those who do not exist any more are left out. */
  const restoreMembers = async (claim: Claim): Promise<void> => {
    const { accountId } = claim;
    const pk = removedMemberKey(accountId, '').pk;
    for (let members = await table.query({ pk, limit: itemsAtOnce }); members.length > 0; members = await table.query({ pk, limit: itemsAtOnce })) {
      const users = new Set((await table.batchGet(members.map(({ sk }) => directoryKeys.user(sk)))).map(({ sk }) => sk));
      const isWritten = await tryWrite(table, [
        isRestoring(claim),
        ...members.flatMap((member): Write[] => {
          const { fromAccount, fromPrincipal } = memberKeys(accountId, member.sk);
          const forgotten: Write = { delete: removedMemberKey(accountId, member.sk) };
          if (isPerson(member.sk) && !users.has(member.sk)) return [forgotten];
          return [{ put: { ...member, ...fromAccount } }, { put: { ...member, ...fromPrincipal, account_name: claim.account.name } }, forgotten];
        }),
      ]);
      if (!isWritten) return;
    }
  };

  /**
   * The writes that make the account its owner's primary account again, unless the owner has another primary account or
   * does not exist.
   */
  const primaryAccountWrites = async (accountId: string, account: AccountRow): Promise<Write[]> => {
    if (!account.is_owners_primary) return [];
    const key = directoryKeys.user(account.owner_id);
    const item = await table.get(key);
    const owner = item && storedUserOf(item);
    if (!owner || owner.primary_account_id !== undefined) return [];
    return [
      { update: key, set: { primary_account_id: accountId }, add: { version: 1 }, if: { equals: { version: owner.version } } },
      profileWrite({ ...owner, primary_account_id: accountId }),
    ];
  };

  return {
    async restore(accountId, now, additionalWrites) {
      const claim = await claimRestoration(accountId, now);
      const stored = claim.account;
      const lostEmails = await restoreAddresses(claim, now);
      await restoreMembers(claim);
      return retryOnConflict(async () => {
        const [members, aliases, ownerWrites] = await Promise.all([
          table.query({ pk: directoryPartitions.accountMembers(accountId) }),
          aliasesOf(claim),
          primaryAccountWrites(accountId, stored),
        ]);
        const lost = await Promise.all(
          lostEmails.filter((email) => aliases.every((alias) => alias.email !== email)).map((email) => findHolder(email, stored.owner_id)),
        );
        const primary = primaryOf(aliases) ?? nextPrimary(aliases);
        const item = itemOf(accountKey(accountId), {
          ...stored,
          ...(primary && { email: primary.email, domain_id: primary.domain_id, primary_alias_id: primary.alias_id }),
          member_count: members.filter(({ sk }) => isPerson(sk)).length,
          admin_count: members.filter(({ role }) => role === 'ADMIN').length,
          access_version: stored.access_version + 1,
          is_owners_primary: ownerWrites.length > 0,
          updated_at: now.toISOString(),
        } satisfies AccountRow);
        const account = accountOf(item);
        const isRestored = await tryWrite(table, [
          { delete: removalKey(accountId), if: restoring(claim) },
          { put: item, if: { absent: true } },
          ...listingWrites('account', undefined, account),
          ...(primary && !primary.is_primary ? primaryWrites(primary, changedAlias(primary, { is_primary: true }, now)) : []),
          ...ownerWrites,
          ...additionalWrites(account, lost),
        ]);
        if (isRestored) return { account, lost };
        // Another call won the race: either it restored the account, or DeleteAccount ended the restoration.
        const existing = await table.get(accountKey(accountId));
        if (existing) {
          await table.write(additionalWrites(account, lost));
          return { account: accountOf(existing), lost };
        }
        if ((await againIfRestoring(claim, undefined)) === conflict) return conflict;
        throw new FailedPrecondition('the account was deleted again meanwhile');
      });
    },
  };
};

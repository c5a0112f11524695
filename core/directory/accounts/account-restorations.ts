import type { Account } from '../../../contract/admin/accounts.ts';
import { directoryKeys, directoryPartitions } from '../../../contract/deployment/keys.ts';
import { FailedPrecondition, NotFound } from '../../runtime/domain-errors.ts';
import { conflict, retryOnConflict, tryWrite } from '../../storage/retry-on-conflict.ts';
import { itemOf, type Table, type Write } from '../../storage/table.ts';
import type { AccountRow } from '../account-row.ts';
import { addressKey } from '../address-reservations.ts';
import { accountKey, aliasOf } from '../aliases/aliases.ts';
import { listingWrites } from '../listings.ts';
import { profileWrite } from '../users/member-profile.ts';
import { isPerson, memberKeys } from '../users/members.ts';
import { storedUserOf } from '../users/users.ts';
import { hasEndedWaiting, removalKey, removalOf, removalRow, removedMemberKey } from './account-removals.ts';
import { accountOf } from './accounts.ts';

/** Restores deleted accounts. */
export type AccountRestorations = {
  /**
   * Restores an account whose mail is not being removed. The step `restoring` stops the removal. Then addresses and
   * members are restored, and last the account, in one transaction with the additional writes. The next call completes
   * an interrupted restoration; DeleteAccount ends it.
   * @throws NotFound if there is no removal; FailedPrecondition if the removal has begun; StoreConflict.
   */
  restore(accountId: string, now: Date, additionalWrites: (account: Account) => readonly Write[]): Promise<Account>;
};

/** Maximum addresses or members of one read. */
const itemsAtOnce = 25;

/** The condition that no call of DeleteAccount has ended the restoration. */
const isRestoring = (accountId: string): Write => ({ check: removalKey(accountId), if: { equals: { step: 'restoring' } } });

export const accountRestorationsIn = (table: Table): AccountRestorations => {
  const claim = (accountId: string, now: Date): Promise<AccountRow> =>
    retryOnConflict(async () => {
      const item = await table.get(removalKey(accountId));
      if (!item) throw new NotFound('deleted account');
      const removal = removalOf(item);
      const { step, removalAt } = removal;
      const { account } = removalRow(item);
      if (!account || (step !== 'restoring' && (!['access', 'waiting'].includes(step) || hasEndedWaiting(removal, now)))) {
        throw new FailedPrecondition('the removal of the account has begun');
      }
      if (step === 'restoring') return account;
      return (await tryWrite(table, [{ update: removalKey(accountId), set: { step: 'restoring' }, if: { equals: { step, removal_at: removalAt } } }]))
        ? account
        : conflict;
    });

  const openAddresses = async (accountId: string): Promise<void> => {
    for (let after: string | undefined; ;) {
      const aliases = await table.query({ pk: directoryPartitions.accountAliases(accountId), after, limit: itemsAtOnce });
      await Promise.all(
        aliases
          .map(aliasOf)
          .map(({ email, alias_id }) =>
            tryWrite(table, [isRestoring(accountId), { update: addressKey(email), set: { state: 'ready' }, if: { equals: { alias_id, state: 'removing' } } }]),
          ),
      );
      if (aliases.length < itemsAtOnce) return;
      after = aliases.at(-1)!.sk;
    }
  };

  /** Adds the removed members again. Those who do not exist any more are left out. */
  const restoreMembers = async (accountId: string, accountName: string): Promise<void> => {
    const pk = removedMemberKey(accountId, '').pk;
    for (let members = await table.query({ pk, limit: itemsAtOnce }); members.length > 0; members = await table.query({ pk, limit: itemsAtOnce })) {
      const users = new Set((await table.batchGet(members.map(({ sk }) => directoryKeys.user(sk)))).map(({ sk }) => sk));
      const isWritten = await tryWrite(table, [
        isRestoring(accountId),
        ...members.flatMap((member): Write[] => {
          const { fromAccount, fromPrincipal } = memberKeys(accountId, member.sk);
          const forgotten: Write = { delete: removedMemberKey(accountId, member.sk) };
          if (isPerson(member.sk) && !users.has(member.sk)) return [forgotten];
          return [{ put: { ...member, ...fromAccount } }, { put: { ...member, ...fromPrincipal, account_name: accountName } }, forgotten];
        }),
      ]);
      if (!isWritten) return;
    }
  };

  /**
   * The writes that make the account its owner's primary account again, unless the owner has another primary account or
   * does not exist.
   */
  const primaryWrites = async (accountId: string, account: AccountRow): Promise<Write[]> => {
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
      const stored = await claim(accountId, now);
      await openAddresses(accountId);
      await restoreMembers(accountId, stored.name);
      return retryOnConflict(async () => {
        const [members, primary] = await Promise.all([table.query({ pk: directoryPartitions.accountMembers(accountId) }), primaryWrites(accountId, stored)]);
        const item = itemOf(accountKey(accountId), {
          ...stored,
          member_count: members.filter(({ sk }) => isPerson(sk)).length,
          admin_count: members.filter(({ role }) => role === 'ADMIN').length,
          access_version: stored.access_version + 1,
          is_owners_primary: primary.length > 0,
          updated_at: now.toISOString(),
        } satisfies AccountRow);
        const account = accountOf(item);
        const isRestored = await tryWrite(table, [
          { delete: removalKey(accountId), if: { equals: { step: 'restoring' } } },
          { put: item, if: { absent: true } },
          ...listingWrites('account', undefined, account),
          ...primary,
          ...additionalWrites(account),
        ]);
        if (isRestored) return account;
        // Another call won the race: either it restored the account, or DeleteAccount ended the restoration.
        const existing = await table.get(accountKey(accountId));
        if (existing) {
          await table.write(additionalWrites(account));
          return accountOf(existing);
        }
        if ((await table.get(removalKey(accountId)))?.['step'] === 'restoring') return conflict;
        throw new FailedPrecondition('the account was deleted again meanwhile');
      });
    },
  };
};

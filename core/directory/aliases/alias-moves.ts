import type { Alias } from '../../../contract/admin/aliases.ts';
import { AlreadyExists, NotFound } from '../../runtime/domain-errors.ts';
import { conflict, retryOnConflictFrom, writeOrThrow } from '../../storage/retry-on-conflict.ts';
import type { Table, Write } from '../../storage/table.ts';
import { accountRow } from '../account-row.ts';
import { addressKey, readSignInAddresses, signInAddressTaken } from '../address-reservations.ts';
import { listingWrites } from '../listings.ts';
import type { AliasIdentities } from './alias-identities.ts';
import {
  accountAliasesIn,
  accountChanged,
  accountExists,
  accountKey,
  aliasKeys,
  changedAlias,
  existing,
  findAliasIn,
  primaryOf,
  requireSecondary,
  type StoredAlias,
} from './aliases.ts';

/** Gives addresses another place: within their account, or in another account. */
export type AliasMoves = {
  /**
   * Makes the alias the primary one of its account. The additional writes are made even if it is already.
   * @param known the alias, if the caller has read it. After a conflict it is read again.
   * @throws NotFound, StoreConflict.
   */
  setPrimary(known: StoredAlias | undefined, aliasId: string, now: Date, additionalWrites: (before: Alias, after: Alias) => readonly Write[]): Promise<Alias>;
  /**
   * Moves the alias to another account, where it only receives and has the name of the primary alias, and destroys its
   * Identities. The additional writes are made even if it is there already.
   * @param known as for `setPrimary`.
   * @throws NotFound (alias, account), FailedPrecondition (a primary alias), AlreadyExists (the sign-in address of another
   * user than the account's owner), StoreConflict.
   */
  move(
    known: StoredAlias | undefined,
    aliasId: string,
    accountId: string,
    now: Date,
    additionalWrites: (before: Alias, after: Alias) => readonly Write[],
  ): Promise<Alias>;
};

/** The writes that make an alias the primary one, or not any more. */
export const primaryWrites = (before: StoredAlias, after: StoredAlias): Write[] =>
  aliasKeys(before).map((key) => ({
    update: key,
    set: { is_primary: after.is_primary, updated_at: after.updated_at, version: after.version },
    if: { equals: { version: before.version } },
  }));

export const aliasMovesIn = (table: Table, identities: Pick<AliasIdentities, 'removed'>): AliasMoves => {
  const find = findAliasIn(table);
  const { findByAccount } = accountAliasesIn(table);
  return {
    setPrimary: (known, aliasId, now, additionalWrites) =>
      retryOnConflictFrom(
        known,
        () => find(aliasId),
        async (found) => {
          const before = existing(found);
          if (before.is_primary) {
            await table.write([accountExists(before.account_id), ...additionalWrites(before, before)]);
            return before;
          }
          const [account, aliases] = await Promise.all([table.get(accountKey(before.account_id)), findByAccount(before.account_id)]);
          const former = primaryOf(aliases);
          if (!former || !account) return conflict;
          const row = { ...accountRow(account), account_id: before.account_id };
          const after = changedAlias(before, { is_primary: true }, now);
          await table.write([
            {
              update: accountKey(before.account_id),
              set: { email: after.email, domain_id: after.domain_id, primary_alias_id: aliasId, updated_at: after.updated_at },
              add: { access_version: 1 },
              if: { equals: { primary_alias_id: former.alias_id, access_version: row.access_version } },
            },
            ...primaryWrites(former, changedAlias(former, { is_primary: false }, now)),
            ...primaryWrites(before, after),
            ...listingWrites('account', row, { ...row, email: after.email }),
            ...additionalWrites(before, after),
          ]);
          return after;
        },
      ),
    move: (known, aliasId, accountId, now, additionalWrites) =>
      retryOnConflictFrom(
        known,
        () => find(aliasId),
        async (found) => {
          const before = existing(found);
          if (before.account_id === accountId) {
            await writeOrThrow(table, [accountExists(accountId), ...additionalWrites(before, before)], [() => new NotFound('account')]);
            return before;
          }
          const [account, aliases, identityWrites, signInAddressesFor] = await Promise.all([
            table.get(accountKey(accountId)),
            findByAccount(accountId),
            identities.removed(before),
            readSignInAddresses(table, before.email),
          ]);
          if (!account) throw new NotFound('account');
          requireSecondary(before);
          const signInAddressChecks = signInAddressesFor(accountRow(account).owner_id);
          if (signInAddressChecks === 'taken') throw new AlreadyExists(signInAddressTaken);
          const { name: _name, reply_to: _replyTo, bcc: _bcc, ...kept } = before;
          const name = primaryOf(aliases)?.name;
          const after = changedAlias(kept, { account_id: accountId, can_send_from: false, ...(name !== undefined && { name }) }, now);
          const [byId, byFormerAccount] = aliasKeys(before);
          const unchanged = { equals: { version: before.version } };
          await writeOrThrow(
            table,
            [
              accountChanged(accountId),
              ...signInAddressChecks,
              accountChanged(before.account_id),
              { put: { ...byId, ...after }, if: unchanged },
              { delete: byFormerAccount, if: unchanged },
              { put: { ...aliasKeys(after)[1], ...after }, if: { absent: true } },
              {
                update: addressKey(before.email),
                set: { account_id: accountId, can_send_from: false },
                remove: ['bcc'],
                if: { equals: { alias_id: aliasId, account_id: before.account_id } },
              },
              ...listingWrites('alias', before, after),
              ...identityWrites,
              ...additionalWrites(before, after),
            ],
            [() => new NotFound('account'), () => new AlreadyExists(signInAddressTaken)],
          );
          return after;
        },
      ),
  };
};

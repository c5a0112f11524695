import type { Alias } from '../../../contract/admin/aliases.ts';
import { directoryKeys, directoryPartitions } from '../../../contract/deployment/keys.ts';
import { givenFields } from '../../../contract/values/given-fields.ts';
import { AlreadyExists, FailedPrecondition, NotFound } from '../../runtime/domain-errors.ts';
import type { Page } from '../../storage/page.ts';
import { retryOnConflict, retryOnConflictFrom, writeOrThrow } from '../../storage/retry-on-conflict.ts';
import { contentOf, itemOf, type Item, type Table, type Write } from '../../storage/table.ts';
import { accountRow } from '../account-row.ts';
import { addressKey, heldSince, isFreeFor, readSignInAddresses, signInAddressTaken, type AddressRow } from '../address-reservations.ts';
import { addressAddedWrite, addressRemovedWrite, domainSendsCheck } from '../domains/domains.ts';
import { listingWrites, readListedPage, type ListedPage } from '../listings.ts';
import type { AliasIdentities } from './alias-identities.ts';

/** A stored alias; `version` counts its changes. */
export type StoredAlias = Alias & { readonly version: number };

/** Changes of an alias. A missing field is unchanged; an empty text removes the field. */
type AliasChange = {
  readonly [Field in 'is_active' | 'is_visible' | 'can_send_from' | 'name' | 'reply_to' | 'bcc']?: Alias[Field] | undefined;
};

/**
 * Addresses of accounts. The items `alias`/alias_id and `account-alias#account_id`/alias_id are copies of the record.
 * Deliveries read `address`/address, which also decides who may send from the address. All three change in one
 * transaction, and only while their account exists.
 */
export type Aliases = {
  /** The aliases of an account, ordered by id. @throws NotFound if the account does not exist. */
  list(accountId: string): Promise<Alias[]>;
  /** A page of the aliases of all accounts, in an order, or of those that a query finds. */
  listed(page: ListedPage, after: string | undefined, size: number): Promise<Page<Alias>>;
  /** The aliases of an account, ordered by id, without a check that the account exists. */
  findByAccount(accountId: string): Promise<StoredAlias[]>;
  find(aliasId: string): Promise<StoredAlias | undefined>;
  /**
   * Creates the alias with the Identity of its address, and clears the suppression of the address.
   * @throws NotFound (account, domain), AlreadyExists (also for the sign-in address of another user than the account's
   * owner), FailedPrecondition (can_send_from with a domain that may not
   * send), StoreConflict.
   */
  create(alias: Alias, additionalWrites: readonly Write[]): Promise<void>;
  /**
   * Changes the alias and its Identity. Activation clears the bounces of its address. The additional writes are made
   * even if nothing changes.
   * @param known the alias, if the caller has read it. After a conflict it is read again.
   * @throws NotFound, FailedPrecondition (as `create`), StoreConflict.
   */
  update(
    known: StoredAlias | undefined,
    aliasId: string,
    change: AliasChange,
    now: Date,
    additionalWrites: (before: Alias, after: Alias) => readonly Write[],
  ): Promise<Alias>;
  /**
   * Deletes the alias and the Identities of its address.
   * @param known as for `update`.
   * @throws NotFound, FailedPrecondition (a primary alias), StoreConflict.
   */
  remove(known: StoredAlias | undefined, aliasId: string, additionalWrites: (alias: Alias) => readonly Write[]): Promise<void>;
};

/** The writes that clear the suppression of an address, or only its bounces, for the caller's transaction. */
type SuppressionClearing = { clearingWrites(address: string, cleared: 'bounces' | 'all', now: Date): Promise<readonly Write[]> };

export const accountKey = directoryKeys.account;

export const accountExists = (accountId: string): Write => ({ check: accountKey(accountId), if: { present: true } });

/** The write makes a concurrent removal of the account read its aliases again. */
export const accountChanged = (accountId: string): Write => ({ update: accountKey(accountId), add: { access_version: 1 }, if: { present: true } });

/** The alias after a change. */
export const changedAlias = (alias: StoredAlias, change: Partial<Alias>, now: Date): StoredAlias => ({
  ...alias,
  ...change,
  updated_at: now.toISOString(),
  version: alias.version + 1,
});

/** The primary alias among those of an account. */
export const primaryOf = <Found extends Alias>(aliases: readonly Found[]): Found | undefined => aliases.find(({ is_primary: isPrimary }) => isPrimary);

/** The two keys of an alias's record: by its id, and by its account. */
export const aliasKeys = ({ account_id: accountId, alias_id: aliasId }: Pick<Alias, 'account_id' | 'alias_id'>) =>
  [directoryKeys.alias(aliasId), directoryKeys.accountAlias(accountId, aliasId)] as const;

/**
 * The write of a new alias's address. It fails if another alias has the address.
 * @param since the time since which the alias has the address of a deleted account, which the write replaces.
 */
export const newAddressWrite = ({ email, account_id, alias_id, domain_id, is_active, can_send_from, bcc, created_at }: Alias, since?: string): Write => ({
  put: itemOf(addressKey(email), {
    account_id,
    alias_id,
    domain_id,
    is_active,
    can_send_from,
    bcc,
    state: 'ready',
    ...(since !== undefined && { held_since: since }),
    ...(!is_active && { inactive_since: created_at }),
  } satisfies AddressRow),
  if: isFreeFor(since),
});

/** The record of a new alias. */
export const newAliasWrites = (alias: Alias): Write[] => [
  ...aliasKeys(alias).map((key): Write => ({ put: { ...key, ...alias, version: 1 } as Item, if: { absent: true } })),
  ...listingWrites('alias', undefined, alias),
];

export const aliasOf = contentOf<StoredAlias>;

const domainError =
  ({ can_send_from: sends }: Pick<Alias, 'can_send_from'>) =>
  () =>
    sends ? new FailedPrecondition('the domain is not enabled for sending') : new NotFound('domain');

/** @throws FailedPrecondition for the primary alias. */
export const requireSecondary = ({ is_primary: isPrimary }: Alias): void => {
  if (!isPrimary) return;
  throw new FailedPrecondition('a primary alias stays with its account; make another alias primary first (aliases/SetPrimaryAlias)');
};

export const existing = (alias: StoredAlias | undefined): StoredAlias => {
  if (!alias) throw new NotFound('alias');
  return alias;
};

/** Lists the addresses of accounts. */
export const accountAliasesIn = (table: Pick<Table, 'query'>): Pick<Aliases, 'findByAccount'> => ({
  findByAccount: async (accountId) => (await table.query({ pk: directoryPartitions.accountAliases(accountId) })).map(aliasOf),
});

/** Finds an alias by its id. */
export const findAliasIn =
  (table: Pick<Table, 'get'>): Aliases['find'] =>
  async (aliasId) => {
    const item = await table.get(directoryKeys.alias(aliasId));
    return item && aliasOf(item);
  };

type AliasDependencies = { readonly table: Table; readonly identities: AliasIdentities; readonly suppressions: SuppressionClearing };

const createAlias = async ({ table, identities, suppressions }: AliasDependencies, alias: Alias, additionalWrites: readonly Write[]): Promise<void> => {
  const [account, identityWrites, clearing, signInAddressesFor, former] = await Promise.all([
    table.get(accountKey(alias.account_id)),
    identities.created(alias),
    suppressions.clearingWrites(alias.email, 'all', new Date(alias.created_at)),
    readSignInAddresses(table, alias.email),
    table.get(addressKey(alias.email)),
  ]);
  if (!account) throw new NotFound('account');
  const signInAddressChecks = signInAddressesFor(accountRow(account).owner_id);
  if (signInAddressChecks === 'taken') throw new AlreadyExists(signInAddressTaken);
  return writeOrThrow(
    table,
    [
      accountChanged(alias.account_id),
      addressAddedWrite(alias.domain_id, alias.can_send_from ? { send_enabled: true } : {}),
      newAddressWrite(alias, heldSince(alias, former)),
      ...signInAddressChecks,
      ...newAliasWrites(alias),
      ...identityWrites,
      ...clearing,
      ...additionalWrites,
    ],
    [
      () => new NotFound('account'),
      domainError(alias),
      () => new AlreadyExists('another alias has this address already'),
      () => new AlreadyExists(signInAddressTaken),
    ],
  );
};

/** The fields of a change that differ from the alias. */
const changedFields = (alias: StoredAlias, change: AliasChange) => {
  const stored: { readonly [name: string]: unknown } = alias;
  return Object.entries(givenFields(change)).filter(([name, value]) => value !== stored[name]);
};

/** The write of a changed alias's address, if what the address has is changed. */
const changedAddressWrites = (after: StoredAlias, changed: Partial<Alias>): Write[] => {
  if (!('is_active' in changed || 'can_send_from' in changed || 'bcc' in changed)) return [];
  const { alias_id: aliasId, email, is_active, can_send_from, bcc } = after;
  return [
    {
      update: addressKey(email),
      set: { is_active, can_send_from, ...(bcc !== undefined && { bcc }), ...(changed.is_active === false && { inactive_since: after.updated_at }) },
      remove: [...(bcc === undefined ? ['bcc'] : []), ...(changed.is_active === true ? ['inactive_since'] : [])],
      if: { equals: { alias_id: aliasId } },
    },
  ];
};

const updateAlias = async (
  { table, identities, suppressions }: AliasDependencies,
  before: StoredAlias,
  change: AliasChange,
  now: Date,
  additionalWrites: (before: Alias, after: Alias) => readonly Write[],
): Promise<Alias> => {
  const changes = changedFields(before, change);
  const account = accountExists(before.account_id);
  if (changes.length === 0) {
    await writeOrThrow(table, [account, ...additionalWrites(before, before)], [() => new NotFound('alias')]);
    return before;
  }
  const changed: Partial<Alias> = Object.fromEntries(changes);
  const set = Object.fromEntries(changes.filter((field): field is [string, string | boolean] => field[1] !== undefined));
  const remove = changes.flatMap(([name, value]) => (value === undefined ? [name] : []));
  const after = changedAlias(before, changed, now);
  const beginsToSend = changed.can_send_from === true;
  const [identityWrites, clearing] = await Promise.all([
    identities.updated(before, after, beginsToSend),
    changed.is_active === true ? suppressions.clearingWrites(before.email, 'bounces', now) : [],
  ]);
  await writeOrThrow(
    table,
    [
      account,
      ...(beginsToSend ? [domainSendsCheck(after.domain_id)] : []),
      ...aliasKeys(before).map((key): Write => ({
        update: key,
        set: { ...set, updated_at: after.updated_at, version: after.version },
        remove,
        if: { equals: { version: before.version } },
      })),
      ...changedAddressWrites(after, changed),
      ...listingWrites('alias', before, after),
      ...identityWrites,
      ...clearing,
      ...additionalWrites(before, after),
    ],
    [() => new NotFound('alias'), ...(beginsToSend ? [domainError(after)] : [])],
  );
  return after;
};

const removeAlias = async ({ table, identities }: AliasDependencies, alias: StoredAlias, additionalWrites: (alias: Alias) => readonly Write[]) => {
  requireSecondary(alias);
  await writeOrThrow(
    table,
    [
      accountExists(alias.account_id),
      ...aliasKeys(alias).map((key): Write => ({ delete: key, if: { equals: { version: alias.version } } })),
      { delete: addressKey(alias.email), if: { equals: { alias_id: alias.alias_id } } },
      addressRemovedWrite(alias.domain_id),
      ...listingWrites('alias', alias, undefined),
      ...(await identities.removed(alias)),
      ...additionalWrites(alias),
    ],
    [() => new NotFound('alias')],
  );
};

/** @param identities makes the writes of the Identities. */
export const aliasesIn = (table: Table, identities: AliasIdentities, suppressions: SuppressionClearing): Aliases => {
  const dependencies: AliasDependencies = { table, identities, suppressions };
  const find = findAliasIn(table);
  const { findByAccount } = accountAliasesIn(table);
  return {
    find,
    findByAccount,
    listed: (page, after, size) => readListedPage(table, 'alias', page, after, size, { keyOf: directoryKeys.alias, toRow: aliasOf }),
    async list(accountId) {
      const [account, aliases] = await Promise.all([table.get(accountKey(accountId)), findByAccount(accountId)]);
      if (!account) throw new NotFound('account');
      return aliases;
    },
    create: (alias, additionalWrites) => retryOnConflict(() => createAlias(dependencies, alias, additionalWrites)),
    update: (known, aliasId, change, now, additionalWrites) =>
      retryOnConflictFrom(
        known,
        () => find(aliasId),
        (found) => updateAlias(dependencies, existing(found), change, now, additionalWrites),
      ),
    remove: (known, aliasId, additionalWrites) =>
      retryOnConflictFrom(
        known,
        () => find(aliasId),
        (found) => removeAlias(dependencies, existing(found), additionalWrites),
      ),
  };
};

import type { Alias } from '../../contract/admin/aliases.ts';
import { AlreadyExists, type DomainError, FailedPrecondition, NotFound } from '../runtime/domain-errors.ts';
import { contentOf, WriteRefused, type Item, type Table, type Write } from '../storage/table.ts';
import { addressAddedWrite, addressRemovedWrite, domainSendsCheck } from './domains.ts';
import { givenFields } from '../../contract/fields.ts';
import { retryOnConflict } from '../storage/retry-on-conflict.ts';

/** An alias as it is kept; `version` moves with every change. */
export type StoredAlias = Alias & { readonly version: number };

/** What may be changed of an alias; what is left out stays, and an empty text takes away what is there. */
export type AliasChange = { readonly [Field in 'is_active' | 'is_visible' | 'can_send_from' | 'name' | 'reply_to' | 'bcc']?: Alias[Field] | undefined };

/**
 * Addresses of accounts. `alias`/alias_id and `account-alias#account_id`/alias_id are the record, found either way; `address`/address says where mail goes.
 * All three move in one transaction, and only while their account is there.
 */
export type Aliases = {
  /** The aliases of an account by their ids. @throws NotFound for an account that is not there. */
  list(accountId: string): Promise<Alias[]>;
  /** The same for an account that is known to be there, else none. */
  findByAccount(accountId: string): Promise<Alias[]>;
  /** @throws NotFound (account, domain), AlreadyExists, FailedPrecondition (to send from a domain that does not send), StoreConflict. */
  create(alias: Alias, also: readonly Write[]): Promise<void>;
  /** Also asked for what is to be written when there is nothing to change. @throws NotFound, FailedPrecondition (as in add), StoreConflict. */
  update(aliasId: string, wanted: AliasChange, now: Date, also: (before: Alias, after: Alias) => readonly Write[]): Promise<Alias>;
  /** @throws NotFound, FailedPrecondition (a primary alias), StoreConflict. */
  remove(aliasId: string, also: (alias: Alias) => readonly Write[]): Promise<void>;
};

export const addressKey = (email: string) => ({ pk: 'address', sk: email });

/** The two keys of an alias's record. */
export const aliasKeys = ({ account_id: accountId, alias_id: aliasId }: Pick<Alias, 'account_id' | 'alias_id'>) =>
  [{ pk: 'alias', sk: aliasId }, { pk: `account-alias#${accountId}`, sk: aliasId }] as const;

/** Where mail to a new alias goes; holds only while nobody has the address. */
export const newAddressWrite = ({ email, account_id, alias_id, domain_id, is_active }: Alias): Write =>
  ({ put: { ...addressKey(email), account_id, alias_id, domain_id, is_active, state: 'ready' }, if: { absent: true } });

/** A new alias's record. */
export const newAliasWrites = (alias: Alias): Write[] =>
  aliasKeys(alias).map((key) => ({ put: { ...key, ...alias, version: 1 } as Item, if: { absent: true } }));

export const aliasOf = (item: Item): StoredAlias => contentOf(item) as StoredAlias;

/** Runs a write; a condition of it that does not hold is that error, by its place among the writes. Others are left to the race. */
const writeOr = async (table: Table, writes: readonly Write[], errors: readonly (() => DomainError)[]): Promise<void> => {
  try {
    await table.write(writes);
  } catch (error) {
    const failed = error instanceof WriteRefused && !error.contended ? errors.find((_, index) => error.failed.includes(index)) : undefined;
    throw failed ? failed() : error;
  }
};

const domainError = ({ can_send_from: sends }: Pick<Alias, 'can_send_from'>) => () =>
  (sends ? new FailedPrecondition('the domain is not enabled for sending') : new NotFound('domain'));

export const aliasesIn = (table: Table): Aliases => {
  const find = async (aliasId: string): Promise<StoredAlias> => {
    const item = await table.get({ pk: 'alias', sk: aliasId });
    if (!item) throw new NotFound('alias');
    return aliasOf(item);
  };
  const findByAccount = async (accountId: string) => (await table.query({ pk: `account-alias#${accountId}` })).map(aliasOf);
  return {
    findByAccount,
    async list(accountId) {
      const [account, aliases] = await Promise.all([table.get({ pk: 'account', sk: accountId }), findByAccount(accountId)]);
      if (!account) throw new NotFound('account');
      return aliases;
    },
    create: (alias, also) => retryOnConflict(() => writeOr(table, [
      // Whoever removes the account at this moment must look at its aliases again.
      { update: { pk: 'account', sk: alias.account_id }, add: { access_version: 1 }, if: { present: true } },
      addressAddedWrite(alias.domain_id, alias.can_send_from ? { send_enabled: true } : {}),
      newAddressWrite(alias),
      ...newAliasWrites(alias),
      ...also,
    ], [() => new NotFound('account'), domainError(alias), () => new AlreadyExists('somebody has this address already')])),
    update: (aliasId, wanted, now, also) => retryOnConflict(async () => {
      const before = await find(aliasId);
      const news = Object.entries(givenFields(wanted)).filter(([name, value]) => value !== before[name as keyof AliasChange]);
      const given = Object.fromEntries(news);
      const set = Object.fromEntries(news.filter((field): field is [string, string | boolean] => field[1] !== undefined));
      const remove = news.flatMap(([name, value]) => (value === undefined ? [name] : []));
      const after: StoredAlias = { ...before, ...given, updated_at: now.toISOString(), version: before.version + 1 };
      const beginsToSend = given['can_send_from'] === true;
      const account: Write = { check: { pk: 'account', sk: before.account_id }, if: { present: true } };
      if (Object.keys(given).length === 0) {
        await writeOr(table, [account, ...also(before, before)], [() => new NotFound('alias')]);
        return before;
      }
      await writeOr(table, [
        account,
        ...(beginsToSend ? [domainSendsCheck(after.domain_id)] : []),
        ...aliasKeys(before).map((key): Write => ({ update: key, set: { ...set, updated_at: after.updated_at, version: after.version }, remove, if: { equals: { version: before.version } } })),
        ...('is_active' in given ? [{ update: addressKey(before.email), set: { is_active: after.is_active }, if: { equals: { alias_id: aliasId } } }] : []),
        ...also(before, after),
      ], [() => new NotFound('alias'), ...(beginsToSend ? [domainError(after)] : [])]);
      return after;
    }),
    remove: (aliasId, also) => retryOnConflict(async () => {
      const alias = await find(aliasId);
      if (alias.is_primary) throw new FailedPrecondition('a primary alias goes only with its account');
      await writeOr(table, [
        { check: { pk: 'account', sk: alias.account_id }, if: { present: true } },
        ...aliasKeys(alias).map((key): Write => ({ delete: key, if: { equals: { version: alias.version } } })),
        { delete: addressKey(alias.email), if: { equals: { alias_id: aliasId } } },
        addressRemovedWrite(alias.domain_id),
        ...also(alias),
      ], [() => new NotFound('alias')]);
    }),
  };
};

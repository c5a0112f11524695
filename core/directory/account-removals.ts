import { NotFound } from '../runtime/domain-errors.ts';
import type { Item, Table, Write } from '../storage/table.ts';
import { addressKey, aliasKeys, aliasOf } from './aliases.ts';
import { addressRemovedWrite } from './domains.ts';
import { memberKeys } from './members.ts';
import { retryOnConflict, retryOnConflictFrom, tryWrite } from '../storage/retry-on-conflict.ts';

/** What is done one after the other: nobody gets in any more, the mail goes, the objects go, the addresses become free. */
export const removalSteps = ['access', 'mail', 'objects', 'addresses'] as const;
export type RemovalStep = (typeof removalSteps)[number];

/** An account that is being removed. */
export type Removal = { readonly accountId: string; readonly name: string; readonly email: string; readonly step: RemovalStep; /** What the step has removed so far. */ readonly removed: number };

/** The account or its removal, and as many of its members and addresses as are closed at once. */
export type RemovalState = readonly [items: readonly Item[], members: readonly Item[], aliases: readonly Item[]];

/**
 * Accounts on their way out. `account-removal`/account_id takes the place of the account in the transaction that begins its removal, with which the account
 * is not found any more, its members lose it and its addresses take no mail; its addresses are kept from others until everything else is gone.
 */
export type AccountRemovals = {
  /** What beginning a removal depends on, in one trip. */
  findState(accountId: string): Promise<RemovalState>;
  /**
   * Begins the removal, or finds it begun.
   * @param known what was just read; it is read again when it has moved meanwhile.
   * @throws NotFound for an account that is neither there nor being removed; StoreConflict.
   */
  begin(known: RemovalState, accountId: string, now: Date, also: (removal: Removal, begun: 'now' | 'before') => readonly Write[]): Promise<void>;
  find(accountId: string): Promise<Removal | undefined>;
  /** Closes every way in that the first transaction had no room for. */
  closeAccess(accountId: string): Promise<void>;
  /** Remembers what the step has removed, and that the next one begins. */
  recordProgress(removal: Removal, to: Pick<Removal, 'step' | 'removed'>, also: readonly Write[]): Promise<void>;
  /** Frees some of the addresses. @returns how many; 0 when all are free. */
  freeAddresses(accountId: string): Promise<number>;
  /** The account was here once, and nothing is left of it. */
  finish(accountId: string, also: readonly Write[]): Promise<void>;
};

/** Members and addresses of one transaction, so that with the account, its owner and the audit log they are at most 100 writes. */
const membersAtOnce = 20;
const aliasesAtOnce = 30;

const removalKey = (accountId: string) => ({ pk: 'account-removal', sk: accountId });
const accountKey = (accountId: string) => ({ pk: 'account', sk: accountId });

const removalOf = (item: Item): Removal => ({
  accountId: item.sk, name: item['name'] as string, email: item['email'] as string, step: item['step'] as RemovalStep, removed: Number(item['removed']),
});

const closedAddress = (item: Item): Write => {
  const { email, alias_id: aliasId } = aliasOf(item);
  return { update: addressKey(email), set: { state: 'removing' }, if: { equals: { alias_id: aliasId } } };
};

const closedMember = (accountId: string, { sk: principalId }: Item): Write[] => Object.values(memberKeys(accountId, principalId)).map((key) => ({ delete: key }));

export const accountRemovalsIn = (table: Table): AccountRemovals => {
  const membersOf = (accountId: string) => table.query({ pk: `account-member#${accountId}`, limit: membersAtOnce });
  const aliasesOf = (accountId: string, after?: string) => table.query({ pk: `account-alias#${accountId}`, after, limit: aliasesAtOnce });

  const findState = (accountId: string): Promise<RemovalState> =>
    Promise.all([table.batchGet([accountKey(accountId), removalKey(accountId)]), membersOf(accountId), aliasesOf(accountId)]);

  const closeAccess = async (accountId: string): Promise<void> => {
    for (let members = await membersOf(accountId); members.length > 0; members = await membersOf(accountId)) {
      const found = members;
      await retryOnConflict(() => table.write(found.flatMap((member) => closedMember(accountId, member))));
    }
    let after: string | undefined;
    do {
      const aliases = await aliasesOf(accountId, after);
      await Promise.all(aliases.map((alias) => tryWrite(table, [closedAddress(alias)])));
      after = aliases.length < aliasesAtOnce ? undefined : aliases.at(-1)?.sk;
    } while (after !== undefined);
  };

  const freeAddress = async (item: Item): Promise<void> => {
    const alias = aliasOf(item);
    const record: Write[] = aliasKeys(alias).map((key) => ({ delete: key }));
    // Where the address is free already, or somebody else's, another run of this was faster.
    const isOurs = await tryWrite(table, [...record, { delete: addressKey(alias.email), if: { equals: { alias_id: alias.alias_id } } }, addressRemovedWrite(alias.domain_id)]);
    if (!isOurs) await tryWrite(table, record);
  };

  return {
    findState,
    async begin(known, accountId, now, also) {
      const hasMore = await retryOnConflictFrom(known, () => findState(accountId), async ([items, members, aliases]) => {
        const [account, begun] = ['account', 'account-removal'].map((kind) => items.find(({ pk }) => pk === kind));
        if (begun) {
          await table.write(also(removalOf(begun), 'before'));
          return true;
        }
        if (!account) throw new NotFound('account');
        const removal: Item = {
          ...removalKey(accountId), name: account['name'], email: account['email'], step: removalSteps[0], removed: 0, begun_at: now.toISOString(),
        };
        await table.write([
          { delete: accountKey(accountId), if: { equals: { access_version: Number(account['access_version']) } } },
          { put: removal, if: { absent: true } },
          ...(account['is_owners_primary'] === true
            ? [{ update: { pk: 'user', sk: account['owner_id'] as string }, remove: ['primary_account_id'], add: { version: 1 }, if: { present: true } } as const]
            : []),
          ...aliases.map(closedAddress),
          ...members.flatMap((member) => closedMember(accountId, member)),
          ...also(removalOf(removal), 'now'),
        ]);
        return members.length === membersAtOnce || aliases.length === aliasesAtOnce;
      });
      if (hasMore) await closeAccess(accountId);
    },
    async find(accountId) {
      const item = await table.get(removalKey(accountId));
      return item && removalOf(item);
    },
    closeAccess,
    async recordProgress({ accountId, step: from }, { step, removed }, also) {
      await tryWrite(table, [{ update: removalKey(accountId), set: { step, removed }, if: { equals: { step: from } } }, ...also]);
    },
    async freeAddresses(accountId) {
      const aliases = await aliasesOf(accountId);
      // One after the other: each moves its domain's count, and transactions at the same item get in each other's way.
      for (const alias of aliases) await freeAddress(alias);
      return aliases.length;
    },
    async finish(accountId, also) {
      await tryWrite(table, [{ delete: removalKey(accountId), if: { present: true } }, ...also]);
    },
  };
};

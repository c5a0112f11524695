import { NotFound } from '../../runtime/domain-errors.ts';
import { readPage, type Page } from '../../storage/page.ts';
import type { Item, Table, Write } from '../../storage/table.ts';
import { addressKey, aliasKeys, aliasOf } from '../aliases/aliases.ts';
import { addressRemovedWrite } from '../domains/domains.ts';
import { memberKeys } from '../users/members.ts';
import { retryOnConflict, retryOnConflictFrom, tryWrite } from '../../storage/retry-on-conflict.ts';

/** The steps of a removal, in order: access is closed, mail is deleted, objects are deleted, addresses are released. */
export const removalSteps = ['access', 'mail', 'objects', 'addresses'] as const;
export type RemovalStep = (typeof removalSteps)[number];

/** An account that is being removed. */
export type Removal = {
  readonly accountId: string;
  readonly name: string;
  readonly email: string;
  readonly step: RemovalStep;
  /** Items that the step has removed so far. */
  readonly removed: number;
  /** ISO 8601. */
  readonly begunAt: string;
};

/** The account or its removal, and as many of its members and addresses as one transaction closes. */
type RemovalState = readonly [items: readonly Item[], members: readonly Item[], aliases: readonly Item[]];

/**
 * Removals of accounts. `account-removal`/account_id replaces the account in the transaction that begins its removal.
 * From then on the account is not found, its members have no access and its addresses receive no mail. The addresses
 * stay reserved until everything else is deleted.
 */
export type AccountRemovals = {
  /** Reads the input of `begin`, in one trip. */
  findState(accountId: string): Promise<RemovalState>;
  /**
   * Begins the removal; does nothing if it has begun.
   * @param known the state that the caller read; it is read again after a conflict.
   * @throws NotFound if neither the account nor a removal exists; StoreConflict.
   */
  begin(
    known: RemovalState, accountId: string, now: Date, additionalWrites: (removal: Removal, begun: 'now' | 'before') => readonly Write[],
  ): Promise<void>;
  find(accountId: string): Promise<Removal | undefined>;
  /** Removals by account id. */
  list(after: string | undefined, size: number): Promise<Page<Removal>>;
  /** Removes the members and closes the addresses that did not fit the first transaction. */
  closeAccess(accountId: string): Promise<void>;
  /** Stores the progress of the step, or that the next step begins. */
  recordProgress(removal: Removal, to: Pick<Removal, 'step' | 'removed'>, additionalWrites: readonly Write[]): Promise<void>;
  /** Releases some of the addresses. @returns how many; 0 when all are released. */
  freeAddresses(accountId: string): Promise<number>;
  /** Deletes the removal, when nothing is left of the account. */
  finish(accountId: string, additionalWrites: readonly Write[]): Promise<void>;
};

/**
 * Members and addresses of one transaction: with the account, its owner and the audit entry they are at most 100
 * writes.
 */
const membersPerTransaction = 20;
const aliasesPerTransaction = 30;

const removalKey = (accountId: string) => ({ pk: 'account-removal', sk: accountId });
const accountKey = (accountId: string) => ({ pk: 'account', sk: accountId });

const removalOf = (item: Item): Removal => ({
  accountId: item.sk,
  name: item['name'] as string,
  email: item['email'] as string,
  step: item['step'] as RemovalStep,
  removed: Number(item['removed']),
  begunAt: item['begun_at'] as string,
});

const closedAddress = (item: Item): Write => {
  const { email, alias_id: aliasId } = aliasOf(item);
  return { update: addressKey(email), set: { state: 'removing' }, if: { equals: { alias_id: aliasId } } };
};

const closedMember = (
  accountId: string, { sk: principalId }: Item,
): Write[] => Object.values(memberKeys(accountId, principalId)).map((key) => ({ delete: key }));

export const accountRemovalsIn = (table: Table): AccountRemovals => {
  const membersOf = (accountId: string) => table.query({ pk: `account-member#${accountId}`, limit: membersPerTransaction });
  const aliasesOf = (
    accountId: string, after?: string,
  ) => table.query({ pk: `account-alias#${accountId}`, after, limit: aliasesPerTransaction });

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
      after = aliases.length < aliasesPerTransaction ? undefined : aliases.at(-1)?.sk;
    } while (after !== undefined);
  };

  const freeAddress = async (item: Item): Promise<void> => {
    const alias = aliasOf(item);
    const record: Write[] = aliasKeys(alias).map((key) => ({ delete: key }));
    // If the address is released already, or used by another account, a concurrent run was faster.
    const isOurs = await tryWrite(
      table,
      [...record, { delete: addressKey(alias.email), if: { equals: { alias_id: alias.alias_id } } }, addressRemovedWrite(alias.domain_id)],
    );
    if (!isOurs) await tryWrite(table, record);
  };

  return {
    findState,
    async begin(known, accountId, now, additionalWrites) {
      const hasMore = await retryOnConflictFrom(known, () => findState(accountId), async ([items, members, aliases]) => {
        const [account, begun] = ['account', 'account-removal'].map((kind) => items.find(({ pk }) => pk === kind));
        if (begun) {
          await table.write(additionalWrites(removalOf(begun), 'before'));
          return true;
        }
        if (!account) throw new NotFound('account');
        const removal: Item = {
          ...removalKey(accountId),
          name: account['name'],
          email: account['email'],
          step: removalSteps[0],
          removed: 0,
          begun_at: now.toISOString(),
        };
        await table.write([
          { delete: accountKey(accountId), if: { equals: { access_version: Number(account['access_version']) } } },
          { put: removal, if: { absent: true } },
          ...(account['is_owners_primary'] === true
            ? [{
              update: { pk: 'user', sk: account['owner_id'] as string },
              remove: ['primary_account_id'],
              add: { version: 1 },
              if: { present: true },
            } as const]
            : []),
          ...aliases.map(closedAddress),
          ...members.flatMap((member) => closedMember(accountId, member)),
          ...additionalWrites(removalOf(removal), 'now'),
        ]);
        return members.length === membersPerTransaction || aliases.length === aliasesPerTransaction;
      });
      if (hasMore) await closeAccess(accountId);
    },
    async find(accountId) {
      const item = await table.get(removalKey(accountId));
      return item && removalOf(item);
    },
    list: (after, size) => readPage(table, 'account-removal', after, size, removalOf),
    closeAccess,
    async recordProgress({ accountId, step: from }, { step, removed }, additionalWrites) {
      await tryWrite(
        table, [{ update: removalKey(accountId), set: { step, removed }, if: { equals: { step: from } } }, ...additionalWrites],
      );
    },
    async freeAddresses(accountId) {
      const aliases = await aliasesOf(accountId);
      // One after the other: each transaction changes the domain's count, and concurrent ones would conflict.
      for (const alias of aliases) await freeAddress(alias);
      return aliases.length;
    },
    async finish(accountId, additionalWrites) {
      await tryWrite(table, [{ delete: removalKey(accountId), if: { present: true } }, ...additionalWrites]);
    },
  };
};

import type { QuotaAmounts } from '../../../contract/jmap/quota.ts';
import { entriesOf } from '../../../contract/values/typed-entries.ts';
import { appendCommit, writersIn, type CommitDependencies } from '../../account-log/append-commit.ts';
import { decodeHead, readHeads, type Head } from '../../account-log/head.ts';
import { headKey } from '../../account-log/keys.ts';
import type { Operation } from '../../account-log/records/stored-type.ts';
import { findItemIn, type Table } from '../../storage/table.ts';
import { quotaOfHead, type AccountQuota, type QuotaChanges } from './account-quota.ts';
import { quotaType, type QuotaRecord } from './quota-type.ts';

/** Reads the quota of an account: `QuotaStore.quota`. */
export const readQuota = async (table: Pick<Table, 'get'>, accountId: string, defaults: QuotaAmounts): Promise<AccountQuota | undefined> => {
  const item = await table.get(headKey(accountId));
  return item && quotaOfHead(decodeHead(item), defaults);
};

/** Reads the quotas of accounts: `QuotaStore.quotas`. */
export const readQuotas = async (
  table: Pick<Table, 'batchGet'>,
  accountIds: readonly string[],
  defaults: QuotaAmounts,
): Promise<ReadonlyMap<string, AccountQuota>> =>
  new Map(Array.from(await readHeads(table, accountIds), ([accountId, head]) => [accountId, quotaOfHead(head, defaults)]));

/** The operations that replace the account's own limits. */
const limitOperations = ({ quota: own = {} }: Head, changes: QuotaChanges): readonly Operation<QuotaRecord>[] =>
  entriesOf(changes).flatMap(([id, hardLimit]): Operation<QuotaRecord>[] => {
    const before = own[id];
    if ((before ?? null) === hardLimit) return [];
    const from = before === undefined ? undefined : { id, hardLimit: before };
    if (hardLimit === null) return [{ type: quotaType, kind: 'destroy', from: from! }];
    const record = { id, hardLimit };
    return [from ? { type: quotaType, kind: 'update', from, record } : { type: quotaType, kind: 'create', record }];
  });

/** Sets limits of an account: `QuotaStore.setQuota`. */
export const setQuota = (
  dependencies: CommitDependencies,
  accountId: string,
  changes: QuotaChanges,
  defaults: QuotaAmounts,
): Promise<AccountQuota | undefined> =>
  appendCommit<Head | undefined, AccountQuota | undefined>(dependencies, {
    async read(_last, logItems) {
      const find = findItemIn(await dependencies.table.batchGet([headKey(accountId), ...logItems]));
      const item = find(headKey(accountId));
      return { state: item && decodeHead(item), writerOf: writersIn(dependencies.types, find) };
    },
    plan(head) {
      const operations = head ? limitOperations(head, changes) : [];
      if (!head || operations.length === 0) return { result: head && quotaOfHead(head, defaults) };
      return { changes: [{ accountId, head, operations }], made: (commits) => commits && { result: quotaOfHead(commits[0]!.head, defaults) } };
    },
  });

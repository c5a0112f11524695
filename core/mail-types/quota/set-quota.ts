import type { QuotaAmounts, QuotaResource } from '../../../contract/jmap/quota.ts';
import { conflict, retryOnConflict } from '../../storage/retry-on-conflict.ts';
import { WriteRefused, type Table } from '../../storage/table.ts';
import { prepareCommit, replaceHead, type StoreContext } from '../../account-index/commit.ts';
import { decodeHead, type Head } from '../../account-log/head.ts';
import { headKey } from '../../account-log/keys.ts';
import type { Operation } from '../../account-log/records/stored-type.ts';
import { quotaOfHead, type AccountQuota } from './account-quota.ts';
import type { QuotaChanges } from './quota-store.ts';
import { quotaType, type QuotaRecord } from './quota-type.ts';

/** Reads the quota of an account: `QuotaStore.quota`. */
export const readQuota = async (
  table: Pick<Table, 'get'>, accountId: string, defaults: QuotaAmounts,
): Promise<AccountQuota | undefined> => {
  const item = await table.get(headKey(accountId));
  return item && quotaOfHead(decodeHead(item), defaults);
};

/** The operations that make the account's own limits the new ones. */
const limitOperations = ({ quota: own = {} }: Head, changes: QuotaChanges): readonly Operation<QuotaRecord>[] =>
  (Object.entries(changes) as [QuotaResource, number | null][]).flatMap(([id, hardLimit]): Operation<QuotaRecord>[] => {
    const before = own[id];
    if ((before ?? null) === hardLimit) return [];
    const from = before === undefined ? undefined : { id, hardLimit: before };
    if (hardLimit === null) return [{ type: quotaType, kind: 'destroy', from: from! }];
    const record = { id, hardLimit };
    return [from ? { type: quotaType, kind: 'update', from, record } : { type: quotaType, kind: 'create', record }];
  });

/** Sets limits of an account: `QuotaStore.setQuota`. A lost response is found out by reading the head again. */
export const setQuota = (
  { table, types, clock, newId, pause }: StoreContext, accountId: string, changes: QuotaChanges, defaults: QuotaAmounts,
): Promise<AccountQuota | undefined> => retryOnConflict(async () => {
  const item = await table.get(headKey(accountId));
  if (!item) return undefined;
  const head = decodeHead(item);
  const operations = limitOperations(head, changes);
  if (operations.length === 0) return quotaOfHead(head, defaults);
  const { next, writes } = prepareCommit(
    types, accountId, head, operations as readonly unknown[] as readonly Operation[], { writerId: newId(), now: clock() },
  );
  try {
    await table.write([replaceHead(accountId, head, next), ...writes]);
  } catch (error) {
    if (error instanceof WriteRefused) return conflict;
    throw error;
  }
  return quotaOfHead(next, defaults);
}, pause);

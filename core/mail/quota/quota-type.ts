import { accountPartitions } from '../../../contract/deployment/keys.ts';
import { quota, quotaResources, quotaUse, type QuotaAmounts, type QuotaResource } from '../../../contract/jmap/quota.ts';
import { changesOf, isEmptyChange, type LogEntry } from '../../account-log/log-entry.ts';
import { recordCodec } from '../../account-log/records/record-codec.ts';
import {
  indexOfRecords,
  RecordMap,
  type Indexes,
  type Operation,
  type RecordEvent,
  type RecordIndex,
  type StoredType,
} from '../../account-log/records/stored-type.ts';
import { rowOf } from '../../storage/table.ts';
import { emailType } from '../email/email-type.ts';

/** A hard limit of one account. The limits of the deployment are not stored. */
export type QuotaRecord = { readonly id: QuotaResource; readonly hardLimit: number };

const quotaCodec = recordCodec<QuotaRecord>({
  name: quota.name,
  encode: ({ hardLimit }) => ({ hardLimit }),
  decode: (id, { hardLimit }) => rowOf<QuotaRecord>({ id, hardLimit }),
});

/** Whether the commit changed the number of Emails, and thus the use of every resource. */
const changesUse = (entry: LogEntry): boolean => {
  const { created, destroyed } = changesOf(entry, emailType);
  return created.length + destroyed.length > 0;
};

/** The events of Quotas. An account always has all Quotas, so setting or removing a limit is an update. */
const quotaEvents = (entry: LogEntry): readonly RecordEvent[] => {
  const { created, updated, destroyed } = changesOf<QuotaRecord>(entry, { name: quota.name });
  const limited = new Set([...created.map(({ id }) => id), ...updated.map(({ record }) => record.id), ...destroyed.map(({ id }) => id)]);
  return quotaResources.flatMap((id): RecordEvent[] => {
    if (limited.has(id)) return [{ id, kind: 'updated' }];
    return changesUse(entry) ? [{ id, kind: 'updated', onlyComputed: true, properties: quotaUse }] : [];
  });
};

/** The account's own limits after a commit. The head stores them for deliveries, which read no records. */
const limitsAfter = (before: Partial<QuotaAmounts>, operations: readonly Operation<QuotaRecord>[]): Partial<QuotaAmounts> => {
  const limits: { -readonly [resource in QuotaResource]?: number } = { ...before };
  for (const operation of operations) {
    if (operation.kind === 'destroy') delete limits[operation.from.id];
    else limits[operation.record.id] = operation.record.hardLimit;
  }
  return limits;
};

/** Quota (RFC 9425). It changes when a limit is set, and when Emails are added or destroyed. */
export const quotaType: StoredType<QuotaRecord> = {
  name: quota.name,
  records: {
    partition: accountPartitions.quota,
    codec: quotaCodec,
    indexBuilder: () => indexOfRecords((records) => new RecordMap(records)),
    headFields: (head, operations) => ({ quota: limitsAfter(head.quota ?? {}, operations) }),
  },
  isChangedBy: (entry) => !isEmptyChange(changesOf(entry, { name: quota.name })) || changesUse(entry),
  events: (entries) => entries.map(quotaEvents),
};

/** The account's own limits. */
export const ownQuotaOf = (account: Indexes): RecordIndex<QuotaRecord> => account.index(quotaType);

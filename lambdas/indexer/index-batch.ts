import type { DynamoDBBatchResponse, DynamoDBStreamEvent, DynamoDBRecord } from 'aws-lambda';
import { decodeHead, type Head } from '../../core/account-log/head.ts';
import { accountOfHead, accountOfLogItem } from '../../core/account-log/keys.ts';
import type { LogEntry } from '../../core/account-log/log-entry.ts';
import { decodeLogEntry } from '../../core/account-log/log-item.ts';
import type { StoredTypes } from '../../core/account-log/records/stored-type.ts';
import { errorLogFields } from '../../core/runtime/error-log-fields.ts';
import type { Log } from '../../core/runtime/log.ts';
import { itemOfImage } from '../../core/storage/dynamodb/item-image.ts';
import type { Item } from '../../core/storage/table.ts';

/**
 * The commits of one account in a batch of the stream. Streams repeat batches, so a commit may have been handled
 * before.
 */
export type AccountCommits = {
  readonly accountId: string;
  /** The log entries of the commits, in order. */
  readonly entries: readonly LogEntry[];
  /** The newest head in the batch. Undefined when the head is in another batch. */
  readonly head: Head | undefined;
};

/** The records of one account in a batch. `firstRecord`: the index of its first record in the batch. */
type AccountRecords = { readonly accountId: string; readonly firstRecord: number; readonly items: readonly Item[] };

/** The records of log items and heads, by account. Other records are ignored. */
const recordsByAccount = (records: readonly DynamoDBRecord[]): readonly AccountRecords[] => {
  const byAccount = new Map<string, { accountId: string; firstRecord: number; items: Item[] }>();
  for (const [index, { dynamodb }] of records.entries()) {
    if (!dynamodb?.NewImage) continue;
    const item = { ...itemOfImage(dynamodb.NewImage), pk: dynamodb.Keys?.['pk']?.S ?? '', sk: dynamodb.Keys?.['sk']?.S ?? '' };
    const accountId = accountOfHead(item) ?? accountOfLogItem(item);
    if (accountId === undefined) continue;
    const known = byAccount.get(accountId);
    if (known) known.items.push(item);
    else byAccount.set(accountId, { accountId, firstRecord: index, items: [item] });
  }
  return [...byAccount.values()];
};

/** Decodes the commits. @throws UnknownItemVersion when a newer release wrote one of the items. */
const decodeCommits = (types: StoredTypes, { accountId, items }: AccountRecords): AccountCommits => {
  const heads = items.filter((item) => accountOfHead(item) !== undefined).map(decodeHead);
  const entries = items.filter((item) => accountOfHead(item) === undefined).map((item) => decodeLogEntry(types, item));
  return { accountId, entries: entries.toSorted((a, b) => a.sequence - b.sequence), head: heads.toSorted((a, b) => a.sequence - b.sequence).at(-1) };
};

/**
 * A step that follows commits, such as writing a snapshot. The stream repeats records, so a step is idempotent. When it
 * throws, the stream repeats the account's records and all later ones.
 */
export type IndexerStep = (commits: AccountCommits) => Promise<void>;

type IndexerDependencies = { readonly types: StoredTypes; readonly steps: readonly IndexerStep[]; readonly log: Log };

/**
 * Handles a batch of the mail table's stream: passes the commits of each account to each step. Accounts are handled one
 * after the other, because an index may be large. A failed step stops neither the other steps nor other accounts.
 * @returns the first record of the accounts that failed. The stream repeats it and all later records.
 */
export const indexBatch =
  ({ types, steps, log }: IndexerDependencies) =>
  async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    const failed: number[] = [];
    for (const records of recordsByAccount(Records)) {
      const attempt = async <T>(act: () => T | Promise<T>): Promise<T | undefined> => {
        try {
          return await act();
        } catch (error) {
          log.error('commits could not be indexed; the stream repeats them', { account_id: records.accountId, ...errorLogFields(error) });
          failed.push(records.firstRecord);
          return undefined;
        }
      };
      const commits = await attempt(() => decodeCommits(types, records));
      if (commits) for (const step of steps) await attempt(() => step(commits));
    }
    return { batchItemFailures: failed.length === 0 ? [] : [{ itemIdentifier: Records[Math.min(...failed)]!.dynamodb!.SequenceNumber! }] };
  };

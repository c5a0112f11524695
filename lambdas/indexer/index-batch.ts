import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import type { StoredTypes } from '../../core/account-log/records/stored-type.ts';
import { errorLogFields } from '../../core/runtime/error-log-fields.ts';
import type { Log } from '../../core/runtime/log.ts';
import { decodeCommits, recordsByAccount, type AccountCommits } from './account-commits.ts';

/**
 * A step that follows commits, such as writing a snapshot. The stream repeats records, so a step is idempotent. When it
 * throws, the stream repeats the account's records and all later ones.
 */
export type IndexerStep = (commits: AccountCommits) => Promise<void>;

export type IndexerDependencies = { readonly types: StoredTypes; readonly steps: readonly IndexerStep[]; readonly log: Log };

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

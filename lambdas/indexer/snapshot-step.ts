import { isSnapshotDue } from '../../core/account-index/snapshot/snapshot-name.ts';
import { trimLog } from '../../core/account-log/log-trim.ts';
import type { StoredTypes } from '../../core/account-log/records/stored-type.ts';
import { errorLogFields } from '../../core/runtime/error-log-fields.ts';
import { countedAs, type Log } from '../../core/runtime/log.ts';
import { takeSnapshot, type SnapshotWriter } from '../../core/search/indexing/take-snapshot.ts';
import type { IndexerStep } from './index-batch.ts';

export type SnapshotStepDependencies = SnapshotWriter & { readonly types: StoredTypes; readonly log: Log };

/**
 * Commits after a failure until the account's snapshot is attempted again, so that an account that always fails does
 * not delay the others.
 */
const commitsUntilRetry = 50;

/**
 * Writes a snapshot of an account whose head says that one is due, then trims the account's log. The decision needs
 * only the head in the stream, so that other commits cost no read. A failure is logged and counted, but the stream does
 * not repeat the record: nothing depends on a snapshot, and the next commits of the account make it due again.
 */
export const snapshotStep = (dependencies: SnapshotStepDependencies): IndexerStep => {
  const retryAt = new Map<string, number>();
  return async ({ accountId, head }) => {
    if (!head || !isSnapshotDue(head, dependencies.bounds) || head.sequence < (retryAt.get(accountId) ?? 0)) return;
    retryAt.delete(accountId);
    try {
      const named = await takeSnapshot(dependencies, accountId);
      if (!named) return;
      const trimmed = await trimLog(dependencies, accountId, named, named.sequence);
      dependencies.log.info('snapshot written', { account_id: accountId, sequence: named.sequence, trimmed });
    } catch (error) {
      retryAt.set(accountId, head.sequence + commitsUntilRetry);
      dependencies.log.error('snapshot not written', { account_id: accountId, ...errorLogFields(error), ...countedAs('FailedSnapshots') });
    }
  };
};

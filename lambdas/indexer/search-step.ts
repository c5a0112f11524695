import { changesOf } from '../../core/account-log/log-entry.ts';
import { emailType } from '../../core/mail/email/email-type.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { errorLogFields } from '../../core/runtime/error-log-fields.ts';
import { countedAs, type Log } from '../../core/runtime/log.ts';
import type { emailIndexer } from '../../core/search/indexing/index-emails.ts';
import { isSearchDue, type SearchBounds } from '../../core/search/segment-format/search-manifest.ts';
import type { IndexerStep } from './index-batch.ts';

export type SearchStepDependencies = {
  readonly indexEmails: ReturnType<typeof emailIndexer>;
  readonly bounds?: SearchBounds;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Milliseconds between a failure and the account's next attempt, so that an account that always fails does not delay
 * the others.
 */
const retryAfter = 5 * 60 * 1000;

/**
 * Adds the Emails of an account to its search index when the head says that enough of them are missing, or that the
 * index needs an update. It also removes the words of destroyed Emails. The decision needs only the head in the stream,
 * so that other commits cost no read. A failure is logged and counted, but the stream does not repeat the record: a
 * search reads missing Emails from the messages, and the next commits of the account make the index due again.
 */
export const searchStep = ({ indexEmails, bounds, clock, log }: SearchStepDependencies): IndexerStep => {
  const retryAt = new Map<string, number>();
  return async ({ accountId, head, entries }) => {
    const hasDestroyed = entries.some((entry) => changesOf(entry, emailType).destroyed.length > 0);
    if (!hasDestroyed && !(head && isSearchDue(head, bounds))) return;
    if (clock().getTime() < (retryAt.get(accountId) ?? 0)) return;
    retryAt.delete(accountId);
    try {
      const outcome = await indexEmails(accountId);
      if (outcome) log.info('search index written', { account_id: accountId, ...outcome });
    } catch (error) {
      retryAt.set(accountId, clock().getTime() + retryAfter);
      log.error('search index not written', { account_id: accountId, ...errorLogFields(error), ...countedAs('FailedSearchIndexes') });
    }
  };
};

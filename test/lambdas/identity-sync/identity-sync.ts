import { identityTasksIn } from '../../../core/directory/aliases/identity-tasks.ts';
import { storedAccountIdentities } from '../../../core/mail/mail-store/table-mail-store.ts';
import { withinInvocation } from '../../../core/runtime/invocation.ts';
import type { Table } from '../../../core/storage/table.ts';
import { accountSync } from '../../../lambdas/identity-sync/sync-account.ts';
import { syncIdentities } from '../../../lambdas/identity-sync/sync-identities.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import type { AdminApi } from '../../support/admin-api.ts';

/** The identity-sync Lambda over the tables of an admin API. */
export const identitySync = ({ directory, mail }: Pick<AdminApi, 'directory' | 'mail'>) => {
  const log = memoryLog();
  let now = Date.parse('2026-11-21T08:00:00Z');
  const failing = new Set<string>();
  const syncAccount = accountSync(directory, storedAccountIdentities(mail));
  return {
    log,
    /** Ids of accounts whose update fails. */
    failing,
    later: (hours: number) => {
      now += hours * 3_600_000;
    },
    tasks: async () => (await directory.query({ pk: 'identity-task' })).map(({ sk }) => sk),
    /** Runs the Lambda. @param pages number of pages of accounts or addresses for which it has time. */
    run: (pages = Infinity) => {
      let read = 0;
      const counted: Pick<Table, 'query'> = {
        query: (query) => {
          read += 1;
          return directory.query(query);
        },
      };
      return withinInvocation({ getRemainingTimeInMillis: () => (read < pages ? 270_000 : 59_000) }, () =>
        syncIdentities({
          directory: counted,
          tasks: identityTasksIn(directory),
          clock: () => new Date(now),
          log,
          syncAccount: (accountId) => (failing.has(accountId) ? Promise.reject(new Error('broken')) : syncAccount(accountId)),
        }),
      );
    },
  };
};

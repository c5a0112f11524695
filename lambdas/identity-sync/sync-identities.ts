import { directoryPartitions } from '../../contract/deployment/keys.ts';
import { isIdOf } from '../../contract/values/ids.ts';
import { accountAddressRow } from '../../core/directory/address-reservations.ts';
import { allAccounts, type IdentityTask, type IdentityTasks } from '../../core/directory/aliases/identity-tasks.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { errorLogFields } from '../../core/runtime/error-log-fields.ts';
import { remainingTime } from '../../core/runtime/invocation.ts';
import type { Log } from '../../core/runtime/log.ts';
import type { Table } from '../../core/storage/table.ts';

export type SyncDependencies = {
  readonly directory: Pick<Table, 'query'>;
  readonly tasks: Pick<IdentityTasks, 'listDue' | 'saveProgress' | 'finish'>;
  /** Makes the Identities of an account equal to its aliases. @returns the number of changed Identities. */
  readonly syncAccount: (accountId: string) => Promise<number>;
  readonly clock: Clock;
  readonly log: Log;
};

/** Items of the directory in one page. The progress of a task is stored after each page. */
const pageSize = 200;

/** Milliseconds that a page may take. */
const timeForPage = 60_000;

/** Reads a page of the accounts of a task, and the position of its end; undefined for the last page. */
const readAccounts = async ({ directory }: SyncDependencies, { name }: IdentityTask, after: string | undefined) => {
  if (isIdOf('account', name)) return { accountIds: new Set([name]), next: undefined };
  if (isIdOf('group', name)) {
    const members = await directory.query({ pk: directoryPartitions.groupMembers(name), after, limit: pageSize });
    const accountIds = members.map(({ sk }) => sk).filter((id) => isIdOf('account', id));
    return { accountIds: new Set(accountIds), next: members.length < pageSize ? undefined : members.at(-1)!.sk };
  }
  const isAll = name === allAccounts;
  const items = await directory.query({ pk: isAll ? directoryPartitions.accounts : directoryPartitions.addresses, after, limit: pageSize });
  const accountIds = isAll
    ? items.map(({ sk }) => sk)
    : items.flatMap((item) => {
        const row = accountAddressRow(item);
        return row?.domain_id === name ? [row.account_id] : [];
      });
  return { accountIds: new Set(accountIds), next: items.length < pageSize ? undefined : items.at(-1)!.sk };
};

/** The numbers of accounts in one run. */
type Counts = { accounts: number; changed: number; failed: number };

/** Updates the accounts of a page. A failed account does not stop the others. The check of the next day repeats it. */
const syncPage = async ({ syncAccount, log }: SyncDependencies, accountIds: Iterable<string>, counts: Counts): Promise<void> => {
  for (const account_id of accountIds) {
    counts.accounts += 1;
    try {
      counts.changed += await syncAccount(account_id);
    } catch (error) {
      counts.failed += 1;
      log.error('the Identities of an account could not be updated', { account_id, ...errorLogFields(error) });
    }
  }
};

/** Works on a task until it is finished or requested again, or the remaining time is short. */
const runTask = async (dependencies: SyncDependencies, task: IdentityTask, counts: Counts): Promise<void> => {
  const { tasks, clock } = dependencies;
  for (let after = task.after; remainingTime() > timeForPage;) {
    const { accountIds, next } = await readAccounts(dependencies, task, after);
    await syncPage(dependencies, accountIds, counts);
    if (next === undefined) return tasks.finish(task, clock());
    if (!(await tasks.saveProgress(task, next))) return;
    after = next;
  }
};

/**
 * Works on the due tasks. The next run continues unfinished tasks. @throws Error when accounts failed, for the alarm.
 */
export const syncIdentities = async (dependencies: SyncDependencies): Promise<void> => {
  const { tasks, clock, log } = dependencies;
  const counts: Counts = { accounts: 0, changed: 0, failed: 0 };
  const due = await tasks.listDue(clock());
  for (const task of due) await runTask(dependencies, task, counts);
  if (due.length > 0) log.info('updated Identities', { tasks: due.length, ...counts });
  if (counts.failed > 0) throw new Error(`the Identities of ${counts.failed} accounts could not be updated`);
};

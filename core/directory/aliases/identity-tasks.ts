import { directoryKeys } from '../../../contract/deployment/keys.ts';
import { tryWrite } from '../../storage/retry-on-conflict.ts';
import { rowOf, type Item, type Table, type Write } from '../../storage/table.ts';
import { identityRequest } from '../identity-request.ts';

/** Milliseconds between two checks of all accounts. */
const checkInterval = 24 * 3_600_000;

/** The name of the task that checks all accounts. The name of any other task is the id of a domain, a group or an account. */
export const allAccounts = 'all';

/**
 * A task: update the Identities of all accounts, of the accounts at a domain or in a group, or of one account, to match their
 * aliases and groups.
 */
export type IdentityTask = {
  /** {@link allAccounts}, or the id of a domain, a group or an account. */
  readonly name: string;
  /** The number of requests of this task. A new request restarts the work. */
  readonly version: number;
  /** The sort key after which the work continues. */
  readonly after: string | undefined;
};

/**
 * Tasks of the identity-sync Lambda, in the items `identity-task`/name. The task that checks all accounts is kept, with
 * the time of the next check. While its item does not exist, the task is due.
 */
export type IdentityTasks = {
  /** The write that requests the task of a domain, for the transaction that changes the domain. */
  requestWrite(domainId: string): Write;
  /** Lists the tasks that are due. */
  listDue(now: Date): Promise<IdentityTask[]>;
  /** Stores the progress of a task. @returns false when the task was requested again. */
  saveProgress(task: IdentityTask, after: string): Promise<boolean>;
  /** Ends a task, unless it was requested again. */
  finish(task: IdentityTask, now: Date): Promise<void>;
};

const keyOf = directoryKeys.identityTask;

type TaskRow = Pick<IdentityTask, 'version'> & { readonly after?: string; readonly due?: string };

const taskRow = rowOf<TaskRow>;

const taskOf = (item: Item): IdentityTask => {
  const { version, after } = taskRow(item);
  return { name: item.sk, version, after };
};

const isDue = ({ due }: TaskRow, now: Date): boolean => due === undefined || due <= now.toISOString();

export const identityTasksIn = (table: Table): IdentityTasks => {
  const unlessRequestedAnew = ({ version }: IdentityTask) => ({ equals: { version } });
  return {
    requestWrite: identityRequest,
    async listDue(now) {
      const items = await table.query({ pk: keyOf('').pk });
      const due = items.filter((item) => isDue(taskRow(item), now)).map(taskOf);
      if (items.some(({ sk }) => sk === allAccounts)) return due;
      await tryWrite(table, [{ put: { ...keyOf(allAccounts), version: 1 }, if: { absent: true } }]);
      return [{ name: allAccounts, version: 1, after: undefined }, ...due];
    },
    saveProgress: (task, after) => tryWrite(table, [{ update: keyOf(task.name), set: { after }, if: unlessRequestedAnew(task) }]),
    async finish(task, now) {
      const next = new Date(now.getTime() + checkInterval).toISOString();
      await tryWrite(table, [
        task.name === allAccounts
          ? { put: { ...keyOf(allAccounts), version: task.version, due: next } }
          : { delete: keyOf(task.name), if: unlessRequestedAnew(task) },
      ]);
    },
  };
};

import {
  appendCommit,
  type CommitDependencies,
  type Finished,
  type LastOutcome,
  type PlannedTransaction,
  type ReadState,
  type WrittenCommit,
} from '../account-log/append-commit.ts';
import { operationsThatFit } from '../account-log/commit-writes.ts';
import { commitBase, hasCommitBase, type CommitBase, type Head } from '../account-log/head.ts';
import { logKey } from '../account-log/keys.ts';
import { CommitUnconfirmed, PartlyCommitted, type RefusedChange } from '../account-log/records/record-refused.ts';
import type { RevalidateRemaining, Operation } from '../account-log/records/stored-type.ts';
import { WriteRefused, type Table, type Write } from '../storage/table.ts';
import type { AccountIndex } from './account-index.ts';
import type { AccountView, Commit } from './account-view.ts';
import { planOperations, remainingOperations } from './commit-operations.ts';

export type IndexedCommitDependencies = CommitDependencies & {
  /** The account at its newest commit, with the log since the given index in memory. */
  readonly reopen: (account: AccountIndex) => Promise<AccountIndex>;
};

/** The remaining operations of a commit. The additional writes are in the first transaction. */
type CommitWork = { readonly operations: readonly Operation[]; readonly additionalWrites: readonly Write[] };

/** Commits the changes that `plan` returns for the newest view: {@link MailStore.commit}. */
export const commitPlan = async (
  dependencies: IndexedCommitDependencies,
  opened: AccountIndex,
  plan: (view: AccountView) => Commit | undefined,
): Promise<AccountIndex> => {
  const work = new WorkInProgress(dependencies, plan);
  let account = opened;
  const read = async (last: LastOutcome): Promise<ReadState<AccountIndex>> => {
    if (last === 'refused') await work.readAgain();
    if (last === 'made' ? !account.isConsistent : last !== 'none') account = await dependencies.reopen(account);
    return { state: account, writerOf: writersInTail(account) };
  };
  const committed = await appendCommit(dependencies, {
    read,
    plan: () => planTransaction(account, work),
    failed: (failure, isUnconfirmed) => {
      const error: unknown = work.isPartlyCommitted ? new PartlyCommitted([], failure) : failure;
      if (failure instanceof WriteRefused) return failure;
      return isUnconfirmed ? new CommitUnconfirmed(error) : error;
    },
  });
  if (work.refused.length > 0) throw new PartlyCommitted(work.refused);
  return committed;
};

/** Plans the next transaction of the work. @returns the account when no work remains. */
const planTransaction = async (account: AccountIndex, work: WorkInProgress): Promise<Finished<AccountIndex> | PlannedTransaction<AccountIndex>> => {
  // Another request of this Lambda may advance the account during each `await`.
  while (!work.isPlannedFor(account.head)) await work.planFor(account);
  const { accountId, head } = account;
  const [first, rest] = splitTransaction(account, work.remaining);
  if (first.operations.length === 0) return { result: account };
  return {
    changes: [{ accountId, head, operations: first.operations, indexes: account, principalId: work.principalId }],
    additionalWrites: first.additionalWrites,
    made: (commits) => {
      work.completed(rest, commits && { ...commitBase(head), sequence: head.sequence + 1 });
      for (const commit of commits ?? []) applyCommit(account, commit);
      return undefined;
    },
  };
};

const applyCommit = (account: AccountIndex, { entry, head }: WrittenCommit): void => {
  try {
    account.applyCommits([entry], head);
  } catch {
    // The commit is written. The index is not consistent any more, so that the next read opens the account again.
  }
};

/** The writers of the commits that are in memory. Another request wrote every earlier log item. */
const writersInTail = ({ accountId, head, tail }: AccountIndex): ReadState<AccountIndex>['writerOf'] => {
  const writers = new Map(tail.map(({ sequence, writerId }) => [logKey(accountId, sequence).sk, writerId]));
  const newest = logKey(accountId, head.sequence).sk;
  return ({ sk }) => writers.get(sk) ?? (sk <= newest ? 'another writer' : undefined);
};

/** The unwritten operations of a commit, planned for one state of the account. */
class WorkInProgress {
  readonly #table: Table;
  readonly #plan: (view: AccountView) => Commit | undefined;
  #remaining: CommitWork = { operations: [], additionalWrites: [] };
  #revalidateRemaining: RevalidateRemaining | undefined;
  #readAgain: Commit['readAgain'];
  /** The base of the head for which the remaining operations are planned; undefined before they are planned. */
  #plannedFor: CommitBase | undefined;
  isPartlyCommitted = false;
  principalId: string | undefined;
  /** Changes that other commits made impossible after a part of this commit was written. */
  readonly refused: RefusedChange[] = [];

  constructor({ table }: IndexedCommitDependencies, plan: (view: AccountView) => Commit | undefined) {
    this.#table = table;
    this.#plan = plan;
  }

  get remaining(): CommitWork {
    return this.#remaining;
  }

  /**
   * Records that a transaction was written. @param base the base of the head after the transaction; undefined when it
   * is not known.
   */
  completed(remaining: CommitWork, base?: CommitBase): void {
    [this.#remaining, this.#plannedFor, this.isPartlyCommitted] = [remaining, base, true];
  }

  /**
   * Reads the inputs again after a condition of a record's writes did not hold. It runs before the account is opened
   * again, so that the opened account has every commit that preceded the read.
   */
  async readAgain(): Promise<void> {
    if (!this.isPartlyCommitted) await this.#readAgain?.();
    this.#plannedFor = undefined;
  }

  isPlannedFor(head: Head): boolean {
    return hasCommitBase(head, this.#plannedFor);
  }

  /** Plans the remaining operations for the current state of the account. */
  async planFor(account: AccountIndex): Promise<void> {
    const base = commitBase(account.head);
    if (this.isPartlyCommitted) await this.#revalidate(account);
    else await this.#planAgain(account);
    this.#plannedFor = base;
  }

  async #revalidate(account: AccountIndex): Promise<void> {
    const { operations, refused } = await remainingOperations(this.#remaining.operations, { table: this.#table, account }, this.#revalidateRemaining);
    this.#remaining = { ...this.#remaining, operations };
    this.refused.push(...refused);
  }

  async #planAgain(account: AccountIndex): Promise<void> {
    const { additionalWrites = [], revalidateRemaining, readAgain, principalId, ...commit }: Commit = this.#plan(account.view()) ?? { records: {} };
    this.principalId = principalId;
    const operations = await planOperations(account, commit, this.#table);
    if (operations.length === 0 && additionalWrites.length > 0) throw new Error('a commit has additional writes but changes no record');
    [this.#remaining, this.#revalidateRemaining, this.#readAgain] = [{ operations, additionalWrites }, revalidateRemaining, readAgain];
  }
}

/** Splits off the work of the next transaction. */
const splitTransaction = ({ accountId }: AccountIndex, { operations, additionalWrites }: CommitWork): [first: CommitWork, rest: CommitWork] => {
  const count = operationsThatFit(accountId, operations, additionalWrites.length);
  return [
    { operations: operations.slice(0, count), additionalWrites },
    { operations: operations.slice(count), additionalWrites: [] },
  ];
};

import { setTimeout as timer } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Clock, Pause } from '../runtime/clock.ts';
import { conflict, retryOnConflict } from '../storage/retry-on-conflict.ts';
import { WriteRefused, type FindItem, type Key, type Table, type Write } from '../storage/table.ts';
import { prepareCommit } from './commit-writes.ts';
import { announceReferenceRemoval, createHead, replaceHead } from './head-writes.ts';
import { commitBase, emptyHead, hasCommitBase, type Head } from './head.ts';
import { logKey } from './keys.ts';
import type { LogEntry } from './log-entry.ts';
import { decodeLogEntry } from './log-item.ts';
import { ConditionRefused } from './records/record-refused.ts';
import { storedTypeTable, type Indexes, type Operation, type StoredTypes } from './records/stored-type.ts';

export type CommitDependencies = {
  readonly table: Table;
  readonly types: StoredTypes;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly pause: Pause;
  /** Seconds for which destroyed Emails can be restored. Default: 0, they can't be restored. */
  readonly recoverableSeconds?: number;
};

/** The changes of one commit to an account's records. */
export type RecordsChange = {
  readonly accountId: string;
  /** The head that was read before the change was planned. Undefined when the commit creates the account. */
  readonly head: Head | undefined;
  readonly operations: readonly Operation[];
  /** The account before the change, if it is in memory. */
  readonly indexes?: Indexes;
  /** The principal who requested the changes. Absent for changes that a Lambda makes on its own. */
  readonly principalId?: string | undefined;
};

/**
 * A removal of references. Each write has a condition on the items that were read, so that other commits of the account
 * do not disturb the removal. Concurrent commits read the references again. A removal has no log item.
 */
export type ReferenceRemoval = { readonly accountId: string; readonly removals: readonly Write[] };

/**
 * The answer when a condition of an additional write does not hold, though no other commit was made: `replan` reads and
 * plans again; `fail` throws {@link WriteRefused} with the indexes of the refused writes; a function returns the error to
 * throw. Conditions of an account's own items are always planned again, and fail with {@link ConditionRefused} when the
 * new plan has the same condition on the same head.
 */
export type RefusalAnswer = 'replan' | 'fail' | ((refused: readonly number[]) => Error);

/** A commit as it was written. */
export type WrittenCommit = { readonly entry: LogEntry; readonly head: Head };

/** The result of a completed append. */
export type Finished<Result> = { readonly result: Result };

/** A transaction that {@link appendCommit} writes. */
export type PlannedTransaction<Result> = {
  readonly changes: readonly (RecordsChange | ReferenceRemoval)[];
  /** Further writes in the transaction, also to other tables. */
  readonly additionalWrites?: readonly Write[];
  /** The answer to a refusal when a condition of an additional write does not hold. Default: `fail`. */
  readonly ifRefused?: RefusalAnswer;
  /**
   * Called once, when the transaction is known to be made.
   * @param commits undefined when the response was lost, and the log shows that the transaction was made.
   * @returns undefined to read and plan the next transaction.
   */
  readonly made: (commits: readonly WrittenCommit[] | undefined) => Finished<Result> | undefined;
};

/**
 * The outcome of the transaction before a read. `overtaken`: another commit was written first. `lost`: the response was
 * lost.
 */
export type LastOutcome = 'none' | 'made' | 'overtaken' | 'lost' | 'refused';

/** The state on which a plan is based. */
export type ReadState<State> = {
  readonly state: State;
  /** The writer of a log item; undefined when there is no such item. */
  readonly writerOf: (logItem: Key) => string | undefined;
};

export type AppendedCommit<State, Result> = {
  /**
   * Reads the newest state, and the log items of transactions whose outcome is not known.
   * @param last the outcome of the transaction before this read.
   */
  readonly read: (last: LastOutcome, logItems: readonly Key[]) => Promise<ReadState<State>>;
  /** Plans the next transaction. */
  readonly plan: (state: State) => Promise<Finished<Result> | PlannedTransaction<Result>> | Finished<Result> | PlannedTransaction<Result>;
  /**
   * The error to throw for a failure. `isUnconfirmed`: a transaction may have been written, or may still be written.
   */
  readonly failed?: (failure: unknown, isUnconfirmed: boolean) => unknown;
};

/** Maximum lost responses of one append. */
const maxLostResponses = 2;

/**
 * Appends a commit to the logs of accounts: reads, plans, and writes one transaction after the other until the plan is
 * finished. It is the only writer of the heads of accounts, and has one answer to each refusal:
 * - another commit won the race, or another transaction held an item: it reads and plans again;
 * - the response was lost: the log item tells whether the transaction was made; if not, it plans again;
 * - a condition of the transaction's own items does not hold: {@link RefusalAnswer}.
 * @throws StoreConflict when each attempt lost the race with another commit; ConditionRefused; WriteRefused; the error of the
 * transport when more than two responses were lost.
 */
export const appendCommit = async <State, Result>(
  dependencies: CommitDependencies,
  { read, plan, failed = (failure) => failure }: AppendedCommit<State, Result>,
): Promise<Result> => {
  const unresolved = new UnresolvedTransactions<Result>();
  const write = transactionWriter(dependencies);
  let last: LastOutcome = 'none';
  try {
    const outcome = await retryOnConflict(async () => {
      for (;;) {
        const { state, writerOf } = await read(last, unresolved.logItems);
        const finished = unresolved.resolve(writerOf);
        if (finished) return finished;
        const planned = await plan(state);
        if ('result' in planned) return planned;
        const written = await write(planned);
        if (written.outcome === 'failed') return written;
        last = written.outcome;
        if (written.outcome !== 'made') {
          unresolved.add(planned, written);
          return conflict;
        }
        unresolved.clear();
        const end = planned.made(written.commits);
        if (end) return end;
      }
    }, dependencies.pause);
    if ('result' in outcome) return outcome.result;
    throw outcome.error;
  } catch (failure) {
    throw failed(failure, unresolved.hasLost);
  }
};

/**
 * Writes the transactions of reference removals. After any refusal, and after a lost response, it reads the remaining
 * removals again.
 * @param read the removals of each transaction.
 */
export const appendReferenceRemovals = (
  { table, clock, pause = timer }: { readonly table: Table; readonly clock: Clock; readonly pause?: Pause },
  accountId: string,
  read: () => Promise<readonly (readonly Write[])[]>,
): Promise<void> => {
  let remaining: readonly (readonly Write[])[] = [];
  return appendCommit<undefined, void>(
    { table, clock, pause, types: storedTypeTable([]), newId: () => 'reference removal' },
    {
      async read(last) {
        if (last !== 'made') remaining = await read();
        return { state: undefined, writerOf: () => undefined };
      },
      plan() {
        const [removals, ...rest] = remaining;
        if (!removals) return { result: undefined };
        const made = () => {
          remaining = rest;
          return undefined;
        };
        return { changes: [{ accountId, removals }], made };
      },
    },
  );
};

/** Finds the writers of log items among items that were read. */
export const writersIn =
  (types: StoredTypes, find: FindItem): ReadState<unknown>['writerOf'] =>
  (key) => {
    const item = find(key);
    return item && decodeLogEntry(types, item).writerId;
  };

type Unresolved<Result> = { readonly logItem: Key; readonly writerId: string; readonly isLost: boolean; readonly made: PlannedTransaction<Result>['made'] };

/** Transactions whose outcome is unknown. Such a transaction was made if its log item names its writer. */
class UnresolvedTransactions<Result> {
  #transactions: readonly Unresolved<Result>[] = [];
  #lostResponses = 0;

  get logItems(): readonly Key[] {
    return [...new Map(this.#transactions.map(({ logItem }) => [`${logItem.pk} ${logItem.sk}`, logItem])).values()];
  }

  /** Whether a transaction without a response may have been written, or may still be written. */
  get hasLost(): boolean {
    return this.#transactions.some(({ isLost }) => isLost);
  }

  /** @throws the error of the transport when too many responses were lost. */
  add({ made }: PlannedTransaction<Result>, { outcome, logItem, writerId, error }: NotMade): void {
    if (logItem) this.#transactions = [...this.#transactions, { logItem, writerId, isLost: outcome === 'lost', made }];
    if (outcome === 'lost' && ++this.#lostResponses > maxLostResponses) throw error;
  }

  /**
   * Forgets all transactions. A later transaction was written on the same heads, so none of the earlier ones can still
   * be written.
   */
  clear(): void {
    this.#transactions = [];
  }

  /** Settles each transaction whose log item exists by now. A refused transaction without a log item was not made. */
  resolve(writerOf: ReadState<unknown>['writerOf']): Finished<Result> | undefined {
    const found = this.#transactions.map((transaction) => ({ transaction, writer: writerOf(transaction.logItem) }));
    this.#transactions = found.filter(({ transaction, writer }) => transaction.isLost && writer === undefined).map(({ transaction }) => transaction);
    return found.find(({ transaction, writer }) => writer === transaction.writerId)?.transaction.made(undefined);
  }
}

type NotMade = { readonly outcome: 'overtaken' | 'lost' | 'refused'; readonly logItem: Key | undefined; readonly writerId: string; readonly error: unknown };
type Written = NotMade | { readonly outcome: 'made'; readonly commits: readonly WrittenCommit[] } | { readonly outcome: 'failed'; readonly error: unknown };

/** The writes of one change: the head's write, the account's other writes, and the resulting commit. */
type ChangeWrites = { readonly head: Write; readonly own: readonly Write[]; readonly commit?: WrittenCommit };

const changeWrites = (
  { types, clock, recoverableSeconds = 0 }: Pick<CommitDependencies, 'types' | 'clock' | 'recoverableSeconds'>,
  change: RecordsChange | ReferenceRemoval,
  writerId: string,
): ChangeWrites => {
  const { accountId } = change;
  const now = clock();
  if ('removals' in change) return { head: announceReferenceRemoval(accountId, now), own: change.removals };
  const { head, operations, indexes, principalId } = change;
  const { entry, next, writes } = prepareCommit(types, accountId, head ?? emptyHead, operations, {
    writerId,
    now,
    principalId,
    recoverableSeconds,
    ...(indexes && { indexes }),
  });
  return { head: head ? replaceHead(accountId, head, next) : createHead(accountId, next), own: writes, commit: { entry, head: next } };
};

/**
 * The writes of one commit, for a transaction that the caller writes. The caller repeats it from a new read after any
 * refusal. The writes have the conditions of {@link appendCommit}.
 */
export const commitWrites = (
  dependencies: Pick<CommitDependencies, 'types' | 'clock' | 'newId' | 'recoverableSeconds'>,
  change: RecordsChange,
): { readonly head: Write; readonly own: readonly Write[] } => changeWrites(dependencies, change, dependencies.newId());

/** Maximum writes of one transaction (DynamoDB's limit). */
const maxWrites = 100;

type RecordsChanges = readonly RecordsChange[];

/** Writes one transaction. It remembers the last refused writes, so that it does not write the same plan again. */
const transactionWriter = ({ table, newId, ...dependencies }: CommitDependencies) => {
  let refused: { readonly changes: RecordsChanges; readonly writes: readonly Write[] } | undefined;
  return async ({ changes, additionalWrites = [], ifRefused = 'fail' }: PlannedTransaction<never> | PlannedTransaction<unknown>): Promise<Written> => {
    const writerId = newId();
    const prepared = changes.map((change) => changeWrites(dependencies, change, writerId));
    const [heads, own] = [prepared.map(({ head }) => head), prepared.flatMap((each) => each.own)];
    const first = heads.length + own.length;
    if (first + additionalWrites.length > maxWrites) throw new RangeError('a commit exceeds one transaction');
    const onHeads = changes.filter((change) => 'operations' in change);
    if (refused && areSameHeads(refused.changes, onHeads) && refused.writes.some((each) => own.some((write) => isDeepStrictEqual(write, each)))) {
      return { outcome: 'failed', error: new ConditionRefused() };
    }
    const notMade = (outcome: NotMade['outcome'], error: unknown): NotMade => {
      const [change] = onHeads;
      return { outcome, error, writerId, logItem: change && logKey(change.accountId, (change.head?.sequence ?? 0) + 1) };
    };
    try {
      await table.write([...heads, ...own, ...additionalWrites]);
      return { outcome: 'made', commits: prepared.flatMap(({ commit }) => commit ?? []) };
    } catch (error) {
      if (!(error instanceof WriteRefused)) return notMade('lost', error);
      const { failed, contended } = error;
      if (failed.length === 0 || failed.some((index) => index < heads.length)) return notMade('overtaken', error);
      const ownFailed = failed.filter((index) => index < first);
      if (ownFailed.length > 0) {
        if (onHeads.length === changes.length) refused = { changes: onHeads, writes: ownFailed.map((index) => own[index - heads.length]!) };
        return notMade('refused', error);
      }
      if (contended) return notMade('overtaken', error);
      if (ifRefused === 'replan') return notMade('refused', error);
      const indexes = failed.map((index) => index - first);
      return { outcome: 'failed', error: ifRefused === 'fail' ? new WriteRefused(indexes, false) : ifRefused(indexes) };
    }
  };
};

/** Whether the changes of two plans start from the same heads. */
const areSameHeads = (before: RecordsChanges, now: RecordsChanges): boolean =>
  before.length === now.length &&
  before.every(({ accountId, head }, index) => {
    const other = now[index]!;
    return accountId === other.accountId && (head && other.head ? hasCommitBase(other.head, commitBase(head)) : head === other.head);
  });

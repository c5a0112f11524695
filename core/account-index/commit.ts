import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../runtime/clock.ts';
import { conflict, retryOnConflict, type Pause } from '../storage/retry-on-conflict.ts';
import { WriteRefused, type Table, type Write } from '../storage/table.ts';
import type { AccountIndex } from './account-index.ts';
import { planOperations, remainingOperations } from './commit-operations.ts';
import { commitBase, hasCommitBase, headAttributes, type CommitBase, type Head } from '../account-log/head.ts';
import { headKey, recordKey } from '../account-log/keys.ts';
import type { LogEntry, TypeChanges } from '../account-log/log-entry.ts';
import { encodeLogEntry, statesAfter } from '../account-log/log-item.ts';
import type { AccountView, Commit } from './account-view.ts';
import { CommitUnconfirmed, ConditionRefused, PartlyCommitted, type RefusedChange } from '../account-log/records/record-refused.ts';
import type { Indexes, JudgeRemaining, Operation, StoredTypes } from '../account-log/records/stored-type.ts';

/** The store's own parts: every write of an account needs them. */
export type StoreContext = {
  readonly table: Table;
  readonly types: StoredTypes;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly pause: Pause;
};

export type CommitContext = StoreContext & {
  /** The account at its newest commit, with the log since the given index in memory. */
  readonly reopen: (account: AccountIndex) => Promise<AccountIndex>;
};

/** Writes of one transaction (DynamoDB's limit) without the head and the log item. */
const maxWritesPerCommit = 98;
/** Octets of the changes in one log item: well below DynamoDB's 400 KB an item. */
const maxLogBytesPerCommit = 256 * 1024;
/** Octets of the records' items in one transaction, as JSON. DynamoDB's limit is 4 MB, with the head and the log item. */
const maxItemBytesPerCommit = 3_500_000;
/** Lost responses of one commit before it fails. */
const maxLostResponses = 2;

/** The remaining part of a commit. The additional writes are in the first transaction. */
type CommitWork = { readonly operations: readonly Operation[]; readonly additionalWrites: readonly Write[] };

/** Commits what `plan` returns for the newest view: {@link MailStore.commit}. */
export const commitPlan = async (
  parts: CommitContext, opened: AccountIndex, plan: (view: AccountView) => Commit | undefined,
): Promise<AccountIndex> => {
  const { newId, pause, reopen } = parts;
  const lost = new LostResponses();
  const write = transactionWriter(parts, lost);
  const work = new WorkInProgress(parts, plan);
  let account = opened;
  let writerId = newId();
  /** The work that remains if the last write was made: it was refused, or its response was lost. */
  let unconfirmed: CommitWork | undefined;
  const attempt = async (): Promise<AccountIndex | WriteRefused | typeof conflict> => {
    if (unconfirmed) {
      await work.readAgainIfRefused();
      account = await reopen(account);
      lost.resolve(account.head);
      const made = account.tail.find((entry) => entry.writerId === writerId);
      if (made) {
        work.completed(unconfirmed);
        writerId = newId();
      }
      unconfirmed = undefined;
    }
    for (;;) {
      // Another request of this Lambda may advance the account during each `await`.
      while (!work.isPlannedFor(account.head)) await work.planFor(account);
      const [first, rest] = splitTransaction(account, work.remaining);
      if (first.operations.length === 0) return account;
      const { sequence, referenceRemovals } = account.head;
      const written = await write(account, first, writerId);
      if (written instanceof WriteRefused) return written;
      if (written !== 'written') {
        unconfirmed = rest;
        work.isRefused = written === 'refused';
        return conflict;
      }
      work.completed(rest, { sequence: sequence + 1, referenceRemovals });
      writerId = newId();
      if (!account.isConsistent) account = await reopen(account);
    }
  };
  const outcome = await retryOnConflict(attempt, pause).catch((failure: unknown) => {
    const error: unknown = work.isPartlyCommitted ? new PartlyCommitted([], failure) : failure;
    throw lost.isUnresolved ? new CommitUnconfirmed(error) : error;
  });
  if (outcome instanceof WriteRefused) throw outcome;
  if (work.refused.length > 0) throw new PartlyCommitted(work.refused);
  return outcome;
};

/** The lost responses of one commit. */
class LostResponses {
  #count = 0;
  /** The commit that the last transaction without a response was to follow. */
  #sequence: number | undefined;

  /** @throws the error when too many responses were lost. */
  add(error: unknown, { sequence }: Head): void {
    this.#sequence = sequence;
    if (++this.#count > maxLostResponses) throw error;
  }

  /** A transaction on top of an older head was made before, or never will be. */
  resolve({ sequence }: Head): void {
    if (this.#sequence !== undefined && sequence > this.#sequence) this.#sequence = undefined;
  }

  /** Whether a transaction without a response may have been made, or may be made yet. */
  get isUnresolved(): boolean {
    return this.#sequence !== undefined;
  }
}

/** The remaining part of a commit, planned for one state of the account. */
class WorkInProgress {
  readonly #table: Table;
  readonly #plan: (view: AccountView) => Commit | undefined;
  #remaining: CommitWork = { operations: [], additionalWrites: [] };
  #judgeRemaining: JudgeRemaining | undefined;
  #readAgain: Commit['readAgain'];
  /** The base of the head for which the remaining work is planned; undefined before it is. */
  #plannedFor: CommitBase | undefined;
  isPartlyCommitted = false;
  /** Whether a condition of a record's writes did not hold in the last transaction: its plan is not used again. */
  isRefused = false;
  /** Changes that other commits made impossible after a part of this commit was written. */
  readonly refused: RefusedChange[] = [];

  constructor({ table }: CommitContext, plan: (view: AccountView) => Commit | undefined) {
    this.#table = table;
    this.#plan = plan;
  }

  get remaining(): CommitWork {
    return this.#remaining;
  }

  /** A transaction was written. @param base of the head after it; undefined when it is not known. */
  completed(remaining: CommitWork, base?: CommitBase): void {
    [this.#remaining, this.#plannedFor, this.isPartlyCommitted] = [remaining, base, true];
  }

  /** Before the account is opened again, so that the new plan knows all commits that the items were read after. */
  async readAgainIfRefused(): Promise<void> {
    if (!this.isRefused) return;
    if (!this.isPartlyCommitted) await this.#readAgain?.();
    [this.isRefused, this.#plannedFor] = [false, undefined];
  }

  isPlannedFor(head: Head): boolean {
    return hasCommitBase(head, this.#plannedFor);
  }

  /** Plans the remaining work for the account as it is when the planning begins. */
  async planFor(account: AccountIndex): Promise<void> {
    const base = commitBase(account.head);
    if (this.isPartlyCommitted) await this.#judgeAgain(account);
    else await this.#planAgain(account);
    this.#plannedFor = base;
  }

  async #judgeAgain(account: AccountIndex): Promise<void> {
    const { operations, refused } = await remainingOperations(
      this.#remaining.operations, { table: this.#table, account }, this.#judgeRemaining,
    );
    this.#remaining = { ...this.#remaining, operations };
    this.refused.push(...refused);
  }

  async #planAgain(account: AccountIndex): Promise<void> {
    const { additionalWrites = [], judgeRemaining, readAgain, ...commit } = this.#plan(account.view()) ?? { records: {} };
    const operations = await planOperations(account, commit, this.#table);
    if (operations.length === 0 && additionalWrites.length > 0) throw new Error('a commit has additional writes but changes no record');
    [this.#remaining, this.#judgeRemaining, this.#readAgain] = [{ operations, additionalWrites }, judgeRemaining, readAgain];
  }
}

/** The writes of one operation. */
const recordWrites = (accountId: string, operation: Operation, now: Date): readonly Write[] => {
  const storage = operation.type.records!;
  const { partition, codec } = storage;
  const further = storage.additionalWrites?.(accountId, operation, now) ?? [];
  if (operation.kind === 'destroy') return [{ delete: recordKey(accountId, partition, operation.from.id) }, ...further];
  const { record } = operation;
  const put = { put: { ...recordKey(accountId, partition, record.id), ...codec.encode(record) } };
  return [put, ...operation.additionalWrites ?? [], ...further];
};

/** The writes for items that several operations of a transaction change. */
const sharedWrites = (accountId: string, operations: readonly Operation[]): readonly Write[] =>
  [...Map.groupBy(operations, ({ type }) => type)].flatMap(([type, each]) => type.records!.transactionWrites?.(accountId, each) ?? []);

/** The part of an operation that the log item has. */
const loggedPart = (operation: Operation): readonly object[] =>
  (operation.kind === 'create' ? [operation.record] : operation.kind === 'update' ? [operation.record, operation.from] : [operation.from]);

/** The number of operations, from the first one on, that fit into one transaction. @param furtherWrites those besides. */
export const operationsThatFit = (accountId: string, operations: readonly Operation[], furtherWrites: number): number => {
  let writes = furtherWrites;
  let logBytes = 0;
  let itemBytes = 0;
  const end = operations.findIndex((operation) => {
    const own = recordWrites(accountId, operation, new Date(0));
    writes += own.length + sharedWrites(accountId, [operation]).length;
    logBytes += JSON.stringify(loggedPart(operation)).length;
    itemBytes += Buffer.byteLength(JSON.stringify(own));
    return writes > maxWritesPerCommit || logBytes > maxLogBytesPerCommit || itemBytes > maxItemBytesPerCommit;
  });
  return end < 0 ? operations.length : Math.max(1, end);
};

/** Splits off the work of the next transaction. */
const splitTransaction = (
  { accountId }: AccountIndex, { operations, additionalWrites }: CommitWork,
): [first: CommitWork, rest: CommitWork] => {
  const count = operationsThatFit(accountId, operations, additionalWrites.length);
  return [{ operations: operations.slice(0, count), additionalWrites }, { operations: operations.slice(count), additionalWrites: [] }];
};

type MutableChanges = { -readonly [list in keyof TypeChanges]: TypeChanges[list][number][] };

/** The changes that the operations make, by type, as a log entry has them. */
const changesByType = (operations: readonly Operation[]): LogEntry['changes'] => {
  const changes: Record<string, MutableChanges> = {};
  for (const operation of operations) {
    const { name, records } = operation.type;
    const { created, updated, destroyed } = changes[name] ??= { created: [], updated: [], destroyed: [] };
    if (operation.kind === 'create') {
      created.push(operation.record);
      continue;
    }
    const before = records!.before?.(operation.from, operation.kind === 'update' ? operation.record : undefined);
    const kept = before && { before };
    if (operation.kind === 'update') updated.push({ record: operation.record, ...kept });
    else destroyed.push({ id: operation.from.id, ...kept });
  }
  return changes;
};

/** The head after a commit on top of it. */
const headAfter = (
  types: StoredTypes, head: Head, entry: LogEntry, operations: readonly Operation[], indexes: Indexes | undefined,
): Head => {
  const byType = Map.groupBy(operations, ({ type }) => type);
  const fields = [...byType].map(([type, each]) => type.records!.headFields?.(head, each, indexes));
  return {
    ...head, ...Object.assign({}, ...fields) as Partial<Head>, sequence: entry.sequence, states: statesAfter(types, head.states, entry),
  };
};

/**
 * A commit on top of a head: its log entry, the head after it, and the writes of the log item and the records.
 * @param indexes the account before the commit; undefined when it is not in memory.
 */
export const prepareCommit = (
  types: StoredTypes, accountId: string, head: Head, operations: readonly Operation[],
  { writerId, now, indexes }: { readonly writerId: string; readonly now: Date; readonly indexes?: Indexes },
): { readonly entry: LogEntry; readonly next: Head; readonly writes: readonly Write[] } => {
  const entry: LogEntry = { sequence: head.sequence + 1, at: now.getTime(), writerId, changes: changesByType(operations) };
  const logItem = encodeLogEntry(types, accountId, entry);
  return {
    entry,
    next: { ...headAfter(types, head, entry, operations, indexes), logBytes: head.logBytes + Buffer.byteLength(JSON.stringify(logItem)) },
    writes: [
      { put: logItem },
      ...operations.flatMap((operation) => recordWrites(accountId, operation, now)),
      ...sharedWrites(accountId, operations),
    ],
  };
};

/** Replaces the head, on the condition that no other commit has replaced it and that no references were removed. */
export const replaceHead = (accountId: string, head: Head, next: Head): Write =>
  ({ update: headKey(accountId), set: headAttributes(next), if: { equals: commitBase(head) } });

/**
 * The outcome of a transaction. `unconfirmed`: another commit was first, or the response was lost; the log tells which.
 * `refused`: a condition of a record's writes did not hold. The error: a condition of an additional write.
 */
type TransactionOutcome = 'written' | 'unconfirmed' | 'refused' | WriteRefused;

/**
 * Writes one transaction and applies it to the index: the head (on the condition that no other commit changed it), the
 * log item, the records and the additional writes.
 * @throws ConditionRefused for a write that was refused before at the same head.
 */
const transactionWriter = ({ table, clock }: CommitContext, lost: LostResponses) => {
  let refused: { readonly base: CommitBase; readonly writes: readonly Write[] } | undefined;
  const outcomeOf = (error: WriteRefused, own: readonly Write[], head: Head): TransactionOutcome => {
    const { failed, contended } = error;
    // Index 0 is the head.
    if (failed.length === 0 || failed.includes(0)) return 'unconfirmed';
    const ownFailed = failed.filter((index) => index < own.length);
    if (ownFailed.length === 0) return contended ? 'unconfirmed' : new WriteRefused(failed.map((index) => index - own.length), false);
    refused = { base: commitBase(head), writes: ownFailed.map((index) => own[index]!) };
    return 'refused';
  };
  return async (
    account: AccountIndex, { operations, additionalWrites }: CommitWork, writerId: string,
  ): Promise<TransactionOutcome> => {
    const { accountId, head, types } = account;
    const { entry, next, writes } = prepareCommit(types, accountId, head, operations, { writerId, now: clock(), indexes: account });
    const own = [replaceHead(accountId, head, next), ...writes];
    if (refused && hasCommitBase(head, refused.base) && refused.writes.some((each) => own.some((write) => isDeepStrictEqual(write, each)))) {
      throw new ConditionRefused();
    }
    try {
      await table.write([...own, ...additionalWrites]);
    } catch (error) {
      if (error instanceof WriteRefused) return outcomeOf(error, own, head);
      lost.add(error, head);
      return 'unconfirmed';
    }
    lost.resolve(next);
    try {
      account.applyCommits([entry], next);
    } catch {
      // The commit is written. The index is not consistent any more, so the caller opens the account again.
    }
    return 'written';
  };
};

import { conflict, retryOnConflict } from '../../storage/retry-on-conflict.ts';
import { findItemIn, WriteRefused, type FindItem, type Item, type Key, type Write } from '../../storage/table.ts';
import { operationsThatFit, prepareCommit, replaceHead, type StoreContext } from '../../account-index/commit.ts';
import { decodeHead, type Head } from '../../account-log/head.ts';
import { headKey, logKey, recordKey } from '../../account-log/keys.ts';
import type { StoredRecord } from '../../account-log/log-entry.ts';
import { decodeLogEntry } from '../../account-log/log-item.ts';
import type { RecordChanges } from '../../account-index/account-view.ts';
import type { FoundRecords, PlanRecordCommit, RecordCommit, RecordCommitOutcome, RecordName } from './mail-store.ts';
import { isSameRecord } from '../../account-log/records/merge-records.ts';
import type { Operation, StoredType } from '../../account-log/records/stored-type.ts';

/** Lost responses of one commit before it fails. */
const maxLostResponses = 2;
/** Writes of one transaction (DynamoDB's limit). */
const maxWrites = 100;

/** Commits changes of named records without the accounts' indexes: {@link RecordStore.commitRecords}. */
export const commitRecords = (
  parts: StoreContext, named: readonly RecordName[], plan: PlanRecordCommit,
): Promise<RecordCommitOutcome> => {
  const attempts = new RecordCommitAttempts(parts, named, plan);
  return retryOnConflict(() => attempts.attempt(), parts.pause).then((outcome) => {
    if (outcome instanceof WriteRefused) throw outcome;
    return outcome;
  });
};

/** The operations of a commit on one account. */
type AccountCommit = { readonly accountId: string; readonly head: Head; readonly operations: readonly Operation[] };

/** The attempts of one record commit. */
class RecordCommitAttempts {
  readonly #parts: StoreContext;
  readonly #named: readonly RecordName[];
  readonly #plan: PlanRecordCommit;
  readonly #writerId: string;
  /** The keys of log items that were written with a lost response: each of them exists if its transaction was made. */
  readonly #unconfirmed: Key[] = [];

  constructor(parts: StoreContext, named: readonly RecordName[], plan: PlanRecordCommit) {
    this.#parts = parts;
    this.#named = named;
    this.#plan = plan;
    this.#writerId = parts.newId();
  }

  /** @returns a WriteRefused when a condition of an additional write does not hold. */
  async attempt(): Promise<RecordCommitOutcome | WriteRefused | typeof conflict> {
    const accountIds = [...new Set(this.#named.map(({ accountId }) => accountId))];
    const heads = await this.#readItems(accountIds.map(headKey));
    // After the heads: a record or a log item that is newer than its head makes the transaction fail on the head.
    const records = await this.#readItems([...this.#named.map(recordKeyOf), ...this.#unconfirmed]);
    if (this.#unconfirmed.some((key) => this.#isOwnLogItem(records(key)))) return 'committed';
    const commit = await this.#plan(this.#foundRecords(heads, records));
    const { additionalWrites = [] } = commit ?? {};
    const changes = this.#accountCommits(commit, heads, records);
    if (changes.length === 0) {
      if (additionalWrites.length > 0) throw new Error('a record commit has additional writes but changes no record');
      return 'unchanged';
    }
    return this.#write(changes, additionalWrites);
  }

  async #readItems(keys: readonly Key[]): Promise<FindItem> {
    return findItemIn(keys.length > 0 ? await this.#parts.table.batchGet(keys) : []);
  }

  #isOwnLogItem(item: Item | undefined): boolean {
    return item !== undefined && decodeLogEntry(this.#parts.types, item).writerId === this.#writerId;
  }

  #foundRecords(heads: FindItem, records: FindItem): FoundRecords {
    return {
      hasAccount: (accountId) => heads(headKey(accountId)) !== undefined,
      get: (accountId, type, id) => {
        const name = this.#named.find((each) => each.accountId === accountId && each.type.name === type.name && each.id === id);
        if (!name) throw new Error(`${type.name} ${id} was not named`);
        const item = records(recordKeyOf(name));
        return item && type.records!.codec.decode(id, item);
      },
    };
  }

  #accountCommits(
    commit: RecordCommit | undefined, heads: FindItem, records: FindItem,
  ): readonly AccountCommit[] {
    const found = this.#foundRecords(heads, records);
    return Object.entries(commit?.accounts ?? {}).flatMap(([accountId, changes]) => {
      const head = heads(headKey(accountId));
      if (!head) throw new Error('the account does not exist');
      // In the order of the registry, as every commit has them.
      const operations = [...this.#parts.types.values()].flatMap((type) =>
        (changes[type.name] ? recordOperations(type, changes[type.name]!, (id) => found.get(accountId, type, id)) : []));
      return operations.length > 0 ? [{ accountId, head: decodeHead(head), operations }] : [];
    });
  }

  async #write(
    changes: readonly AccountCommit[], additionalWrites: readonly Write[],
  ): Promise<RecordCommitOutcome | WriteRefused | typeof conflict> {
    const { table, types, clock } = this.#parts;
    const own = changes.flatMap(({ accountId, head, operations }) => {
      if (operationsThatFit(accountId, operations, 0) < operations.length) throw new RangeError('a record commit exceeds one log item');
      const { next, writes } = prepareCommit(types, accountId, head, operations, { writerId: this.#writerId, now: clock() });
      return [replaceHead(accountId, head, next), ...writes];
    });
    if (own.length + additionalWrites.length > maxWrites) throw new RangeError('a record commit exceeds one transaction');
    try {
      await table.write([...own, ...additionalWrites]);
      return 'committed';
    } catch (error) {
      if (!(error instanceof WriteRefused)) {
        if (this.#unconfirmed.length === maxLostResponses) throw error;
        this.#unconfirmed.push(logKey(changes[0]!.accountId, changes[0]!.head.sequence + 1));
      } else if (!error.contended && error.failed.length > 0 && error.failed.every((index) => index >= own.length)) {
        return new WriteRefused(error.failed.map((index) => index - own.length), false);
      }
      return conflict;
    }
  }
}

const recordKeyOf = ({ accountId, type, id }: RecordName): Key => recordKey(accountId, type.records!.partition, id);

/** The operations of one type. Those that change nothing are omitted. */
const recordOperations = (
  type: StoredType, { put = [], destroy = [] }: RecordChanges, find: (id: string) => StoredRecord | undefined,
): readonly Operation[] => {
  assertIndependent(type);
  return [
    ...put.flatMap((record): Operation[] => {
      const from = find(record.id);
      if (!from) return [{ type, kind: 'create', record }];
      return isSameRecord(record, from) ? [] : [{ type, kind: 'update', record, from }];
    }),
    ...destroy.flatMap((id): Operation[] => {
      const from = find(id);
      return from ? [{ type, kind: 'destroy', from }] : [];
    }),
  ];
};

/** @throws Error for a type with rules over several records, which only a commit with the account's index can judge. */
const assertIndependent = ({ name, records }: StoredType): void => {
  if (!records || records.prepare || records.normalize || records.checkDestroy) {
    throw new Error(`a commit of ${name} records needs the account's index`);
  }
};

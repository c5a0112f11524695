import type { Write } from '../storage/table.ts';
import type { Head } from './head.ts';
import { recordKey } from './keys.ts';
import type { LogEntry, TypeChanges } from './log-entry.ts';
import { encodeLogEntry, statesAfter } from './log-item.ts';
import type { CommitContext, Indexes, Operation, StoredTypes } from './records/stored-type.ts';

/** Maximum writes of one transaction (DynamoDB's limit) without the head and the log item. */
const maxWritesPerCommit = 98;
/** Maximum octets of the changes in one log item: well below DynamoDB's 400 KB an item. */
const maxLogBytesPerCommit = 256 * 1024;
/**
 * Maximum octets of the records' items in one transaction, as JSON. DynamoDB's limit is 4 MB, with the head and the log
 * item.
 */
const maxItemBytesPerCommit = 3_500_000;

/** The writes of one operation. */
const recordWrites = (accountId: string, operation: Operation, context: CommitContext): readonly Write[] => {
  const storage = operation.type.records!;
  const { partition, codec } = storage;
  const further = storage.additionalWrites?.(accountId, operation, context) ?? [];
  if (operation.kind === 'destroy') return [{ delete: recordKey(accountId, partition, operation.from.id) }, ...further];
  const { record } = operation;
  const put = { put: { ...recordKey(accountId, partition, record.id), ...codec.encode(record) } };
  return [put, ...(operation.additionalWrites ?? []), ...further];
};

/** The writes for items that several operations of a transaction change. */
const sharedWrites = (accountId: string, operations: readonly Operation[], context: CommitContext): readonly Write[] =>
  [...Map.groupBy(operations, ({ type }) => type)].flatMap(([type, each]) => type.records!.transactionWrites?.(accountId, each, context) ?? []);

/** The attributes of an operation that are in the log item. */
const loggedPart = (operation: Operation): readonly object[] =>
  operation.kind === 'create' ? [operation.record] : operation.kind === 'update' ? [operation.record, operation.from] : [operation.from];

/** A commit with the most writes, used to count writes. */
const countedCommit: CommitContext = { sequence: 0, now: new Date(0), recoverableSeconds: 1 };

/**
 * The number of operations, from the first one, that fit into one transaction.
 * @param furtherWrites the number of other writes in the transaction.
 */
export const operationsThatFit = (accountId: string, operations: readonly Operation[], furtherWrites: number): number => {
  let writes = furtherWrites;
  let logBytes = 0;
  let itemBytes = 0;
  const end = operations.findIndex((operation, index) => {
    const own = recordWrites(accountId, operation, countedCommit);
    writes += own.length;
    logBytes += JSON.stringify(loggedPart(operation)).length;
    itemBytes += Buffer.byteLength(JSON.stringify(own));
    const shared = sharedWrites(accountId, operations.slice(0, index + 1), countedCommit).length;
    return writes + shared > maxWritesPerCommit || logBytes > maxLogBytesPerCommit || itemBytes > maxItemBytesPerCommit;
  });
  return end < 0 ? operations.length : Math.max(1, end);
};

type MutableChanges = { -readonly [list in keyof TypeChanges]: TypeChanges[list][number][] };

/** The changes that the operations make, by type, in the form of a log entry. */
const changesByType = (operations: readonly Operation[], context: CommitContext): LogEntry['changes'] => {
  const changes: Record<string, MutableChanges> = {};
  for (const operation of operations) {
    const { name, records } = operation.type;
    const { created, updated, destroyed } = (changes[name] ??= { created: [], updated: [], destroyed: [] });
    if (operation.kind === 'create') {
      created.push(operation.record);
      continue;
    }
    const before = records!.before?.(operation.from, operation.kind === 'update' ? operation.record : undefined, context);
    const kept = before && { before };
    if (operation.kind === 'update') updated.push({ record: operation.record, ...kept });
    else destroyed.push({ id: operation.from.id, ...kept });
  }
  return changes;
};

/** The head after a commit. */
const headAfter = (types: StoredTypes, head: Head, entry: LogEntry, operations: readonly Operation[], indexes: Indexes | undefined): Head => {
  const byType = Map.groupBy(operations, ({ type }) => type);
  const fields = [...byType].map(([type, each]) => type.records!.headFields?.(head, each, indexes));
  const changed: Partial<Head> = Object.assign({}, ...fields);
  return { ...head, ...changed, sequence: entry.sequence, states: statesAfter(types, head.states, entry) };
};

/**
 * A commit on top of a head: its log entry, the head after it, and the writes of the log item and the records.
 * @param indexes the account before the commit; undefined when it is not in memory.
 */
export const prepareCommit = (
  types: StoredTypes,
  accountId: string,
  head: Head,
  operations: readonly Operation[],
  { writerId, indexes, ...origin }: { readonly writerId: string; readonly indexes?: Indexes } & Omit<CommitContext, 'sequence'>,
): { readonly entry: LogEntry; readonly next: Head; readonly writes: readonly Write[] } => {
  const context: CommitContext = { ...origin, sequence: head.sequence + 1 };
  const entry: LogEntry = { sequence: context.sequence, at: context.now.getTime(), writerId, changes: changesByType(operations, context) };
  const logItem = encodeLogEntry(types, accountId, entry);
  return {
    entry,
    next: { ...headAfter(types, head, entry, operations, indexes), logBytes: head.logBytes + Buffer.byteLength(JSON.stringify(logItem)) },
    writes: [
      { put: logItem },
      ...operations.flatMap((operation) => recordWrites(accountId, operation, context)),
      ...sharedWrites(accountId, operations, context),
    ],
  };
};

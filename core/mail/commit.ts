import type { Clock } from '../runtime/clock.ts';
import { StoreConflict } from '../runtime/domain-errors.ts';
import { conflict, retryOnConflict, type Pause } from '../storage/retry-on-conflict.ts';
import { WriteRefused, type Table, type Write } from '../storage/table.ts';
import { headAfter, type AccountIndex } from './account-index.ts';
import { changedHead, type Head } from './head.ts';
import { isUnread } from './email/interned-sets.ts';
import { headKey, mailboxKey, rowKey } from './keys.ts';
import { emptyEntry, encodeEntry, type LogEntry } from './log.ts';
import type { AccountView, Commit } from './mail-store.ts';
import { carriedOver, operationsOf, type Operation } from './commit-operations.ts';
import { mailboxItem, rowItem, tombstoneItem } from './rows.ts';

export type CommitParts = {
  readonly table: Table;
  readonly now: Clock;
  readonly newId: () => string;
  readonly pause: Pause;
  /** The account moved along to its newest commit, with the log since this one in memory. */
  readonly reopen: (index: AccountIndex) => Promise<AccountIndex>;
};

/** Writes of one transaction (DynamoDB's limit) but for the head and the log item; and octets of one log item, well under an item's 400 KB. */
const writesPerCommit = 98;
const logBytesPerCommit = 256 * 1024;

/** Commits what `plan` makes of the newest view; see the port. */
export const commitPlan = async (parts: CommitParts, opened: AccountIndex, plan: (view: AccountView) => Commit | undefined): Promise<AccountIndex> => {
  let index = opened;
  /** Set by a write that was refused or whose answer was lost: what would be left if it did happen. */
  let doubtful: readonly Operation[] | undefined;
  /** What is left to do; undefined: to be planned. */
  let left: readonly Operation[] | undefined;
  let isUnderWay = false;
  let by = parts.newId();
  const write = writer(parts);
  return retryOnConflict(async () => {
    if (doubtful) {
      index = await parts.reopen(index);
      if (index.tail.some((entry) => entry.by === by)) [left, isUnderWay, by] = [doubtful, true, parts.newId()];
      left = isUnderWay ? carried(left!, index) : undefined;
      doubtful = undefined;
    }
    for (;;) {
      left ??= planned(index, plan);
      const [first, rest] = split(left);
      if (first.length === 0) return index;
      if (!await write(index, first, by)) {
        doubtful = rest;
        return conflict;
      }
      [left, isUnderWay, by] = [rest, true, parts.newId()];
    }
  }, parts.pause);
};

const planned = (index: AccountIndex, plan: (view: AccountView) => Commit | undefined): readonly Operation[] => {
  const view = index.view();
  const commit = plan(view);
  return commit ? operationsOf(view, commit) : [];
};

const carried = (operations: readonly Operation[], index: AccountIndex): Operation[] => operations.flatMap((operation) => {
  const left = carriedOver(operation, index);
  if (left === 'blocked') throw new StoreConflict('mail came into a mailbox while it was being destroyed');
  return left ?? [];
});

/** The operations that fit one transaction, and the rest. */
const split = (operations: readonly Operation[]): [Operation[], Operation[]] => {
  let writes = 0;
  let bytes = 0;
  const end = operations.findIndex((operation) => {
    writes += 'destroy' in operation ? 2 : 1;
    bytes += JSON.stringify(operation).length;
    return writes > writesPerCommit || bytes > logBytesPerCommit;
  });
  const count = end < 0 ? operations.length : Math.max(1, end);
  return [operations.slice(0, count), operations.slice(count)];
};

const entryOf = (index: AccountIndex, operations: readonly Operation[], now: Date, by: string): LogEntry => {
  const puts = operations.flatMap((operation) => ('put' in operation ? [operation.put] : []));
  const destroyedMailboxes = operations.flatMap((operation) => ('destroyMailbox' in operation ? [operation.destroyMailbox] : []));
  const trashMoved = puts.some(({ id, role }) => (role === 'trash') !== (index.mailboxes.get(id)?.role === 'trash'))
    || destroyedMailboxes.some((id) => index.mailboxes.get(id)?.role === 'trash');
  return {
    ...emptyEntry,
    sequence: index.head.sequence + 1,
    at: now.getTime(),
    by,
    updated: operations.flatMap((operation) => ('update' in operation ? [updatedEmail(operation)] : [])),
    destroyed: operations.flatMap((operation) => ('destroy' in operation
      ? [{ id: operation.destroy.id, threadId: operation.destroy.threadId, was: operation.destroy.mailboxIds }] : [])),
    createdMailboxes: puts.filter(({ id }) => !index.mailboxes.has(id)),
    updatedMailboxes: puts.filter(({ id }) => index.mailboxes.has(id)),
    destroyedMailboxes,
    ...(trashMoved && { trashMoved }),
  };
};

const updatedEmail = ({ update, from }: Extract<Operation, { update: unknown }>) => {
  const counted = isUnread(update.keywords) !== isUnread(from.keywords) || update.mailboxIds.join(' ') !== from.mailboxIds.join(' ');
  return { row: update, ...(counted && { was: from.mailboxIds }) };
};

const headOf = (head: Head, entry: LogEntry, operations: readonly Operation[]): Head => {
  const gone = new Set([...entry.destroyedMailboxes, ...entry.updatedMailboxes.map(({ id }) => id)]);
  const roles = Object.fromEntries([
    ...Object.entries(head.roles).filter(([, id]) => !gone.has(id)),
    ...[...entry.createdMailboxes, ...entry.updatedMailboxes].flatMap(({ id, role }) => (role === null ? [] : [[role, id] as const])),
  ]);
  const freed = operations.reduce((sum, operation) => sum + ('destroy' in operation ? operation.destroy.size : 0), 0);
  return headAfter(head, entry, roles, head.bytes - freed);
};

/** Answers that may be lost before a write is given up. */
const lostAnswers = 2;

/**
 * Writes one commit (the head if nobody else has moved it, the log item, the records) and lets the index follow it.
 * Answers false when that was refused, and when nobody knows because the answer was lost: the log will tell.
 */
const writer = ({ table, now }: CommitParts) => {
  let lost = 0;
  return async (index: AccountIndex, operations: readonly Operation[], by: string): Promise<boolean> => {
    const { accountId, head } = index;
    const at = now();
    const entry = entryOf(index, operations, at, by);
    const next = headOf(head, entry, operations);
    try {
      await table.write([
        { update: headKey(accountId), set: changedHead(next), if: { equals: { sequence: head.sequence } } },
        { put: encodeEntry(accountId, entry) },
        ...operations.flatMap((operation) => recordWrites(accountId, operation, at)),
      ]);
    } catch (error) {
      if (!(error instanceof WriteRefused) && ++lost > lostAnswers) throw error;
      return false;
    }
    index.follow([entry], next);
    return true;
  };
};

const recordWrites = (accountId: string, operation: Operation, now: Date): Write[] => {
  if ('put' in operation) return [{ put: mailboxItem(accountId, operation.put) }];
  if ('update' in operation) return [{ put: rowItem(accountId, operation.update) }];
  if ('destroyMailbox' in operation) return [{ delete: mailboxKey(accountId, operation.destroyMailbox) }];
  return [{ delete: rowKey(accountId, operation.destroy.id) }, { put: tombstoneItem(accountId, operation.destroy.id, now) }];
};

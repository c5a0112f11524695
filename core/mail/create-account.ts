import type { Clock } from '../runtime/clock.ts';
import { conflict, retryOnConflict, type Pause } from '../storage/retry-on-conflict.ts';
import { WriteRefused, type Table, type Write } from '../storage/table.ts';
import { changesByType, headAfter, recordWrites } from './commit.ts';
import { encodeHead, type Head } from './head.ts';
import type { LogEntry } from './log-entry.ts';
import { encodeLogEntry } from './log.ts';
import type { Operation, StoredTypes } from './stored-type.ts';

export type AccountCreation = {
  readonly table: Table;
  readonly types: StoredTypes;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly pause: Pause;
};

/** The head of an account before its first commit. */
const emptyHead: Head = { sequence: 0, states: {}, lowWater: 0, roles: {}, bytes: 0 };

/** Writes the account's head and its first records as its first commit: {@link MailStore.createAccount}. */
export const createAccount = async (
  { table, types, clock, newId, pause }: AccountCreation, accountId: string, additionalWrites: readonly Write[],
): Promise<boolean> => {
  const operations = [...types.values()].flatMap((type): Operation[] =>
    (type.records?.initialRecords?.(newId) ?? []).map((record) => ({ type, kind: 'create', record })));
  const entry: LogEntry = { sequence: 1, at: clock().getTime(), writerId: newId(), changes: changesByType(operations) };
  const own: readonly Write[] = [
    { put: encodeHead(accountId, headAfter(types, emptyHead, entry, operations)), if: { absent: true } },
    { put: encodeLogEntry(types, accountId, entry) },
    ...operations.flatMap((operation) => recordWrites(accountId, operation, clock())),
  ];
  const outcome = await retryOnConflict(async () => {
    try {
      await table.write([...own, ...additionalWrites]);
      return true;
    } catch (error) {
      if (!(error instanceof WriteRefused)) throw error;
      if (error.contended) return conflict;
      return error.failed.includes(0) ? false : new WriteRefused(error.failed.map((index) => index - own.length), false);
    }
  }, pause);
  if (outcome instanceof WriteRefused) throw outcome;
  return outcome;
};

import { conflict, retryOnConflict } from '../../storage/retry-on-conflict.ts';
import { WriteRefused, type Write } from '../../storage/table.ts';
import { prepareCommit, type StoreContext } from '../../account-index/commit.ts';
import { encodeHead, type Head } from '../../account-log/head.ts';
import type { RecordStore } from './mail-store.ts';
import type { Operation } from '../../account-log/records/stored-type.ts';

/** The head of an account before its first commit. */
const emptyHead: Head = { sequence: 0, states: {}, lowWater: 0, roles: {}, bytes: 0, messages: 0, logBytes: 0 };

/** Writes the account's head and its first records as its first commit: {@link MailStore.createAccount}. */
export const createAccount = async (
  { table, types, clock, newId, pause }: StoreContext, accountId: string, additionalWrites: readonly Write[],
  furtherRecords: Parameters<RecordStore['createAccount']>[2] = {},
): Promise<boolean> => {
  const operations = [...types.values()].flatMap((type): Operation[] =>
    [...type.records?.initialRecords?.(newId) ?? [], ...furtherRecords[type.name] ?? []].map((record) => ({ type, kind: 'create', record })));
  const { next, writes } = prepareCommit(types, accountId, emptyHead, operations, { writerId: newId(), now: clock() });
  const own: readonly Write[] = [{ put: encodeHead(accountId, next), if: { absent: true } }, ...writes];
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

import { appendCommit, writersIn, type CommitDependencies } from '../../account-log/append-commit.ts';
import { headKey } from '../../account-log/keys.ts';
import type { Operation } from '../../account-log/records/stored-type.ts';
import { findItemIn, type Write } from '../../storage/table.ts';
import type { RecordStore } from './mail-store.ts';

/** Writes the account's head and its first records as its first commit: {@link MailStore.createAccount}. */
export const createAccount = (
  dependencies: CommitDependencies, accountId: string, additionalWrites: readonly Write[],
  furtherRecords: Parameters<RecordStore['createAccount']>[2] = {},
): Promise<boolean> => {
  const { table, types, newId } = dependencies;
  const operations = [...types.values()].flatMap((type): Operation[] =>
    [...type.records?.initialRecords?.(newId) ?? [], ...furtherRecords[type.name] ?? []].map((record) => ({ type, kind: 'create', record })));
  return appendCommit<boolean, boolean>(dependencies, {
    async read(last, logItems) {
      const find = findItemIn(last === 'none' ? [] : await table.batchGet([headKey(accountId), ...logItems]));
      return { state: find(headKey(accountId)) !== undefined, writerOf: writersIn(types, find) };
    },
    plan: (exists) => (exists
      ? { result: false }
      : { changes: [{ accountId, head: undefined, operations }], additionalWrites, made: () => ({ result: true }) }),
  });
};

import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeHead, headAttributes, type Head } from '../core/account-log/head.ts';
import { headKey, partitionOf } from '../core/account-log/keys.ts';
import { emailPartitions } from '../core/mail-types/email/email-content.ts';
import { parseSnapshotName } from '../core/account-index/snapshot/snapshot-name.ts';
import { mailStore } from '../core/mail-types/mail-store/table-mail-store.ts';
import type { Objects } from '../core/storage/objects.ts';
import type { Item, Table } from '../core/storage/table.ts';
import { newEmail } from '../test/support/email-fixtures.ts';
import { emailRow, rowItem } from './generated-mailbox.ts';
import { accountId } from './lambdas-in-memory.ts';

const letters = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';

/** 22 characters of an id. Ids of ascending numbers ascend, so that the rows of a page can be generated. */
const ascendingId = (number: number): string => {
  let id = '';
  for (let i = 3; i >= 0; i--) id += letters[number >>> (6 * i) & 63];
  for (let i = 0, state = number + 1; i < 18; i++) {
    state = Math.imul(state ^ state >>> 15, 0x2c1b3c6d) + 0x9e3779b9 | 0;
    id += letters[state >>> 26];
  }
  return id;
};

/** The times of the messages in another order than that of their ids, as in real mail. */
const receivedAt = (number: number, messages: number): number => Date.UTC(2021, 0, 1) + number * 7919 % messages * 600_000;

/**
 * A table whose partition of rows is generated when it is queried, so that a million rows are never in memory.
 * Everything else is in `table`.
 */
export const withGeneratedRows = (table: Table, messages: number, roles: Head['roles']): Table => {
  const rowOf = (number: number): Item => {
    const row = emailRow(number, roles, ascendingId);
    return rowItem(accountId, { ...row, receivedAt: receivedAt(number, messages) });
  };
  return {
    ...table,
    async query(query) {
      if (query.pk !== partitionOf(accountId, emailPartitions.row)) return table.query(query);
      let from = 0;
      const isAfter = (number: number) => query.after !== undefined && `M${ascendingId(number)}` <= query.after;
      for (let to = messages; from < to;) {
        const middle = (from + to) >>> 1;
        if (isAfter(middle)) from = middle + 1;
        else to = middle;
      }
      const length = Math.min(query.limit ?? messages, messages - from);
      const generated = Array.from({ length }, (_, i) => rowOf(from + i));
      // Rows that were written since sort after the generated ones, because their ids begin with another letter.
      return length < (query.limit ?? Infinity) ? [...generated, ...await table.query(query)] : generated;
    },
  };
};

/** Creates the account in the table as after years of deliveries with a trimmed log. @returns its Mailboxes by role. */
export const createLargeAccount = async (table: Table, messages: number): Promise<Head['roles']> => {
  let ids = 0;
  const store = mailStore({ table, newId: () => `id${String(++ids).padStart(20, '0')}` });
  await store.createAccount(accountId);
  const head = decodeHead((await table.get(headKey(accountId)))!);
  const sequence = head.sequence + messages;
  const states = Object.fromEntries(Object.keys(head.states).map((type) => [type, sequence]));
  const next = { ...head, sequence, states, logBytes: messages * 350 };
  await table.write([{ update: headKey(accountId), set: { ...headAttributes(next), lowWater: sequence } }]);
  return head.roles;
};

/** Delivers messages with the numbers after `after`, until they are this many octets of log. */
export const deliverLog = async (table: Table, octets: number, after = 0): Promise<void> => {
  const logBytes = async () => decodeHead((await table.get(headKey(accountId)))!).logBytes;
  const store = mailStore({ table });
  const start = await logBytes();
  for (let number = after + 1; await logBytes() - start < octets; number++) {
    const { record, ...email } = newEmail(number);
    await store.deliver(accountId, { ...email, record: { ...record, id: `Mz${String(number).padStart(21, '0')}` } });
  }
};

/** A bucket in a directory: reads and writes of whole objects and ranges, nothing else. */
export const fileObjects = (directory: string): Pick<Objects, 'get' | 'put' | 'list' | 'remove'> => {
  const path = (key: string) => join(directory, key.replaceAll('/', '_'));
  return {
    async get(key, range) {
      const { start, end } = range ?? { start: 0, end: 0 };
      const file = openSync(path(key), 'r');
      try {
        const bytes = Buffer.allocUnsafeSlow(end - start);
        const length = readSync(file, bytes, 0, bytes.length, start);
        return { bytes: bytes.subarray(0, length), size: parseSnapshotName(key.slice(key.lastIndexOf('/') + 1))!.octets };
      } finally {
        closeSync(file);
      }
    },
    async put(key, bytes) {
      writeFileSync(path(key), bytes);
    },
    list: async () => [],
    remove: async () => undefined,
  };
};

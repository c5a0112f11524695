import { accountOpener } from '../../../../core/account-index/account-opener.ts';
import { HeldEmailContents } from '../../../../core/mail/email/held-email-contents.ts';
import { storedTypes as types } from '../../../../core/mail/mail-store/stored-types.ts';
import { mailStore } from '../../../../core/mail/mail-store/table-mail-store.ts';
import type { Table } from '../../../../core/storage/table.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { newEmail } from '../../../support/email-fixtures.ts';

const account = 'acc_1';

/** An account with three Emails, and the sort keys of the records that are read from its table. */
const accountWithEmails = async () => {
  const table = memoryTable();
  const read: string[] = [];
  const watched: Table = {
    ...table,
    batchGet: (keys) => {
      read.push(...keys.map(({ sk }) => sk));
      return table.batchGet(keys);
    },
  };
  const store = mailStore({ table: watched });
  await store.createAccount(account);
  const emails = [1, 2, 3].map((number) => newEmail(number));
  for (const email of emails) await store.deliver(account, email);
  await store.open(account);
  read.length = 0;
  return { table, watched, store, read, ids: emails.map(({ content: record }) => record.id), records: emails.map(({ content: record }) => record) };
};

describe('records of Emails in memory', () => {
  test('are read once, in one batch with others', async () => {
    const { store, read, ids, records } = await accountWithEmails();
    expect([...(await store.emailContents(account, ids.slice(0, 2))).values()]).toEqual(records.slice(0, 2));
    expect(await store.emailContents(account, ids)).toEqual(new Map(ids.map((id, index) => [id, records[index]])));
    expect((await store.emailContents(account, [...ids, ...ids])).size).toBe(3);
    expect(read).toEqual(ids);
  });

  test('are omitted after another Lambda destroyed the Email, once the account is opened again', async () => {
    const { table, store, ids } = await accountWithEmails();
    await store.emailContents(account, ids);
    const other = mailStore({ table });
    await other.commit((await other.open(account))!, () => ({ records: { Email: { destroy: [ids[0]!] } } }));
    await store.open(account);
    expect([...(await store.emailContents(account, ids)).keys()]).toEqual(ids.slice(1));
  });

  test('are not used for another account, or for an account that is not in memory', async () => {
    const { table, read, store, ids } = await accountWithEmails();
    await store.createAccount('acc_2');
    await store.open('acc_2');
    await store.emailContents(account, ids);
    expect((await store.emailContents('acc_2', ids)).size).toBe(0);
    const cold = mailStore({ table });
    for (let i = 0; i < 2; i++) expect((await cold.emailContents(account, ids)).size).toBe(3);
    expect(read).toEqual([...ids, ...ids]);
  });

  test('are dropped beyond the limit, the least recently used first', async () => {
    const { watched, read, ids } = await accountWithEmails();
    const index = await accountOpener({ table: watched, types }).open(account);
    const whole = new HeldEmailContents();
    await whole.read(watched, account, ids, index);
    const [first, second, third] = ids as [string, string, string];
    for (const [limit, sequence, expected] of [
      [0, [[first], [first]], [first, first]],
      [1000, [[first], [second], [first], [third], [first], [second]], [first, second, third, second]],
    ] as const) {
      const held = new HeldEmailContents(limit);
      read.length = 0;
      for (const each of sequence) expect((await held.read(watched, account, each, index)).size).toBe(1);
      expect(read).toEqual(expected);
    }
  });
});

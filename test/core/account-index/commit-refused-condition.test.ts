import type { AccountView, Commit } from '../../../core/account-index/account-view.ts';
import { ConditionRefused, PartlyCommitted } from '../../../core/account-log/records/record-refused.ts';
import type { MailStore } from '../../../core/mail/mail-store/mail-store.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { mailboxesOf } from '../../../core/mail/mailbox/mailbox-record.ts';
import type { Table, Write } from '../../../core/storage/table.ts';
import { memoryTable } from '../../fakes/memory-table.ts';

const account = 'acc_1';
const item = { pk: 'other', sk: 'item' };
/** Number of Mailboxes that exceeds one transaction. */
const twoTransactions = 120;

let table: Table;
let store: MailStore;
let view: AccountView;
let sent: (readonly Write[])[];
beforeEach(async () => {
  table = memoryTable();
  const write = table.write.bind(table);
  table.write = async (writes) => {
    sent.push(writes);
    await write(writes);
  };
  sent = [];
  store = mailStore({ table, pause: async () => {} });
  await store.createAccount(account);
  view = (await store.open(account))!;
  sent.length = 0;
});

/** A Mailbox whose transaction also replaces the item, if the item has the expected version. */
const mailboxReplacing = (version: number, more: Partial<Commit> = {}): Commit => ({
  records: {
    Mailbox: { put: [mailbox('new')], additionalWrites: new Map([['new', [{ put: { ...item, version: version + 1 }, if: { equals: { version } } }]]]) },
  },
  ...more,
});
const mailbox = (id: string) => ({ id, name: id, parentId: null, role: null, sortOrder: 10, isSubscribed: true });

describe('a commit whose record has a write with a condition that does not hold', () => {
  test('is planned again from items that are read again', async () => {
    await table.write([{ put: { ...item, version: 2 } }]);
    let version = 1;
    const readAgain = async () => {
      version = (await table.get(item))!['version'] as number;
    };
    const after = await store.commit(view, () => mailboxReplacing(version, { readAgain }));
    expect([mailboxesOf(after).has('new'), (await table.get(item))!['version'], sent.length]).toEqual([true, 3, 3]);
  });

  test.each([
    ['nothing is read again', undefined],
    ['what is read again has not changed', async () => {}],
  ])('fails after one transaction when %s', async (_name, readAgain) => {
    await expect(store.commit(view, () => mailboxReplacing(1, { readAgain }))).rejects.toThrow(ConditionRefused);
    expect(sent).toHaveLength(1);
    expect(mailboxesOf((await store.open(account))!).has('new')).toBe(false);
  });

  test('fails as partly committed after one more transaction when a part of the commit was written', async () => {
    const put = Array.from({ length: twoTransactions }, (_, index) => mailbox(`m${index}`));
    const additionalWrites = new Map([[`m${twoTransactions - 1}`, [{ put: item, if: { present: true } } as const]]]);
    await expect(store.commit(view, () => ({ records: { Mailbox: { put, additionalWrites } } }))).rejects.toMatchObject({
      constructor: PartlyCommitted,
      cause: expect.any(ConditionRefused) as unknown,
      refused: [],
    });
    expect(sent).toHaveLength(2);
  });
});

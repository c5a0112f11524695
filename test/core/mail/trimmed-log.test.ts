import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { headKey, logKey } from '../../../core/mail/keys.ts';
import { mailStore } from '../../../core/mail/table-mail-store.ts';
import type { Table } from '../../../core/storage/table.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { mailCommit, emailId, newEmail } from '../../support/email-fixtures.ts';

const account = 'acc_1';

/** Trims the log as whoever does it must: the mark first, then the items at and below it. */
const trim = async (table: Table, upTo: number) => {
  await table.write([{ update: headKey(account), set: { lowWater: upTo } }]);
  for (let sequence = 1; sequence <= upTo; sequence++) await table.write([{ delete: logKey(account, sequence) }]);
};

describe('a log that was trimmed', () => {
  let table: Table;
  beforeEach(async () => {
    table = memoryTable();
    const store = mailStore({ table });
    await store.createAccount(account);
    for (let id = 1; id <= 5; id++) await store.deliver(account, newEmail(id));
  });

  it('answers states from the mark on, and none before it: never an empty list', async () => {
    await trim(table, 3);
    for (const since of [[], ['Email-1'], ['Email-2', 'Email-3'], ['Email-5']]) {
      const store = mailStore({ table });
      const view = (await store.open(account, since))!;
      expect(emailsOf(view).size).toBe(5);
      for (const type of ['Email', 'Mailbox', 'Thread'] as const) {
        for (const early of [0, 1, 2]) expect(await store.changes(view, type, `${type}-${early}`)).toBeUndefined();
        expect(await store.changes(view, type, view.state(type))).toBeDefined();
      }
      expect((await store.changes(view, 'Email', 'Email-3'))!.created).toEqual([3, 4, 5].map(emailId));
      expect((await store.changes(view, 'Email', 'Email-6'))!.created).toEqual([]);
    }
  });

  it('makes a Lambda read the rows again that was left behind the mark', async () => {
    const warm = mailStore({ table });
    const old = (await warm.open(account))!.state('Email');
    const other = mailStore({ table });
    await other.commit((await other.open(account))!, () => mailCommit({ destroyEmails: [emailId(1)] }));
    await other.deliver(account, newEmail(6));
    await trim(table, 8);
    const view = (await warm.open(account, [old]))!;
    expect(emailsOf(view).ids().toSorted()).toEqual([2, 3, 4, 5, 6].map(emailId));
    expect(await warm.changes(view, 'Email', old)).toBeUndefined();
    await other.deliver(account, newEmail(7));
    expect(emailsOf((await warm.open(account))!).size).toBe(6);
  });
});

describe('an account that is gone', () => {
  it('is gone for a Lambda that held it, and may be made anew', async () => {
    const table = memoryTable();
    const [warm, other] = [mailStore({ table }), mailStore({ table })];
    await other.createAccount(account);
    for (let id = 1; id <= 3; id++) await other.deliver(account, newEmail(id));
    expect(emailsOf((await warm.open(account))!).size).toBe(3);
    for (const kind of ['log', 'row', 'email', 'mailbox']) {
      for (const { pk, sk } of await table.query({ pk: `${account}#${kind}` })) await table.write([{ delete: { pk, sk } }]);
    }
    expect(await warm.open(account)).toBeUndefined();
    await other.createAccount(account);
    expect(emailsOf((await warm.open(account))!).size).toBe(0);
  });
});

describe('a long log', () => {
  it('is not kept in memory for ever, and can still be told from', async () => {
    const table = memoryTable();
    const store = mailStore({ table });
    await store.createAccount(account);
    await store.open(account);
    for (let id = 1; id <= 700; id++) await store.deliver(account, newEmail(id));
    for (let round = 0; round < 3; round++) {
      const view = (await store.open(account))!;
      expect((await store.changes(view, 'Email', 'Email-10'))!.created).toHaveLength(700 - 9);
      expect((await store.changes(view, 'Email', 'Email-690'))!.created).toHaveLength(11);
    }
  });
});

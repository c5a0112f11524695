import { headKey, logKey } from '../../../core/account-log/keys.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import type { Table } from '../../../core/storage/table.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { mailCommit, emailId, newEmail } from '../../support/email-fixtures.ts';
import { perTest } from '../../support/per-test.ts';

const account = 'acc_1';

/** Trims the log in the required order: first the low-water mark, then the items up to it. */
const trim = async (table: Table, upTo: number) => {
  await table.write([{ update: headKey(account), set: { lowWater: upTo } }]);
  for (let sequence = 1; sequence <= upTo; sequence++) await table.write([{ delete: logKey(account, sequence) }]);
};

describe('a trimmed log', () => {
  const table = perTest(() => memoryTable());
  beforeEach(async () => {
    const store = mailStore({ table });
    await store.createAccount(account);
    for (let id = 1; id <= 5; id++) await store.deliver(account, newEmail(id));
  });

  it('has changes since states at or after the low-water mark, and none since earlier states', async () => {
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

  it('makes a Lambda load the account again when its index is older than the low-water mark', async () => {
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

describe('a removed account', () => {
  it('no longer exists for a Lambda that had it in memory, and can be created again', async () => {
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
  it('is not kept in memory completely, and the changes since old states are still available', async () => {
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

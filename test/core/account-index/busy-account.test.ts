import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { contendedTable } from '../../support/contended-table.ts';
import { emailId, mailCommit, newEmail, withKeywords } from '../../support/email-fixtures.ts';

// Pauses and latencies use the timers that the test simulates.
jest.mock('node:timers/promises', () => ({
  setTimeout: (milliseconds: number) =>
    new Promise((resolve) => {
      setTimeout(resolve, milliseconds);
    }),
}));

const account = 'acc_1';
const range = (length: number) => Array.from({ length }, (_, index) => index);

describe('100 deliveries and 10 clients that write to one account at once', () => {
  // The time of the table's latencies and of the pauses is simulated, so that a busy machine changes nothing.
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  test('all succeed: every message is stored once, with the keywords of every client', async () => {
    const inMemory = memoryTable();
    const table = contendedTable(inMemory);
    const first = mailStore({ table: inMemory });
    await first.createAccount(account);
    await first.deliver(account, newEmail(1000));
    const deliveries = range(100).map((number) => mailStore({ table }).deliver(account, newEmail(number)));
    const clients = range(10).map(async (client) => {
      const store = mailStore({ table });
      for (const call of range(6)) {
        await store.commit((await store.open(account))!, (view) => {
          const row = emailsOf(view).get(emailId(1000))!;
          return mailCommit({ updateEmails: [withKeywords(row, ...row.keywords, `k${client}-${call}`)] });
        });
      }
    });
    const finished = Promise.allSettled([...deliveries, ...clients]);
    await jest.runAllTimersAsync();
    const outcomes = await finished;
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    const emails = emailsOf((await mailStore({ table: inMemory }).open(account))!);
    expect([emails.size, emails.get(emailId(1000))!.keywords.length]).toEqual([101, 60]);
  });
});

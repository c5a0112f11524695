import { emailsOf } from '../../core/mail-types/email/email-type.ts';
import { mailStore } from '../../core/mail-types/mail-store/table-mail-store.ts';
import { memoryTable } from '../../test/fakes/memory-table.ts';
import { contendedTable } from '../../test/support/contended-table.ts';
import { emailId, mailCommit, newEmail, withKeywords } from '../../test/support/email-fixtures.ts';

type Contention = {
  /** The fraction of commits that succeeded. */
  readonly success: number;
  /** The 99th percentile of the commits' durations in milliseconds, from the request to the end of the commit. */
  readonly p99: number;
};

const commitsOfEach = 20;

/**
 * Measures Lambdas that concurrently change the same Email, each by consecutive commits. The table has the latencies of
 * DynamoDB and refuses conflicting transactions.
 */
export const measureContention = async (writers: number): Promise<Contention> => {
  const inMemory = memoryTable();
  const table = contendedTable(inMemory);
  const first = mailStore({ table: inMemory });
  await first.createAccount('acc_1');
  await first.deliver('acc_1', newEmail(1));
  const times: number[] = [];
  await Promise.all(Array.from({ length: writers }, async (_, writer) => {
    const store = mailStore({ table });
    for (let count = 0; count < commitsOfEach; count++) {
      const began = performance.now();
      try {
        await store.commit((await store.open('acc_1'))!, (view) =>
          mailCommit({ updateEmails: [withKeywords(emailsOf(view).get(emailId(1))!, `k${writer}-${count}`)] }));
        times.push(performance.now() - began);
      } catch {
        // Not counted among the times; `success` tells.
      }
    }
  }));
  times.sort((a, b) => a - b);
  return { success: times.length / (writers * commitsOfEach), p99: times[Math.ceil(times.length * 0.99) - 1] ?? Infinity };
};

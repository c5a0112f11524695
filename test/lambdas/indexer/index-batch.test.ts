import { versionAttribute } from '../../../core/account-log/item-version.ts';
import { logKey } from '../../../core/account-log/keys.ts';
import { changesOf } from '../../../core/account-log/log-entry.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { storedTypes as types } from '../../../core/mail/mail-store/stored-types.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { indexBatch, type AccountCommits, type IndexerStep } from '../../../lambdas/indexer/index-batch.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { emailId, mailCommit, newEmail } from '../../support/email-fixtures.ts';
import { indexedMail } from '../../support/indexed-mail.ts';
import { streamedTable } from '../../support/table-stream.ts';

/** Creates two accounts with commits, and returns their stream records. */
const twoAccounts = async () => {
  const table = streamedTable(memoryTable());
  const store = mailStore({ table });
  for (const account of ['acc_1', 'acc_2']) {
    await store.createAccount(account);
    for (const id of [1, 2]) await store.deliver(account, newEmail(id));
  }
  await store.commit((await store.open('acc_1'))!, () => mailCommit({ destroyEmails: [emailId(1)] }));
  return { table, store };
};

const run = (records: Parameters<ReturnType<typeof indexBatch>>[0]['Records'], ...steps: IndexerStep[]) =>
  indexBatch({ types, steps, log: memoryLog() })({ Records: records });

describe('the indexer', () => {
  test('passes to each step the commits of each account in order, with the newest head', async () => {
    const { table } = await twoAccounts();
    const seen: AccountCommits[][] = [[], []];
    const steps = seen.map((list) => async (commits: AccountCommits) => {
      list.push(commits);
    });
    expect(await run(table.records, ...steps)).toEqual({ batchItemFailures: [] });
    for (const list of seen) {
      expect(list.map(({ accountId, entries, head }) => [accountId, entries.map(({ sequence }) => sequence), head?.sequence])).toEqual([
        ['acc_1', [1, 2, 3, 4], 4],
        ['acc_2', [1, 2, 3], 3],
      ]);
    }
    expect(changesOf(seen[0]![0]!.entries[3]!, { name: 'Email' }).destroyed.map(({ id }) => id)).toEqual([emailId(1)]);
  });

  test('reports the first record of an account whose step failed, after all other accounts were handled', async () => {
    const { table } = await twoAccounts();
    const handled: string[] = [];
    const response = await run(
      table.records,
      async ({ accountId }) => {
        if (accountId === 'acc_1') throw new Error('S3 is down');
      },
      async ({ accountId }) => {
        handled.push(accountId);
      },
    );
    const first = table.records.find(({ dynamodb }) => dynamodb?.Keys?.['pk']?.S === 'acc_1#log')!;
    expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: first.dynamodb!.SequenceNumber }] });
    expect(handled).toEqual(['acc_1', 'acc_2']);
  });

  test('reports commits that a newer release wrote, and handles those of other accounts', async () => {
    const { table } = await twoAccounts();
    table.records.length = 0;
    const store = mailStore({ table });
    await store.deliver('acc_1', newEmail(3));
    const log = table.records.find(({ dynamodb }) => dynamodb?.Keys?.['sk']?.S === logKey('acc_1', 5).sk)!;
    log.dynamodb!.NewImage![versionAttribute] = { N: '99' };
    await store.deliver('acc_2', newEmail(3));
    const handled: string[] = [];
    const { batchItemFailures } = await run(table.records, async ({ accountId }) => {
      handled.push(accountId);
    });
    expect(batchItemFailures).toHaveLength(1);
    expect(handled).toEqual(['acc_2']);
  });

  test('handles a batch without commits', async () => {
    expect(await run([])).toEqual({ batchItemFailures: [] });
  });
});

describe('the snapshot step', () => {
  const bounds = { commits: 10, logBytes: 1_000_000 };

  test('reads nothing of an account whose snapshot is not due', async () => {
    const mail = indexedMail({ bounds });
    await mail.fromRecords().createAccount('acc_1');
    let calls = 0;
    for (const method of ['get', 'query', 'batchGet'] as const) {
      const original = mail.table[method] as (argument: never) => Promise<never>;
      Object.assign(mail.table, {
        [method]: (argument: never) => {
          calls++;
          return original(argument);
        },
      });
    }
    const { records } = mail.table;
    await mail.index();
    expect(calls).toBe(0);
    expect(records).toHaveLength(0);
  });

  test('logs and counts a failure, does not make the stream repeat it, and tries again after more commits', async () => {
    const mail = indexedMail({ bounds });
    const store = mail.fromRecords();
    await store.createAccount('acc_1');
    for (let id = 1; id <= 20; id++) await store.deliver('acc_1', newEmail(id));
    const put = mail.objects.put.bind(mail.objects);
    let attempts = 0;
    mail.objects.put = () => {
      attempts++;
      return Promise.reject(new Error('AccessDenied'));
    };
    expect(await mail.index()).toBe(0);
    expect(mail.log.records.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'snapshot not written', details: { account_id: 'acc_1', FailedSnapshots: 1 } },
    ]);
    await store.deliver('acc_1', newEmail(21));
    await mail.index();
    expect(attempts).toBe(1);
    mail.objects.put = put;
    for (let id = 22; id <= 80; id++) await store.deliver('acc_1', newEmail(id));
    await mail.index();
    expect((await mail.head('acc_1')).snapshot).toBeDefined();
    expect(emailsOf((await mail.cold().open('acc_1'))!).size).toBe(80);
  });
});

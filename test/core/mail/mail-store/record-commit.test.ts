import * as fc from 'fast-check';
import { CommitUnconfirmed } from '../../../../core/account-log/records/record-refused.ts';
import type { StoredType } from '../../../../core/account-log/records/stored-type.ts';
import { emailsOf } from '../../../../core/mail/email/email-type.ts';
import type { MailStore } from '../../../../core/mail/mail-store/mail-store.ts';
import { mailStore } from '../../../../core/mail/mail-store/table-mail-store.ts';
import { ownQuotaOf, quotaType, type QuotaRecord } from '../../../../core/mail/quota/quota-type.ts';
import { StoreConflict } from '../../../../core/runtime/domain-errors.ts';
import type { Table } from '../../../../core/storage/table.ts';
import { faultyTable, LambdaCrashed, LostConnection, type Fault, type YieldTurn } from '../../../fakes/faulty-table.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { assertProperty } from '../../../support/assert-property.ts';
import { emailId, mailCommit, newEmail, withKeywords } from '../../../support/email-fixtures.ts';

const account = 'acc_1';
const named = [{ accountId: account, type: quotaType as unknown as StoredType, id: 'octets' }];

type Task = 'increment' | 'mark' | 'deliver';
type Outcome = { counted: number; attempted: number; readonly delivered: Set<string>; readonly other: Table };

/** Adds one to the record. The same transaction writes an item with the new number. */
const increment = (store: MailStore, { other }: Outcome) =>
  store.commitRecords(named, (found) => {
    const hardLimit = (found.get(account, quotaType, 'octets')?.hardLimit ?? 0) + 1;
    const put: QuotaRecord = { id: 'octets', hardLimit };
    return {
      accounts: { [account]: { Quota: { put: [put] } } },
      additionalWrites: [{ put: { pk: 'reached', sk: String(hardLimit).padStart(4, '0') }, if: { absent: true }, inTable: other.reference }],
    };
  });

const perform = async (store: MailStore, task: Task, tag: string, outcome: Outcome): Promise<void> => {
  if (task === 'increment') {
    outcome.attempted++;
    await increment(store, outcome);
    outcome.counted++;
  } else if (task === 'deliver') {
    if ((await store.deliver(account, newEmail(tag))) === 'delivered') outcome.delivered.add(emailId(tag));
  } else {
    await store.commit((await store.open(account))!, (view) => mailCommit({ updateEmails: [withKeywords(emailsOf(view).get(emailId('first'))!, tag)] }));
  }
};

/** Runs the tasks in a Lambda. After a crash, a new Lambda runs the remaining tasks. */
const runTasks = async (table: Table, tasks: readonly Task[], name: string, turn: YieldTurn, nextFault: () => Fault, outcome: Outcome) => {
  const start = () => {
    const own = faultyTable(table, turn, nextFault);
    return { own, store: mailStore({ table: own, pause: turn }) };
  };
  let lambda = start();
  for (const [index, task] of tasks.entries()) {
    try {
      await perform(lambda.store, task, `${name}${index}`, outcome);
    } catch (error) {
      const cause = error instanceof CommitUnconfirmed ? error.cause : error;
      if (!(cause instanceof LambdaCrashed || cause instanceof LostConnection || cause instanceof StoreConflict)) throw error;
      if (lambda.own.hasCrashed()) lambda = start();
    }
  }
};

describe('commits of named records that race with commits and deliveries, with lost responses and crashes', () => {
  test('are made once or not at all, together with their additional writes', async () => {
    const tasks = fc.array(fc.array(fc.constantFrom<Task>('increment', 'increment', 'mark', 'deliver'), { minLength: 1, maxLength: 5 }), {
      minLength: 2,
      maxLength: 4,
    });
    const faults = fc.array(fc.constantFrom<Fault>('none', 'none', 'none', 'contended', 'lost after', 'lost before', 'late', 'crash before', 'crash after'), {
      maxLength: 20,
      size: 'max',
    });
    await assertProperty(
      fc.asyncProperty(fc.scheduler(), tasks, faults, async (scheduler, lists, given) => {
        const table = memoryTable();
        const outcome: Outcome = { counted: 0, attempted: 0, delivered: new Set(), other: memoryTable() };
        const setup = mailStore({ table });
        await setup.createAccount(account);
        await setup.deliver(account, newEmail('first'));
        const turn = () => scheduler.schedule(Promise.resolve());
        let writes = 0;
        await scheduler.waitFor(
          Promise.all(lists.map((list, index) => runTasks(table, list, String.fromCodePoint(97 + index), turn, () => given[writes++] ?? 'none', outcome))),
        );
        await scheduler.waitIdle();
        const view = (await mailStore({ table }).open(account))!;
        const reached = ownQuotaOf(view).get('octets')?.hardLimit ?? 0;
        expect(reached).toBeGreaterThanOrEqual(outcome.counted);
        expect(reached).toBeLessThanOrEqual(outcome.attempted);
        expect(await outcome.other.query({ pk: 'reached' })).toHaveLength(reached);
        for (const id of outcome.delivered) expect(emailsOf(view).get(id)).toBeDefined();
      }),
      { numRuns: 100 },
    );
  });

  test('fail when responses are lost repeatedly', async () => {
    const table = memoryTable();
    await mailStore({ table }).createAccount(account);
    const store = mailStore({
      table: faultyTable(
        table,
        async () => {},
        () => 'lost before',
      ),
      pause: async () => {},
    });
    await expect(increment(store, { counted: 0, attempted: 0, delivered: new Set(), other: memoryTable() })).rejects.toThrow(LostConnection);
  });
});

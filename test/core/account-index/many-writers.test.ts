import * as fc from 'fast-check';
import type { AccountView, Commit } from '../../../core/account-index/account-view.ts';
import { decodeHead } from '../../../core/account-log/head.ts';
import { headKey } from '../../../core/account-log/keys.ts';
import { CommitUnconfirmed, PartlyCommitted } from '../../../core/account-log/records/record-refused.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import type { MailStore } from '../../../core/mail/mail-store/mail-store.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { mailboxesOf } from '../../../core/mail/mailbox/mailbox-record.ts';
import { StoreConflict } from '../../../core/runtime/domain-errors.ts';
import type { Table } from '../../../core/storage/table.ts';
import { LambdaCrashed, LostConnection, faultyTable, type Fault, type YieldTurn } from '../../fakes/faulty-table.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { assertProperty } from '../../support/assert-property.ts';
import { mailCommit, emailId, inMailboxes, newEmail, withKeywords } from '../../support/email-fixtures.ts';
import { replayChanges, recordsOf, recountMailboxes, type HeldRecords, type ReplayedType } from '../../support/replay-mail-changes.ts';
import { followQuery, queryResults, type QueryResults, type StoreQuery } from '../../support/replay-query-changes.ts';

const account = 'acc_1';
const types: readonly ReplayedType[] = ['Email', 'Mailbox', 'Thread'];

/** A task of a Lambda. `pick` chooses among the records that exist when the task runs. */
type Task =
  | { readonly do: 'deliver'; readonly message: number; readonly junk: boolean }
  | { readonly do: 'mark' | 'move' | 'destroy'; readonly pick: number; readonly count: number }
  | { readonly do: 'count' }
  | { readonly do: 'make mailbox' | 'rename mailbox' | 'destroy mailbox' | 'change trash'; readonly pick: number }
  | { readonly do: 'read' };

const task: fc.Arbitrary<Task> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('deliver' as const), message: fc.nat(15), junk: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('mark' as const, 'move' as const, 'destroy' as const),
      pick: fc.nat(1000),
      count: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('count' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('make mailbox' as const, 'rename mailbox' as const, 'destroy mailbox' as const, 'change trash' as const),
      pick: fc.nat(1000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('read' as const) }) },
);
const faultLists: fc.Arbitrary<Fault[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant('none' as const) },
    { weight: 3, arbitrary: fc.constantFrom<Fault>('contended', 'lost after', 'lost before', 'late', 'crash before', 'crash after') },
  ),
  { maxLength: 40, size: 'max' },
);

/** Queries whose results every history updates by /queryChanges. */
const queries: readonly StoreQuery[] = [
  { type: 'Email', args: { collapseThreads: true } },
  { type: 'Email', args: { filter: { notKeyword: '$seen' }, sort: [{ property: 'hasKeyword', keyword: 'k1' }, { property: 'receivedAt' }] } },
  { type: 'Email', args: { filter: { someInThreadHaveKeyword: 'k0' }, sort: [{ property: 'receivedAt' }] } },
  { type: 'Mailbox', args: { sortAsTree: true } },
];

const resultsIn = async (store: MailStore, view: AccountView): Promise<readonly QueryResults[]> =>
  Promise.all(queries.map((query) => queryResults(store, view, query)));

/** The recorded events of a run, to compare with the account at its end. */
type RunHistory = {
  readonly reads: { readonly read: AccountRead; readonly results: readonly QueryResults[] }[];
  /** For each message, the number of `delivered` outcomes, and the messages with any outcome. */
  readonly delivered: Map<string, number>;
  readonly accepted: Set<string>;
  /** The expected Thread of each message. */
  readonly threads: Map<string, number>;
  /** Emails that a plan destroyed; its commit may have failed. */
  readonly destroyed: Set<string>;
  /** Numbers of successful and of attempted commits of the task `count`. */
  counted: number;
  countAttempts: number;
};

const counterEmail = emailId('counter');
const countOf = (view: AccountView): number =>
  Number(
    emailsOf(view)
      .get(counterEmail)!
      .keywords.find((keyword) => /^\d+$/.test(keyword)) ?? 0,
  );

const pickSome = <T>(list: readonly T[], pick: number, count = 1): T[] => [
  ...new Set(Array.from({ length: Math.min(count, list.length) }, (_, i) => list[(pick + i * 7) % list.length]!)),
];

type Change = Exclude<Task, { do: 'deliver' | 'read' }>;
type Planner = (view: AccountView, todo: { readonly pick: number; readonly count: number }, tag: string, history: RunHistory) => Commit;

const otherEmails = (view: AccountView) =>
  emailsOf(view)
    .ids()
    .filter((id) => id !== counterEmail)
    .toSorted();
const sortedMailboxes = (view: AccountView) =>
  mailboxesOf(view)
    .all()
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));

const planners: Record<Change['do'], Planner> = {
  count: (view) => mailCommit({ updateEmails: [withKeywords(emailsOf(view).get(counterEmail)!, String(countOf(view) + 1))] }),
  mark: (view, { pick, count }) =>
    mailCommit({
      updateEmails: pickSome(otherEmails(view), pick, count).map((id, i) =>
        withKeywords(emailsOf(view).get(id)!, ...((pick + i) % 2 ? ['$seen'] : []), `k${pick % 3}`),
      ),
    }),
  move: (view, { pick, count }) =>
    mailCommit({
      updateEmails: pickSome(otherEmails(view), pick, count).map((id, i) =>
        inMailboxes(emailsOf(view).get(id)!, ...pickSome(sortedMailboxes(view), pick + i, 1 + (pick % 2)).map((mailbox) => mailbox.id)),
      ),
    }),
  destroy: (view, { pick, count }, _tag, history) => {
    const chosen = pickSome(otherEmails(view), pick, count);
    for (const id of chosen) history.destroyed.add(id);
    return mailCommit({ destroyEmails: chosen });
  },
  'make mailbox': (_view, _todo, tag) =>
    mailCommit({ putMailboxes: [{ id: `F${tag}`, name: tag, parentId: null, role: null, sortOrder: 10, isSubscribed: true }] }),
  'rename mailbox': (view, { pick }, tag) => mailCommit({ putMailboxes: pickSome(sortedMailboxes(view), pick).map((mailbox) => ({ ...mailbox, name: tag })) }),
  'destroy mailbox': (view, { pick }) => {
    const empty = sortedMailboxes(view).filter(({ id, role }) => role === null && emailsOf(view).counters(id).totalEmails === 0);
    return mailCommit({ destroyMailboxes: pickSome(empty, pick).map(({ id }) => id) });
  },
  'change trash': (view, { pick }) => {
    const trash = mailboxesOf(view)
      .all()
      .find(({ role }) => role === 'trash');
    const next = pickSome(
      sortedMailboxes(view).filter(({ role }) => role === null || role === 'trash'),
      pick,
    )[0]!;
    return mailCommit({ putMailboxes: [...(trash ? [{ ...trash, role: null }] : []), { ...next, role: 'trash' }] });
  },
};

const perform = async (store: MailStore, todo: Task, tag: string, history: RunHistory): Promise<void> => {
  if (todo.do === 'deliver') {
    const email = newEmail(todo.message, {
      subject: 'Plan',
      mailboxRole: todo.junk ? 'junk' : 'inbox',
      threadMessageIds: todo.message % 5 === 4 ? [] : [`${todo.message}@example.net`, `root-${todo.message % 2}@example.net`],
    });
    const outcome = await store.deliver(account, email);
    expect(outcome).not.toBe('unknown-account');
    if (outcome === 'delivered') history.delivered.set(email.content.id, (history.delivered.get(email.content.id) ?? 0) + 1);
    history.accepted.add(email.content.id);
    if (email.threadMessageIds.length > 0) history.threads.set(email.content.id, todo.message % 2);
    return;
  }
  const view = (await store.open(account))!;
  if (todo.do === 'read') {
    history.reads.push({ read: snapshot(view), results: await resultsIn(store, view) });
    return;
  }
  if (todo.do === 'count') history.countAttempts++;
  await store.commit(view, (newest) => planners[todo.do](newest, { pick: 0, count: 1, ...todo }, tag, history));
  if (todo.do === 'count') history.counted++;
};

type AccountRead = { readonly states: Record<ReplayedType, string>; readonly held: Record<ReplayedType, HeldRecords> };

const snapshot = (view: AccountView): AccountRead => ({
  states: { Email: view.state('Email'), Mailbox: view.state('Mailbox'), Thread: view.state('Thread') },
  held: { Email: recordsOf(view, 'Email'), Mailbox: recordsOf(view, 'Mailbox'), Thread: recordsOf(view, 'Thread') },
});

/** Runs tasks one after another in a Lambda. After a crash, a new Lambda runs the remaining tasks. */
const runTasks = async (
  table: Table,
  tasks: readonly Task[],
  name: string,
  turn: YieldTurn,
  nextFault: () => Fault,
  history: RunHistory,
): Promise<MailStore> => {
  const start = () => {
    const own = faultyTable(table, turn, nextFault);
    return { own, store: mailStore({ table: own, pause: turn }) };
  };
  let lambda = start();
  for (const [i, todo] of tasks.entries()) {
    try {
      await perform(lambda.store, todo, `${name}${i}`, history);
    } catch (error) {
      const cause = error instanceof CommitUnconfirmed ? error.cause : error;
      if (!(cause instanceof LambdaCrashed || cause instanceof LostConnection || cause instanceof StoreConflict)) throw error;
      // After any other error, nothing was changed.
      if (todo.do === 'count' && !(error instanceof CommitUnconfirmed || error instanceof PartlyCommitted)) history.countAttempts--;
      if (lambda.own.hasCrashed()) lambda = start();
    }
  }
  return lambda.own.hasCrashed() ? start().store : lambda.store;
};

const verify = async (table: Table, warm: readonly MailStore[], history: RunHistory, maxChanges: number): Promise<void> => {
  const store = mailStore({ table });
  const view = (await store.open(account))!;
  const now = snapshot(view);
  for (const other of warm) expect(snapshot((await other.open(account))!)).toEqual(now);

  const results = await resultsIn(store, view);
  for (const {
    read: { states, held },
    results: earlier,
  } of history.reads) {
    for (const [index, query] of queries.entries()) {
      expect(await followQuery(store, view, query, earlier[index]!)).toEqual(results[index]!.ids);
    }
    for (const type of types) {
      for (const max of [undefined, maxChanges]) {
        expect(await replayChanges(store, view, type, states[type], held[type], max)).toEqual(now.held[type]);
      }
    }
  }
  expect(
    new Map(
      mailboxesOf(view)
        .all()
        .map(({ id }) => [id, emailsOf(view).counters(id)]),
    ),
  ).toEqual(recountMailboxes(view));

  const records = await store.emailContents(account, emailsOf(view).ids());
  expect([...records.keys()].toSorted()).toEqual(emailsOf(view).ids().toSorted());
  for (const id of history.accepted) if (!history.destroyed.has(id)) expect(emailsOf(view).get(id)).toBeDefined();
  for (const times of history.delivered.values()) expect(times).toBe(1);
  const threadOf = new Map<number, string>();
  for (const id of emailsOf(view).ids()) {
    const thread = history.threads.get(id);
    if (thread === undefined) continue;
    expect(emailsOf(view).get(id)!.threadId).toBe(threadOf.get(thread) ?? emailsOf(view).get(id)!.threadId);
    threadOf.set(thread, emailsOf(view).get(id)!.threadId);
  }
  expect(countOf(view)).toBeGreaterThanOrEqual(history.counted);
  expect(countOf(view)).toBeLessThanOrEqual(history.countAttempts);
  const head = decodeHead((await table.get(headKey(account)))!);
  expect(head.bytes).toBe(
    emailsOf(view)
      .ids()
      .reduce((sum, id) => sum + emailsOf(view).get(id)!.size, 0),
  );
};

/** An account with the Email whose keyword is the counter, and the history of its start. */
const newAccount = async (messages: number) => {
  const table = memoryTable();
  const store = mailStore({ table });
  await store.createAccount(account);
  await store.deliver(account, newEmail('counter', { threadMessageIds: ['counter@example.net'] }));
  for (let message = 0; message < messages; message++) await store.deliver(account, newEmail(`first-${message}`));
  const view = (await store.open(account))!;
  const history: RunHistory = {
    reads: [{ read: snapshot(view), results: await resultsIn(store, view) }],
    delivered: new Map(),
    accepted: new Set(),
    threads: new Map(),
    destroyed: new Set(),
    counted: 0,
    countAttempts: 0,
  };
  return { table, history };
};

/**
 * Runs the tasks of several Lambdas at the same time, in an order that the scheduler chooses, and verifies the result.
 */
const run = async (scheduler: fc.Scheduler, messages: number, lists: readonly (readonly Task[])[], faults: readonly Fault[], maxChanges: number) => {
  const { table, history } = await newAccount(messages);
  const turn = () => scheduler.schedule(Promise.resolve());
  let writes = 0;
  const nextFault = () => faults[writes++] ?? 'none';
  const warm = await scheduler.waitFor(Promise.all(lists.map((tasks, i) => runTasks(table, tasks, String.fromCodePoint(97 + i), turn, nextFault, history))));
  await scheduler.waitIdle();
  await scheduler.waitFor(verify(table, warm, history, maxChanges));
};

describe('several Lambdas that write to one account at once, with conflicts, lost responses and crashes', () => {
  // @requirement 8620 §1.2 id-unique
  // @requirement 8620 §5.2 changes-order
  // @requirement 8620 §3.10 concurrency
  it('lose, duplicate and repeat nothing; counters are correct; /changes and /queryChanges lead from every state to the current one', async () => {
    const lists = fc.array(fc.array(task, { maxLength: 10, size: 'max' }), { minLength: 2, maxLength: 4 });
    const maxChangesValues = fc.integer({ min: 1, max: 5 });
    await assertProperty(
      fc.asyncProperty(fc.scheduler(), lists, faultLists, maxChangesValues, (scheduler, tasks, faults, maxChanges) =>
        run(scheduler, 3, tasks, faults, maxChanges),
      ),
      { numRuns: 60 },
    );
  });

  it('lose, duplicate and repeat nothing when commits exceed one transaction', async () => {
    const large: fc.Arbitrary<Task> = fc.record({
      do: fc.constantFrom('mark' as const, 'move' as const, 'destroy' as const),
      pick: fc.nat(1000),
      count: fc.constantFrom(50, 130),
    });
    const lists = fc.tuple(
      fc.array(large, { minLength: 1, maxLength: 3 }),
      fc.array(large, { minLength: 1, maxLength: 3 }),
      fc.array(task, { maxLength: 8, size: 'max' }),
    );
    await assertProperty(
      fc.asyncProperty(fc.scheduler(), lists, faultLists, (scheduler, tasks, faults) => run(scheduler, 130, tasks, faults, 40)),
      { numRuns: 20 },
    );
  });
});

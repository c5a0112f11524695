import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { accountId, openingRequest, type Call } from '../../../bench/fixtures/alice.ts';
import { emailRow } from '../../../bench/fixtures/generated-mailbox.ts';
import { EmailIndex } from '../../../core/mail/email/index/email-index.ts';
import { mailboxesOf } from '../../../core/mail/mailbox/mailbox-record.ts';
import { jmapLambda, tablesWithMessages, type JmapLambda } from '../fixtures/lambdas-in-memory.ts';
import { wireTable } from './wire-table.ts';

/** CPU time of this process, in microseconds. */
const cpu = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/**
 * CPU milliseconds of one run of `act`: the minimum of several batches, because disturbances only add time. Warm-up
 * runs let V8 compile the code first.
 */
export const cpuOf = async (act: () => Promise<unknown>, { warmUp, batches, runs }: { warmUp: number; batches: number; runs: number }): Promise<number> => {
  for (let i = 0; i < warmUp; i++) await act();
  const figures: number[] = [];
  for (let batch = 0; batch < batches; batch++) {
    const began = cpu();
    for (let i = 0; i < runs; i++) await act();
    figures.push((cpu() - began) / runs / 1000);
  }
  return Math.min(...figures);
};

/** CPU milliseconds of a warm opening request: handler, store and SDK, without the socket. */
export const openingRequestCpu = async (messages: number): Promise<number> => {
  const tables = await tablesWithMessages(messages);
  const jmap = jmapLambda(wireTable(tables.directory), wireTable(tables.mail));
  const view = (await jmapLambda(tables.directory, tables.mail).store.open(accountId))!;
  const calls = openingRequest(
    mailboxesOf(view)
      .all()
      .find(({ role }) => role === 'inbox')!.id,
  );
  await jmap.sendAndParse(...calls);
  return cpuOf(() => jmap.send(...calls), { warmUp: 200, batches: 9, runs: 20 });
};

/** Queries that use the index in different ways. */
const queries = (inMailbox: string): Record<string, object> => ({
  'all, newest first': { sort: [{ property: 'receivedAt', isAscending: false }] },
  'all, by size': { sort: [{ property: 'size', isAscending: true }] },
  'a mailbox, by sentAt': { filter: { inMailbox }, sort: [{ property: 'sentAt', isAscending: false }] },
  'unread of a mailbox': { filter: { inMailbox, notKeyword: '$seen' } },
  'NOT, OR, AND': {
    filter: {
      operator: 'AND',
      conditions: [
        { operator: 'NOT', conditions: [{ inMailbox }] },
        { operator: 'OR', conditions: [{ hasKeyword: '$flagged' }, { minSize: 30_000 }, { before: '2022-01-01T00:00:00Z' }] },
      ],
    },
  },
  'all, collapsed': { collapseThreads: true },
  'a mailbox, flagged threads first, collapsed': {
    filter: { inMailbox },
    collapseThreads: true,
    sort: [
      { property: 'someInThreadHaveKeyword', keyword: '$flagged', isAscending: false },
      { property: 'receivedAt', isAscending: false },
    ],
  },
  'all, threads without a keyword, by size, then a keyword': {
    filter: { operator: 'OR', conditions: [{ noneInThreadHaveKeyword: '$flagged' }, { allInThreadHaveKeyword: '$seen' }] },
    sort: [{ property: 'size' }, { property: 'hasKeyword', keyword: '$seen' }, { property: 'allInThreadHaveKeyword', keyword: '$seen' }],
  },
  'a mailbox, collapsed, from an anchor': { filter: { inMailbox }, collapseThreads: true, position: -10 },
});

/** The slowest of the queries as a warm Email/query with the total, and its CPU milliseconds. */
export const slowestQueryCpu = async (messages: number): Promise<{ readonly query: string; readonly cpu: number }> => {
  const tables = await tablesWithMessages(messages);
  return slowestQueryCpuOf(jmapLambda(tables.directory, tables.mail));
};

/** {@link slowestQueryCpu} for the account that this JMAP Lambda serves. */
export const slowestQueryCpuOf = async (jmap: JmapLambda): Promise<{ readonly query: string; readonly cpu: number }> => {
  const view = (await jmap.store.open(accountId))!;
  const figures: { query: string; cpu: number }[] = [];
  for (const [query, args] of Object.entries(
    queries(
      mailboxesOf(view)
        .all()
        .find(({ role }) => role === 'inbox')!.id,
    ),
  )) {
    const call: Call = ['Email/query', { accountId, limit: 50, calculateTotal: true, ...args }, 'a'];
    figures.push({ query, cpu: await cpuOf(() => jmap.send(call), { warmUp: 10, batches: 9, runs: 5 }) });
  }
  return figures.toSorted((a, b) => b.cpu - a.cpu)[0]!;
};

/**
 * Makes the index of this many messages and runs one query. The source rows can be garbage-collected when the function
 * returns.
 */
const indexOf = (messages: number): EmailIndex => {
  const roles = Object.fromEntries(['inbox', 'sent', 'trash', 'junk', 'archive'].map((role) => [role, `F${role}`]));
  const index = EmailIndex.of(
    Array.from({ length: messages }, (_, i) => emailRow(i, roles)),
    'Ftrash',
  );
  index.query({ inMailbox: 'Finbox' }, []);
  return index;
};

/**
 * Memory per message in octets: the additional memory of the process with an index of this many messages.
 */
export const memoryPerMessage = (messages: number): number => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const held = () => {
    for (let i = 0; i < 3; i++) collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const before = held();
  const index = indexOf(messages);
  const octets = held() - before;
  return octets / index.size;
};

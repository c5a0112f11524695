import assert from 'node:assert/strict';
import type { Call, Json, Response } from '../../support/jmap-lambda.ts';
import { applyChanges, countMailboxes, type ChangedIds, type HeldRecords } from '../../support/replay-mail-changes.ts';
import { replayQueryChanges, type QueryChanges } from '../../support/replay-query-changes.ts';
import { isReport, numberOf, rootOf, textSearches } from './history-messages.ts';

/* What a client reads of an account in one request, and what must hold for it. */

const replayedTypes = ['Email', 'Mailbox', 'Thread', 'EmailSubmission'] as const;
type ReplayedType = (typeof replayedTypes)[number];

/** A query whose results clients update by /queryChanges. */
type FollowedQuery = { readonly type: 'Email' | 'Mailbox'; readonly args: Json };

export const followedQueries = (inboxId: string): readonly FollowedQuery[] => [
  { type: 'Email', args: { filter: { inMailbox: inboxId }, sort: [{ property: 'receivedAt', isAscending: false }], collapseThreads: false } },
  { type: 'Email', args: { filter: null, sort: [{ property: 'receivedAt' }], collapseThreads: true } },
  {
    type: 'Email',
    args: {
      filter: { operator: 'OR', conditions: [{ notKeyword: '$seen' }, { someInThreadHaveKeyword: '$flagged' }] },
      sort: [{ property: 'someInThreadHaveKeyword', keyword: '$seen' }, { property: 'size' }],
      collapseThreads: false,
    },
  },
  { type: 'Email', args: { filter: { body: 'gamma' }, sort: [{ property: 'subject' }], collapseThreads: false } },
  { type: 'Mailbox', args: { filter: null, sort: [{ property: 'name' }], sortAsTree: true } },
];

export type AccountRead = {
  readonly accountId: string;
  readonly inboxId: string;
  readonly states: Readonly<Record<ReplayedType, string>>;
  readonly held: Readonly<Record<ReplayedType, HeldRecords>>;
  readonly emails: readonly Json[];
  readonly mailboxes: readonly Json[];
  readonly threads: readonly Json[];
  readonly used: Readonly<Record<string, number>>;
  readonly results: readonly { readonly queryState: string; readonly ids: readonly string[] }[];
  readonly found: readonly (readonly string[])[];
};

/**
 * Properties of EmailSubmissions that a Lambda has in memory. If the Email is destroyed in the meantime, its record
 * cannot be read.
 */
const submissionProperties = ['id', 'identityId', 'emailId', 'threadId', 'sendAt', 'undoStatus'];
const emailProperties = ['id', 'threadId', 'mailboxIds', 'keywords', 'size', 'receivedAt'];

/** The calls of one request that reads all data of an account. */
export const readCalls = (accountId: string, inboxId: string): readonly Call[] => [
  ['Email/get', { accountId, ids: null, properties: emailProperties }, 'Email'],
  ['Mailbox/get', { accountId, ids: null }, 'Mailbox'],
  ['Thread/get', { accountId, '#ids': { resultOf: 'Email', name: 'Email/get', path: '/list/*/threadId' } }, 'Thread'],
  ['EmailSubmission/get', { accountId, ids: null, properties: submissionProperties }, 'EmailSubmission'],
  ['Quota/get', { accountId, ids: null }, 'Quota'],
  ...followedQueries(inboxId).map(({ type, args }, index): Call => [`${type}/query`, { accountId, ...args }, `query ${index}`]),
  ...textSearches.map(({ filter }, index): Call => ['Email/query', { accountId, filter, sort: [{ property: 'receivedAt' }] }, `search ${index}`]),
];

/** The calls that read the changes since an earlier read. */
export const changesCalls = ({ accountId, inboxId, states, results }: AccountRead): readonly Call[] => [
  ...replayedTypes.map((type): Call => [`${type}/changes`, { accountId, sinceState: states[type] }, `${type} changes`]),
  ...followedQueries(inboxId).map(({ type, args }, index): Call => [
    `${type}/queryChanges`,
    { accountId, ...args, sinceQueryState: results[index]!.queryState },
    `query ${index} changes`,
  ]),
];

/** The arguments in the response to a call. */
export const responseOf = (responses: readonly Response[], callId: string): Json => responses.find(([, , id]) => id === callId)![1];

/** JSON in which the names of each object are sorted. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, each: unknown) =>
    each !== null && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );

const byType = <T>(valueOf: (type: ReplayedType) => T) => Object.fromEntries(replayedTypes.map((type) => [type, valueOf(type)])) as Record<ReplayedType, T>;

const heldRecords = (list: readonly Json[]): HeldRecords => new Map(list.map((record) => [record['id'] as string, canonical(record)]));
const sortedRecords = (list: readonly Json[]) => list.toSorted((one, other) => (one['id'] < other['id'] ? -1 : 1));

export const accountRead = (accountId: string, inboxId: string, responses: readonly Response[]): AccountRead => {
  const listOf = (callId: string) => sortedRecords(responseOf(responses, callId)['list'] as Json[]);
  const [emails, mailboxes] = [listOf('Email'), listOf('Mailbox')];
  const threads = [...new Map(listOf('Thread').map((thread) => [thread['id'] as string, thread])).values()];
  const stateOf = (type: ReplayedType) => responseOf(responses, type)['state'] as string;
  return {
    accountId,
    inboxId,
    emails,
    mailboxes,
    threads,
    states: byType(stateOf),
    held: { ...byType((type) => heldRecords(listOf(type))), Thread: heldRecords(threads) },
    used: Object.fromEntries(listOf('Quota').map(({ resourceType, used }) => [resourceType as string, used as number])),
    results: followedQueries(inboxId).map((_, index) => {
      const { queryState, ids } = responseOf(responses, `query ${index}`);
      return { queryState, ids };
    }),
    found: textSearches.map((_, index) => responseOf(responses, `search ${index}`)['ids'] as string[]),
  };
};

/** Ids of the Emails whose message meets the condition, by ascending receivedAt. The given emails are ordered by id. */
const scan = (emails: readonly Json[], matches: (number: number) => boolean): string[] =>
  emails
    .filter((email) => matches(numberOf(email)))
    .toSorted((one, other) => numberOf(one) - numberOf(other))
    .map(({ id }) => id as string);

/**
 * Checks a read.
 * @throws AssertionError when counters, Threads, Quotas, queries or searches do not match the Emails.
 */
export const checkRead = ({ emails, mailboxes, threads, used, results, found, inboxId }: AccountRead): void => {
  const rows = emails.map(({ threadId, mailboxIds, keywords }) => ({
    threadId: threadId as string,
    mailboxIds: Object.keys(mailboxIds as object),
    keywords: Object.keys(keywords as object),
  }));
  const counted = countMailboxes(mailboxes as { id: string; role: string | null }[], rows);
  for (const { id, name, totalEmails, unreadEmails, totalThreads, unreadThreads } of mailboxes) {
    assert.deepEqual({ totalEmails, unreadEmails, totalThreads, unreadThreads }, counted.get(id as string), `counters of the Mailbox ${name}`);
  }
  const mailboxIds = new Set(mailboxes.map(({ id }) => id as string));
  for (const row of rows) for (const id of row.mailboxIds) assert.ok(mailboxIds.has(id), `an Email is in the Mailbox ${id}, which does not exist`);
  const byTime = scan(emails, () => true);
  const emailIdsOf = (threadId: string) => byTime.filter((id) => emails.find((email) => email['id'] === id)!['threadId'] === threadId);
  for (const { id, emailIds } of threads) assert.deepEqual(emailIds, emailIdsOf(id as string), `the Emails of the Thread ${id}`);
  const threadOfRoot = new Map<string, string>();
  for (const email of emails) {
    const [root, threadId] = [rootOf(numberOf(email)), email['threadId'] as string];
    if (root === undefined || isReport(email)) continue;
    assert.equal(threadId, threadOfRoot.get(root) ?? threadId, `messages that refer to ${root} are in two Threads`);
    threadOfRoot.set(root, threadId);
  }
  assert.deepEqual(used, { octets: emails.reduce((sum, { size }) => sum + (size as number), 0), count: emails.length }, 'the use of quotas');
  const inInbox = emails.filter((email) => inboxId in (email['mailboxIds'] as object));
  assert.deepEqual(
    results[0]!.ids,
    inInbox.toSorted((one, other) => numberOf(other) - numberOf(one)).map(({ id }) => id as string),
    'the Emails of the inbox',
  );
  const reports = new Set(emails.filter(isReport).map(({ id }) => id as string));
  const messages = emails.filter((email) => !isReport(email));
  for (const [index, { filter, matches }] of textSearches.entries()) {
    assert.deepEqual(
      found[index]!.filter((id) => !reports.has(id)),
      scan(messages, matches),
      `the search of ${JSON.stringify(filter)}`,
    );
  }
};

/**
 * Applies the changes since an earlier read, and compares the result with a later read from the same request.
 * @param mayForget whether the log since the earlier read may be trimmed.
 */
export const checkChanges = (earlier: AccountRead, now: AccountRead, responses: readonly Response[], mayForget: boolean): void => {
  const isForgotten = (response: Json) => mayForget && response['type'] === 'cannotCalculateChanges';
  for (const type of replayedTypes) {
    const changes = responseOf(responses, `${type} changes`);
    if (isForgotten(changes)) continue;
    assert.equal(changes['newState'], now.states[type], `the new state of ${type}/changes: ${JSON.stringify(changes)}`);
    assert.deepEqual(
      applyChanges(earlier.held[type], now.held[type], changes as ChangedIds & Json),
      now.held[type],
      `${type}/changes since ${earlier.states[type]}`,
    );
  }
  for (const [index, { type, args }] of followedQueries(now.inboxId).entries()) {
    const changes = responseOf(responses, `query ${index} changes`);
    if (isForgotten(changes)) continue;
    const { queryState, ids } = now.results[index]!;
    assert.equal(changes['newQueryState'], queryState, `the new state of ${type}/queryChanges: ${JSON.stringify(changes)}`);
    const replayed = replayQueryChanges(earlier.results[index]!.ids, changes as unknown as QueryChanges);
    assert.deepEqual(replayed, ids, `${type}/queryChanges of ${JSON.stringify(args)}`);
  }
};

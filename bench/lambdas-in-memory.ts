import type { SQSEvent } from 'aws-lambda';
import { capability } from '../contract/jmap/core.ts';
import { defaultSendLimits } from '../contract/deployment/sending.ts';
import { defaultQuota } from '../contract/jmap/quota.ts';
import { mailScopes } from '../contract/oauth/oauth.ts';
import { deliverBatch } from '../lambdas/deliver/deliver-batch.ts';
import { vacationDependencies } from '../lambdas/deliver/vacation/vacation-response.ts';
import { jmapHttpHandler } from '../lambdas/jmap/http.ts';
import { methods } from '../lambdas/jmap/methods.ts';
import { SeenMembers } from '../lambdas/jmap/opening-accounts.ts';
import { SessionStates } from '../lambdas/jmap/session.ts';
import { webPushDependencies } from '../lambdas/jmap/push-subscription/web-push-dependencies.ts';
import { systemClock } from '../core/runtime/clock.ts';
import type { HttpRequest, HttpResponse } from '../core/runtime/http/http.ts';
import { jmapGate } from '../core/runtime/http/jmap-gate.ts';
import { addressRule } from '../core/push/web-push/public-address.ts';
import { addressesIn } from '../core/directory/aliases/addresses.ts';
import { sendingRightsIn } from '../core/directory/aliases/may-send.ts';
import { principalsIn } from '../core/directory/users/principals.ts';
import { identityOfAlias } from '../core/mail-types/identity/identity-type.ts';
import type { MailStore } from '../core/mail-types/mail-store/mail-store.ts';
import { accountBlobs } from '../core/blobs/account-blobs.ts';
import { messageStore } from '../core/blobs/message-store.ts';
import { emailSearch } from '../core/search/email-search.ts';
import { mailStore } from '../core/mail-types/mail-store/table-mail-store.ts';
import { submissionsIn } from '../core/sending/submission/submissions.ts';
import type { SubmitQueue } from '../core/sending/submission/submit-queue.ts';
import type { Objects } from '../core/storage/objects.ts';
import type { Table } from '../core/storage/table.ts';
import { memoryBounceSender } from '../test/fakes/memory-bounce-sender.ts';
import { memoryLog } from '../test/fakes/memory-log.ts';
import { memoryObjects } from '../test/fakes/memory-objects.ts';
import { memoryQueue } from '../test/fakes/memory-queue.ts';
import { memorySubmitQueue } from '../test/fakes/memory-submit-queue.ts';
import { memoryTable } from '../test/fakes/memory-table.ts';
import { contextWith } from '../test/support/queue-records.ts';
import { fillMailbox } from './generated-mailbox.ts';

export const accountId = 'acc_alice';

export const aliasOfAlice = { alias_id: 'alias_alice', email: 'alice@example.test' } as const;

/** A JMAP method call and a method response (RFC 8620 §3.2). */
export type Call = readonly [name: string, args: object, id: string];
type Answer = readonly [name: string, args: Record<string, never>, id: string];

/** Two tables in memory, with one account that has this many messages. */
export const tablesWithMessages = async (messages: number): Promise<{ readonly directory: Table; readonly mail: Table }> => {
  const [directory, mail] = [memoryTable(), memoryTable()];
  await addAlice(directory);
  await mailStore({ table: mail }).createAccount(accountId, [], { Identity: [identityOfAlias(aliasOfAlice, true)] });
  await fillMailbox(mail, accountId, messages);
  return { directory, mail };
};

/** Writes Alice, her domain and her account to the directory. */
export const addAlice = (directory: Table): Promise<void> =>
  directory.write([
    { put: { pk: 'user', sk: 'alice', primary_email: 'alice@example.test', is_active: true, is_admin: false, is_deleted: false } },
    { put: { pk: 'member#alice', sk: accountId, role: 'ADMIN', account_name: 'Alice’s mail', is_owner: true } },
    { put: { pk: 'account', sk: accountId } },
    { put: { pk: `account-member#${accountId}`, sk: 'alice', role: 'ADMIN' } },
    { put: { pk: 'domain-name', sk: 'example.test', domain_id: 'dom_1', receive_enabled: true, send_enabled: true, state: 'ready' } },
    { put: {
      pk: 'address', sk: aliasOfAlice.email, account_id: accountId, alias_id: aliasOfAlice.alias_id, state: 'ready', is_active: true, can_send_from: true,
    } },
  ]);

/**
 * A JMAP Lambda that is cold at first. Both functions send an HTTP event; `sendAndParse` also checks and parses the
 * response.
 */
export type JmapLambda = {
  readonly store: MailStore;
  /** Its bucket. */
  readonly objects: Objects;
  sendAndParse(...calls: Call[]): Promise<Answer[]>;
  send(...calls: Call[]): Promise<HttpResponse>;
};

const requestOf = (methodCalls: readonly Call[]): HttpRequest => ({
  rawPath: '/jmap',
  headers: { authorization: 'Bearer token', 'content-type': 'application/json' },
  body: JSON.stringify({ using: [capability.core, capability.mail, capability.submission], methodCalls }),
  requestContext: { http: { method: 'POST' } },
} as unknown as HttpRequest);

/** The JMAP Lambda with these tables and this bucket of snapshots, if any. Every token belongs to Alice. */
export const jmapLambda = (
  directory: Table, mail: Table, snapshots?: Pick<Objects, 'get'>, objects: Objects = memoryObjects(),
  sending: { readonly table: Table; readonly queue: SubmitQueue } = { table: memoryTable(), queue: memorySubmitQueue() },
): JmapLambda => {
  // No record of an Email is held, so that a request that is repeated is measured as the first one of its kind.
  const store = mailStore({ table: mail, heldCharacters: 0, ...(snapshots && { snapshots: { objects: snapshots, log: memoryLog() } }) });
  const settings = { jmapUrl: 'https://jmap.example.test', webSocketUrl: 'wss://ws.example.test', mailDomain: 'example.test' };
  const webPush = webPushDependencies(mail, { queue: memoryQueue(), isAllowedAddress: addressRule(), clock: systemClock });
  const token = {
    principalId: 'alice', isMachine: false, clientId: 'client', scopes: new Set<string>(mailScopes), authenticatedAt: 0,
    expiresAt: Date.now() / 1000 + 3600,
  };
  const handleHttp = jmapHttpHandler(
    {
      principals: principalsIn(directory),
      seenMembers: new SeenMembers(),
      sessionStates: new SessionStates(),
      mailTable: mail,
      dependencies: {
        store, search: emailSearch({ table: mail, objects, log: memoryLog(), clock: systemClock }),
        objects, blobs: accountBlobs(mail, objects), messages: messageStore({ table: mail, objects, removals: memoryQueue() }),
        quotaDefaults: defaultQuota, webPush,
        sending: {
          submissions: submissionsIn(sending.table), rights: sendingRightsIn(directory), objects, queue: sending.queue,
          sendLimits: defaultSendLimits, log: memoryLog(),
        },
        clock: systemClock, mailDomain: 'example.test', newId: () => 'N',
      },
      methods,
      settings,
      eventSourceQueueUrls: [],
      clock: systemClock,
      log: memoryLog(),
    },
    jmapGate(async () => token, settings.jmapUrl),
  );
  return {
    store,
    objects,
    send: (...calls) => handleHttp(requestOf(calls)),
    async sendAndParse(...calls) {
      const response = await handleHttp(requestOf(calls));
      const responses = (JSON.parse(response.body ?? '{}') as { methodResponses?: Answer[] }).methodResponses ?? [];
      const failed = responses.find(([name]) => name === 'error');
      if (response.statusCode !== 200 || failed) throw new Error(`${response.statusCode}: ${JSON.stringify(failed ?? response.body)}`);
      return responses;
    },
  };
};

/** The raw message of a delivery, as plain text and HTML. */
export const rawMessage = (number: number): Buffer => Buffer.from([
  'From: =?UTF-8?Q?J=C3=BCrgen_M=C3=BCller?= <juergen.mueller@mail.example.net>', 'To: Alice Liddell <alice@example.test>',
  `Subject: The message with the number ${number}`, `Message-ID: <${number}.20261121@mail.example.net>`,
  'Date: Sat, 21 Nov 2026 08:38:00 +0100', 'MIME-Version: 1.0',
  'Content-Type: multipart/alternative; boundary="next"', '',
  '--next', 'Content-Type: text/plain; charset=utf-8', '', 'Hello Alice, this is what I wanted to tell you. '.repeat(10), '',
  '--next', 'Content-Type: text/html; charset=utf-8', '', `<p>${'Hello Alice, this is what I wanted to tell you. '.repeat(10)}</p>`,
  '', '--next--', '',
].join('\r\n'));

/**
 * The deliver Lambda with these tables. `deliver` sends an SQS event; `written` is the number of S3 objects written so
 * far.
 */
export const deliverLambda = (directory: Table, mail: Table) => {
  const bucket = memoryObjects();
  let written = 0;
  let arrived = 0;
  const objects: Objects = {
    ...bucket,
    copy: (from, to) => { written++; return bucket.copy(from, to); },
    put: (key, bytes, type) => { written++; return bucket.put(key, bytes, type); },
  };
  const shared = { objects, log: memoryLog(), clock: systemClock };
  const deliver = deliverBatch({
    ...shared, addresses: addressesIn(directory), mailStore: mailStore({ table: mail }), returnToQueue: async () => {},
    mailTable: mail, bounces: memoryBounceSender(), queue: memoryQueue(),
    vacation: vacationDependencies({ ...shared, directoryTable: directory, sendingTable: memoryTable(), queue: memorySubmitQueue() }),
  });
  /** A message in the inbound folder. @returns its record in the queue. */
  const arrive = async () => {
    const messageId = `ses-${++arrived}`;
    await bucket.put(`inbound/${messageId}`, rawMessage(arrived));
    const received = {
      notificationType: 'Received',
      mail: { timestamp: new Date().toISOString(), messageId },
      receipt: { recipients: ['alice@example.test'], action: { type: 'S3', objectKey: `inbound/${messageId}` } },
    };
    const body = JSON.stringify({ Type: 'Notification', Message: JSON.stringify(received) });
    return { messageId, body, attributes: { ApproximateReceiveCount: '1' } };
  };
  return {
    written: () => written,
    /** Delivers a batch of messages. */
    async deliver(messages = 1) {
      const records = await Promise.all(Array.from({ length: messages }, arrive));
      const { batchItemFailures } = await deliver({ Records: records } as unknown as SQSEvent, contextWith());
      if (batchItemFailures.length > 0) throw new Error('the delivery failed');
    },
  };
};

/**
 * The four method calls with which a client opens a mailbox: a page of 50 threads, and all messages of these threads.
 */
export const openingRequest = (inMailbox: string, limit = 50): Call[] => [
  ['Email/query', {
    accountId,
    filter: { inMailbox },
    sort: [{ property: 'receivedAt', isAscending: false }],
    collapseThreads: true,
    limit,
    calculateTotal: true,
  }, 'query'],
  ['Email/get', { accountId, '#ids': { resultOf: 'query', name: 'Email/query', path: '/ids' }, properties: ['threadId'] }, 'threads'],
  ['Thread/get', { accountId, '#ids': { resultOf: 'threads', name: 'Email/get', path: '/list/*/threadId' } }, 'thread'],
  ['Email/get', { accountId, '#ids': { resultOf: 'thread', name: 'Thread/get', path: '/list/*/emailIds' },
    properties: [
      'threadId',
      'mailboxIds',
      'keywords',
      'from',
      'to',
      'subject',
      'receivedAt',
      'size',
      'preview',
      'hasAttachment',
    ] }, 'emails'],
];

/** The method calls for a page of 50 messages of a list. */
export const pageRequest = (inMailbox: string): Call[] => [
  ['Email/query', { accountId, filter: { inMailbox }, sort: [{ property: 'receivedAt', isAscending: false }], limit: 50 }, 'query'],
  ['Email/get', {
    accountId,
    '#ids': { resultOf: 'query', name: 'Email/query', path: '/ids' },
    properties: ['mailboxIds', 'keywords', 'from', 'subject', 'receivedAt', 'preview'],
  }, 'emails'],
];

import assert from 'node:assert/strict';
import { capability } from '../../contract/jmap/core.ts';
import { logRetentionDays } from '../../core/account-log/log-trim.ts';
import type { Call, Json, Response } from '../support/jmap-lambda.ts';
import { accountRead, changesCalls, checkChanges, checkRead, readCalls, responseOf, type AccountRead } from './checks/account-read.ts';
import { emailProperties, isReport, messageIdOf, numberOf, rawMessage, receivedAtOf, textsOf } from './checks/history-messages.ts';
import { MailLedger } from './checks/mail-ledger.ts';
import { newRecipients, type Cancellation, type Sending } from './checks/sendings.ts';
import type { ClientTask } from './history-tasks.ts';
import type { AccountId, JmapInstance, SimulatedService } from './service/simulated-service.ts';

const using = [capability.core, capability.mail, capability.blob, capability.quota, capability.submission];

/** Errors of a call that a fault may cause. After them, the client does not know whether the changes were made. */
const serverErrors = ['serverFail', 'serverPartialFail', 'serverUnavailable'];
const isServerError = ([, { type }]: Response): boolean => serverErrors.includes(type as string);

/** Methods whose error asks for a retry when the Email of their message is destroyed while they add it. */
const addingMethods = ['Email/copy', 'Email/import'];

/** The functions that withdraw the attempts of a call, by record. */
type CallAttempts = { readonly [id: string]: readonly (() => void)[] };
type Attempts = { readonly [callId: string]: CallAttempts };

/** Thrown when a call failed although its Lambda had no fault. */
class UnexpectedFailure extends Error {
  override readonly name = 'UnexpectedFailure';
}

export type HistoryParts = {
  readonly service: SimulatedService;
  readonly ledgers: Readonly<Record<AccountId, MailLedger>>;
  /** Ids of the default Mailboxes by role. No task destroys them. */
  readonly roles: Readonly<Record<AccountId, Readonly<Record<string, string>>>>;
  /** Returns the number of a new message. */
  readonly nextNumber: () => number;
  /** Reads of Alice's account whose changes are queried at the end of the history. */
  readonly reads: TimedRead[];
  /** The requests to send, of all clients. */
  readonly sendings: Sending[];
  /** Numbers of the messages that arrived for both accounts: for a group, or by forwarding. */
  readonly toAll: Set<number>;
};

/** A read and its time in milliseconds since 1970. */
export type TimedRead = { readonly read: AccountRead; readonly at: number };

/** Milliseconds after which the log may be trimmed. */
const logRetention = logRetentionDays * 24 * 3_600_000;

/** Number of different imported messages: few, so that clients import the same message. */
const importedMessages = 5;
const firstImported = 900;

const pickSome = <T>(list: readonly T[], pick: number, count = 1): T[] => [
  ...new Set(Array.from({ length: Math.min(count, list.length) }, (_, i) => list[(pick + i * 7) % list.length]!)),
];

const asMap = (keys: readonly string[]): Record<string, true> => Object.fromEntries(keys.map((key) => [key, true]));

type Seen = { readonly emails: readonly { readonly id: string; readonly number: number }[]; readonly mailboxes: readonly Json[] };

/**
 * A mail client and its jmap Lambda, which handles one request at a time. After a crash, the next request has a new
 * Lambda.
 */
export const historyClient = (name: string, parts: HistoryParts, first: JmapInstance = parts.service.jmap(parts.service.newLambda())) => {
  const { service, ledgers, roles, nextNumber } = parts;
  const { time } = service;
  let instance = first;
  let tasks = 0;

  /**
   * Sends a request.
   * @param attempts the attempts of each call, which are withdrawn when an error shows that nothing was changed.
   * @returns undefined when the response is lost.
   * @throws UnexpectedFailure for a server error without a fault.
   */
  const ask = async (methodCalls: readonly Call[], attempts: Attempts = {}): Promise<readonly Response[] | undefined> => {
    const { lambda, request } = instance;
    const { faults, doubts } = lambda;
    const { status, body } = await request({ using, methodCalls });
    if (lambda.hasCrashed) {
      instance = service.jmap(service.newLambda());
      return undefined;
    }
    const responses = (body['methodResponses'] ?? []) as readonly Response[];
    const mayRetry = ([, { type }, callId]: Response): boolean =>
      type === 'serverUnavailable' && methodCalls.some(([method, , id]) => id === callId && addingMethods.includes(method));
    const failed = responses.filter((response) => isServerError(response) && !mayRetry(response));
    if (lambda.faults === faults && (status !== 200 || failed.length > 0)) {
      throw new UnexpectedFailure(JSON.stringify({ status, failed, calls: methodCalls.map(([method]) => method) }));
    }
    for (const [, args, callId] of responses) {
      const tried = attempts[callId] ?? {};
      // A server error after a lost response leaves open what was done. An error of a record says that it was not done.
      const isRefused = isServerError(['error', args, callId]) && args['type'] !== 'serverPartialFail' && lambda.doubts === doubts;
      const refused = isRefused ? Object.keys(tried) : Object.keys({ ...args['notCreated'], ...args['notUpdated'], ...args['notDestroyed'] });
      for (const id of refused) for (const withdraw of tried[id] ?? []) withdraw();
    }
    return status === 200 ? responses : undefined;
  };

  /** Calls a method. @returns the arguments of the first response; undefined when the response is lost or an error. */
  const askFor = async (method: string, methodCalls: readonly Call[], attempts?: Attempts): Promise<Json | undefined> =>
    (await ask(methodCalls, attempts))?.find(([each]) => each === method)?.[1];

  const see = async (accountId: AccountId): Promise<Seen | undefined> => {
    const responses = await ask([
      ['Email/query', { accountId, sort: [{ property: 'receivedAt' }] }, 'q'],
      ['Email/get', { accountId, '#ids': { resultOf: 'q', name: 'Email/query', path: '/ids' }, properties: ['id', 'receivedAt'] }, 'e'],
      ['Mailbox/get', { accountId, ids: null }, 'm'],
    ]);
    if (!responses || responses.some(([method]) => method === 'error')) return undefined;
    const emails = (responseOf(responses, 'e')['list'] as Json[]).map((email) => ({ id: email['id'] as string, number: numberOf(email) }));
    const mailboxes = responseOf(responses, 'm')['list'] as Json[];
    return {
      emails: emails.toSorted((one, other) => one.number - other.number),
      mailboxes: mailboxes.toSorted((one, other) => (one['name'] < other['name'] ? -1 : 1)),
    };
  };

  const alice = 'acc_alice' satisfies AccountId;
  const ledger = ledgers[alice];
  const created = (response: Json | undefined, creationId: string): string | undefined => response?.['created']?.[creationId]?.id as string | undefined;
  const boxesOf = ({ mailboxes }: Seen) => mailboxes.filter((mailbox) => (mailbox['name'] as string).startsWith('box'));

  const createEmail = async (pick: number, replaced?: string): Promise<void> => {
    const number = nextNumber();
    const attempts = { e: [ledger.tried.add(number)], ...(replaced !== undefined && { [replaced]: [ledger.triedToDestroy.add(replaced)] }) };
    const response = await askFor(
      'Email/set',
      [
        [
          'Email/set',
          {
            accountId: alice,
            create: {
              e: { ...emailProperties(number), mailboxIds: asMap([roles[alice][pick % 2 ? 'drafts' : 'inbox']!]), keywords: pick % 3 ? { $draft: true } : {} },
            },
            destroy: replaced === undefined ? [] : [replaced],
          },
          's',
        ],
      ],
      { s: attempts },
    );
    const id = created(response, 'e');
    if (id !== undefined) ledger.exists(id);
    if (response?.['destroyed']?.includes(replaced)) ledger.isDestroyed(replaced!);
  };

  /** Adds a message, and repeats the call after a lost response. The server must add the message only once. */
  const addOnce = async (number: number, calls: readonly Call[], method: string): Promise<Json | undefined> => {
    for (let attempt = 0; attempt < 3; attempt++) {
      const response = await askFor(method, calls, { [calls.at(-1)![2]]: { e: [ledger.tried.add(number)] } });
      const id = created(response, 'e') ?? (response?.['notCreated']?.['e']?.existingId as string | undefined);
      if (id !== undefined) ledger.exists(id);
      if (response) return response;
    }
    return undefined;
  };

  const importEmail = async (pick: number): Promise<void> => {
    const number = firstImported + (pick % importedMessages);
    await addOnce(
      number,
      [
        ['Blob/upload', { accountId: alice, create: { b: { data: [{ 'data:asText': rawMessage(number) }] } } }, 'b'],
        [
          'Email/import',
          {
            accountId: alice,
            emails: { e: { blobId: '#b', mailboxIds: asMap([roles[alice]['archive']!]), receivedAt: new Date(receivedAtOf(number)).toISOString() } },
          },
          'i',
        ],
      ],
      'Email/import',
    );
  };

  const copyEmail = async (pick: number, isMove: boolean): Promise<void> => {
    // A message that came to both would be twice in the account.
    const ofBobOnly = (await see('acc_bob'))?.emails.filter(({ number }) => !parts.toAll.has(number)) ?? [];
    const [original] = pickSome(ofBobOnly, pick);
    if (!original) return;
    if (isMove) ledgers.acc_bob.triedToDestroy.add(original.id);
    await addOnce(
      original.number,
      [
        [
          'Email/copy',
          {
            fromAccountId: 'acc_bob',
            accountId: alice,
            create: { e: { id: original.id, mailboxIds: asMap([roles[alice]['inbox']!]), keywords: {} } },
            onSuccessDestroyOriginal: isMove,
          },
          'c',
        ],
      ],
      'Email/copy',
    );
  };

  const changeEmails = async (change: Extract<ClientTask, { count: number }>, seen: Seen, tag: string): Promise<void> => {
    const ids = pickSome(seen.emails, change.pick, change.count).map(({ id }) => id);
    if (ids.length === 0) return;
    if (change.do === 'destroy') {
      const attempts = Object.fromEntries(ids.map((id) => [id, [ledger.triedToDestroy.add(id)]]));
      const response = await askFor('Email/set', [['Email/set', { accountId: alice, destroy: ids }, 's']], { s: attempts });
      for (const id of (response?.['destroyed'] ?? []) as string[]) ledger.isDestroyed(id);
      return;
    }
    const targets = pickSome(seen.mailboxes, change.pick, 1 + (change.pick % 2)).map(({ id }) => id as string);
    const attempts = Object.fromEntries(
      ids.map((id) => [
        id,
        change.do === 'move'
          ? targets.map((target) => ledger.placed.add(MailLedger.placement(id, target)))
          : [ledger.triedTags.add(MailLedger.placement(id, tag))],
      ]),
    );
    const flags = { 'keywords/$seen': change.pick % 2 ? true : null, 'keywords/$flagged': change.pick % 3 ? null : true };
    const patch = change.do === 'move' ? { mailboxIds: asMap(targets) } : { [`keywords/${tag}`]: true, ...flags };
    const update = Object.fromEntries(ids.map((id) => [id, patch]));
    const response = await askFor('Email/set', [['Email/set', { accountId: alice, update }, 's']], { s: attempts });
    if (change.do === 'mark') for (const id of Object.keys(response?.['updated'] ?? {})) ledger.isTagged(id, tag);
  };

  /** Cancels a submission by another Lambda, while the client may make other requests. */
  const cancel = async (id: string): Promise<Cancellation> => {
    const canceler = historyClient('canceler', parts);
    const responses = await canceler.ask([['EmailSubmission/set', { accountId: alice, update: { [id]: { undoStatus: 'canceled' } } }, 's']]);
    const { updated, notUpdated } = responses?.[0]?.[1] ?? {};
    return updated?.[id] !== undefined ? 'canceled' : notUpdated?.[id]?.type === 'cannotUnsend' ? 'cannotUnsend' : 'unknown';
  };

  /** Creates an Email and sends it. */
  const send = async ({ recipients: count, holdMinutes, cancels }: Extract<ClientTask, { do: 'send' }>): Promise<void> => {
    const { random } = service;
    const [number, now] = [nextNumber(), time.now()];
    // HOLDUNTIL has no fraction of a second.
    const holdUntil = holdMinutes > 0 ? Math.ceil(now / 1000 + holdMinutes * 60) * 1000 : now;
    const sending: Sending = { number, recipients: newRecipients(random, number, count), earliest: holdUntil, latest: Infinity, state: 'unknown' };
    parts.sendings.push(sending);
    const parameters = holdMinutes > 0 ? { HOLDUNTIL: new Date(holdUntil).toISOString().replace('.000', '') } : null;
    const responses = await ask(
      [
        ['Email/set', { accountId: alice, create: { e: { ...emailProperties(number), mailboxIds: asMap([roles[alice]['drafts']!]) } } }, 'e'],
        [
          'EmailSubmission/set',
          {
            accountId: alice,
            create: {
              s: {
                identityId: 'alias_alice',
                emailId: '#e',
                envelope: { mailFrom: { email: 'alice@example.test', parameters }, rcptTo: sending.recipients.map((email) => ({ email, parameters: null })) },
              },
            },
            ...(count % 2 > 0 && { onSuccessUpdateEmail: { '#s': { 'keywords/$seen': true } } }),
          },
          's',
        ],
      ],
      {
        e: { e: [ledger.tried.add(number)] },
        s: {
          s: [
            () => {
              sending.state = 'refused';
            },
          ],
        },
      },
    );
    if (!responses) return;
    const emailId = created(responseOf(responses, 'e'), 'e');
    if (emailId !== undefined) ledger.exists(emailId);
    const response = responseOf(responses, 's');
    const id = created(response, 's');
    if (id === undefined) return;
    const sendAt = Math.max(holdUntil, time.now());
    Object.assign(sending, { state: 'accepted', id, latest: sendAt });
    if (cancels === 'never') return;
    time.at(cancels === 'race' ? sendAt - 1000 + random() * 2000 : now + random() * (sendAt - now), () => {
      sending.canceling = cancel(id);
      sending.canceling.catch(() => undefined);
    });
  };

  const changeMailboxes = async (change: ClientTask & { pick: number }, seen: Seen, tag: string): Promise<void> => {
    const set = (args: Json, attempts: CallAttempts = {}) => askFor('Mailbox/set', [['Mailbox/set', { accountId: alice, ...args }, 's']], { s: attempts });
    if (change.do === 'make mailbox') {
      const [parent] = pickSome(boxesOf(seen), change.pick);
      const name = `box${tag}`;
      const create = { e: { name, parentId: change.pick % 3 ? null : (parent?.['id'] ?? null) } };
      const id = created(await set({ create }, { e: [ledger.triedNames.add(name)] }), 'e');
      if (id !== undefined) ledger.exists(id);
      return;
    }
    const [[box], [other]] = [pickSome(boxesOf(seen), change.pick), pickSome(boxesOf(seen), change.pick * 3 + 1)];
    if (!box) return;
    const id = box['id'] as string;
    if (change.do === 'rename mailbox') await set({ update: { [id]: { name: `box${tag}` } } }, { [id]: [ledger.triedNames.add(`box${tag}`)] });
    else if (change.do === 'nest mailbox') await set({ update: { [id]: { parentId: change.pick % 3 ? (other!['id'] as string) : null } } });
    else if (change.do === 'swap roles') {
      const holder = seen.mailboxes.find(({ role }) => role === 'trash');
      await set({ update: { ...(holder && { [holder['id']]: { role: null } }), [id]: { role: 'trash' } } });
    } else {
      const onDestroyRemoveEmails = change.pick % 2 === 0;
      const attempts = { [id]: [ledger.triedToDestroy.add(id), ...(onDestroyRemoveEmails ? [ledger.doomedMailboxes.add(id)] : [])] };
      if ((await set({ destroy: [id], onDestroyRemoveEmails }, attempts))?.['destroyed']?.includes(id)) ledger.isDestroyed(id);
    }
  };

  return {
    ask,
    /**
     * Reads an account in one request, and checks the changes since an earlier read. Undefined when the response is
     * lost.
     */
    async read(accountId: AccountId, earlier?: TimedRead): Promise<AccountRead | undefined> {
      const before = ledgers[accountId].known();
      const inboxId = roles[accountId]['inbox']!;
      const responses = await ask([...readCalls(accountId, inboxId), ...(earlier ? changesCalls(earlier.read) : [])]);
      if (!responses || responses.some(isServerError)) return undefined;
      const read = accountRead(accountId, inboxId, responses);
      checkRead(read);
      ledgers[accountId].check(read, before);
      if (earlier) checkChanges(earlier.read, read, responses, time.now() - earlier.at >= logRetention);
      return read;
    },
    /** Checks the changes from an earlier read to the current one. */
    async follow({ read, at }: TimedRead, now: AccountRead): Promise<void> {
      checkChanges(read, now, (await ask(changesCalls(read)))!, time.now() - at >= logRetention);
    },
    async perform(task: ClientTask): Promise<void> {
      const tag = `tag${name}${++tasks}`;
      if (task.do === 'sync') {
        const earlier = parts.reads[tasks % Math.max(1, parts.reads.length)];
        const at = time.now();
        const read = await this.read(alice, earlier);
        if (read) parts.reads.push({ read, at });
        return;
      }
      if (task.do === 'send') return send(task);
      if (task.do === 'create') return createEmail(task.pick);
      if (task.do === 'import') return importEmail(task.pick);
      if (task.do === 'copy' || task.do === 'move between accounts') return copyEmail(task.pick, task.do !== 'copy');
      const seen = await see(alice);
      if (!seen) return;
      if (task.do === 'replace') return createEmail(task.pick, pickSome(seen.emails, task.pick)[0]?.id);
      return 'count' in task ? changeEmails(task, seen, tag) : changeMailboxes(task, seen, tag);
    },
  };
};

export type HistoryClient = ReturnType<typeof historyClient>;

/** Compares the raw message of each Email with the message that was added. @returns the ids of their blobs. */
export const checkMessages = async ({ ask }: HistoryClient, { accountId, emails }: AccountRead): Promise<readonly string[]> => {
  const responses = await ask([
    ['Email/get', { accountId, ids: emails.map(({ id }) => id as string), properties: ['blobId', 'messageId', 'size', 'receivedAt'] }, 'e'],
    ['Blob/get', { accountId, '#ids': { resultOf: 'e', name: 'Email/get', path: '/list/*/blobId' }, properties: ['data:asText', 'size'] }, 'b'],
  ]);
  const found = responseOf(responses!, 'e')['list'] as Json[];
  assert.equal(found.length, emails.length, 'Emails that have a record');
  const blobs = new Map((responseOf(responses!, 'b')['list'] as Json[]).map((blob) => [blob['id'] as string, blob]));
  for (const email of found) {
    const number = numberOf(email);
    const blob = blobs.get(email['blobId'] as string);
    assert.ok(blob, `the raw message of ${email['id']}, ${number}, is lost`);
    const text = blob['data:asText'] as string;
    assert.equal(blob['size'], email['size']);
    if (isReport(email)) {
      assert.ok(text.includes('report-type=delivery-status'), `${email['id']} has another report`);
      continue;
    }
    assert.deepEqual(email['messageId'], [messageIdOf(number)]);
    assert.ok(text.includes(`<${messageIdOf(number)}>`), `${email['id']} has another raw message`);
    assert.ok(text.trimEnd().endsWith(textsOf(number).body), `the text of ${email['id']} is another one`);
  }
  return [...blobs.keys()];
};

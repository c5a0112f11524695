import type { SendLimits } from '../../../contract/deployment/sending.ts';
import { defaultQuota, type QuotaAmounts } from '../../../contract/jmap/quota.ts';
import type { StoredTypes } from '../../../core/account-log/records/stored-type.ts';
import { emailIdOf, messageBlobId, messageKey, uploadBlobId, uploadKey } from '../../../core/mail/email/blob-id.ts';
import { identityOfAlias } from '../../../core/mail/identity-type.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { mailboxesOf } from '../../../core/mail/mailbox/mailbox-record.ts';
import { parseMessage } from '../../../core/mime/parse-message.ts';
import type { AccessToken } from '../../../core/runtime/http/access-token.ts';
import type { Log } from '../../../core/runtime/log.ts';
import { objectKeys } from '../../../core/storage/object-keys.ts';
import type { Table } from '../../../core/storage/table.ts';
import type { Methods } from '../../../lambdas/jmap/request/method.ts';
import { memoryObjects } from '../../fakes/memory-objects.ts';
import { memoryQueue } from '../../fakes/memory-queue.ts';
import { memorySubmitQueue } from '../../fakes/memory-submit-queue.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { directoryEntries, jmapLambda, tokenOf, type Json } from '../../support/jmap-lambda.ts';
import { perTest } from '../../support/per-test.ts';
import { wrappedTable } from '../../support/wrapped-table.ts';

export { mailAndCore, settings, type Call, type Json, type Response } from '../../support/jmap-lambda.ts';

const silent = { info() {}, warn() {}, error() {}, debug() {}, appendKeys() {}, resetKeys() {}, addContext() {} };

/** Counts sequential calls to the tables. Concurrent calls count as one. */
const tripCounter = () => {
  let pending = 0;
  const counter = { trips: 0 };
  const counted = async <Result>(call: Promise<Result>): Promise<Result> => {
    // A rejection before the next turn is handled then.
    call.catch(() => undefined);
    if (pending++ === 0) counter.trips += 1;
    try {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      return await call;
    } finally {
      pending -= 1;
    }
  };
  const watch = (table: Table): Table => wrappedTable(table, (call) => counted(call()));
  return { counter, watch };
};

export type MailOptions = {
  readonly id?: string;
  readonly subject?: string;
  /** The raw message, with \n as line end. */
  readonly raw?: string | Buffer;
  readonly receivedAt?: number;
  readonly keywords?: readonly string[];
  readonly references?: string;
  readonly isJunk?: boolean;
  readonly accountId?: string;
};

const plainMessage = (id: string, { subject = `Subject of ${id}`, references }: MailOptions) =>
  [
    'From: =?UTF-8?Q?=C3=9Cbermut?= <sender@example.net>',
    'To: Alice <alice@example.test>',
    `Subject: ${subject}`,
    `Message-ID: <${id}@example.net>`,
    ...(references ? [`In-Reply-To: <${references}@example.net>`, `References: <${references}@example.net>`] : []),
    'Date: Sat, 21 Nov 2026 08:38:00 +0100',
    'Content-Type: text/plain; charset=utf-8',
    '',
    `Hello from ${id}.`,
    '',
  ].join('\n');

/**
 * The JMAP Lambda over fakes. Alice and Bob own an account each, Bob has the role READ in Alice's, and a machine has no
 * account.
 */
export const jmapDeployment = async (
  parts: {
    readonly types?: StoredTypes;
    readonly methods?: Methods;
    readonly mail?: Table;
    readonly directory?: Table;
    readonly quotaDefaults?: QuotaAmounts;
    readonly sendLimits?: SendLimits;
    /** Whether accounts may forward to addresses outside. Default: true. */
    readonly mayForwardOutside?: boolean;
    /** Seconds for which destroyed Emails can be restored. Default: 0. */
    readonly recoverableSeconds?: number;
    /** Maximum characters of Email records that the store keeps in memory. Default: the Lambda's. */
    readonly heldCharacters?: number;
  } = {},
) => {
  const { quotaDefaults = defaultQuota } = parts;
  const { counter, watch } = tripCounter();
  const directory = watch(parts.directory ?? memoryTable());
  const mail = watch(parts.mail ?? memoryTable());
  const sending = watch(memoryTable());
  const submits = memorySubmitQueue();
  const objects = memoryObjects();
  let ids = 0;
  let time = Date.parse('2026-11-21T08:00:00Z');
  const now = () => new Date(time);
  const store = mailStore({
    table: mail,
    types: parts.types,
    quotaDefaults,
    heldCharacters: parts.heldCharacters,
    recoverableSeconds: parts.recoverableSeconds,
    clock: now,
  });
  const logged: unknown[] = [];
  const log = { ...silent, error: (...record: unknown[]) => logged.push(record) } as unknown as Log;
  const pushes = memoryQueue();
  const removals = memoryQueue();
  const inbound = memoryQueue();
  const { addUser, addMember, addSender } = directoryEntries(directory, now);
  await addUser('alice');
  await addUser('bob');
  await addUser('carol', { is_active: false });
  for (const [user, account] of [
    ['alice', 'acc_alice'],
    ['bob', 'acc_bob'],
  ] as const) {
    await addMember(user, account, 'ADMIN', true);
    await addSender(user, account, `${user}@example.test`);
    const identity = identityOfAlias({ alias_id: `alias_${user}`, email: `${user}@example.test` }, true);
    await store.createAccount(account, [], { Identity: [identity] });
  }
  await addMember('bob', 'acc_alice', 'READ', false);

  const tokens: Record<string, AccessToken> = {
    alice: tokenOf('alice'),
    bob: tokenOf('bob'),
    carol: tokenOf('carol'),
    stranger: tokenOf('unknown'),
    machine: tokenOf('headless', ['jmapApi/MAIL_READ'], true),
    reader: tokenOf('alice', ['jmapApi/MAIL_READ']),
    admin: tokenOf('alice', ['adminApi/ADMIN']),
  };
  const { jmap, verify, http, request, perform, forgetClients } = jmapLambda({
    directory,
    mail,
    objects,
    store,
    removals,
    pushes,
    clock: () => now(),
    newId: () => `New${++ids}`,
    log,
    tokens,
    quotaDefaults,
    methods: parts.methods,
    sending,
    submits,
    inbound,
    mayForwardOutside: parts.mayForwardOutside,
    sendLimits: parts.sendLimits,
  });

  /** A call on Alice's account; returns the arguments of its response. An error has `type`. */
  const call = async (name: string, args: Json = {}, options: { token?: string; using?: readonly string[] } = {}): Promise<Json> => {
    const [[, response] = []] = await perform([[name, { accountId: 'acc_alice', ...args }, 'c']], options);
    return response!;
  };

  /** Delivers a message as the deliver Lambda would; returns its Email id. */
  const deliver = async (options: MailOptions = {}): Promise<string> => {
    const { id = `mail${++ids}`, accountId = 'acc_alice', isJunk = false, keywords = [], receivedAt = now().getTime() } = options;
    const source = options.raw ?? plainMessage(id, options);
    const raw = Buffer.isBuffer(source) ? source : Buffer.from(source.replaceAll('\n', '\r\n'));
    const key = messageKey(accountId, id);
    const message = parseMessage(raw);
    await objects.put(objectKeys.message(accountId, key), raw);
    await store.deliver(accountId, {
      content: { ...message.email, id: emailIdOf(key), blobId: messageBlobId(key) },
      keywords,
      mailboxRole: isJunk ? 'junk' : 'inbox',
      receivedAt,
      sentAt: message.sentAt,
      size: raw.length,
      threadMessageIds: message.threadMessageIds,
      baseSubject: message.baseSubject,
    });
    return emailIdOf(key);
  };

  /** Stores an upload as the blobs Lambda would; returns its blob id. */
  const upload = async (content: Buffer, accountId = 'acc_alice'): Promise<string> => {
    const key = uploadKey(content);
    await objects.put(objectKeys.upload(accountId, key), content);
    return uploadBlobId(key);
  };

  /** Ids of Alice's Mailboxes by role. */
  const roles = async (accountId = 'acc_alice'): Promise<Record<string, string>> =>
    Object.fromEntries(
      mailboxesOf((await store.open(accountId))!)
        .all()
        .map(({ id, role }) => [role!, id]),
    );

  /** The number of sequential DynamoDB calls of an action. */
  const tripsOf = async (act: () => Promise<unknown>): Promise<number> => {
    counter.trips = 0;
    await act();
    return counter.trips;
  };

  return {
    http,
    request,
    perform,
    forgetClients,
    call,
    deliver,
    upload,
    roles,
    jmap,
    store,
    objects,
    directory,
    mail,
    pushes,
    removals,
    inbound,
    tripsOf,
    logged,
    tokens,
    verify,
    addMember,
    addUser,
    now,
    sending,
    submits,
    /** Advances the clock. */
    later: (seconds: number) => {
      time += seconds * 1000;
    },
  };
};

export type JmapDeployment = Awaited<ReturnType<typeof jmapDeployment>>;

/** {@link jmapDeployment}, created anew for each test. */
export const jmapDeploymentPerTest = (parts?: Parameters<typeof jmapDeployment>[0]): JmapDeployment => perTest(() => jmapDeployment(parts));

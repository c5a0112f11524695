import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import type { Addresses } from '../../core/directory/addresses.ts';
import { emailIdOf, messageBlobId, messageKey } from '../../core/mail/blob-id.ts';
import { isMessageUsed } from '../../core/mail/email/destroyed-emails.ts';
import { wasDelivered } from '../../core/mail/email/deliver-emails.ts';
import type { DeliveredEmail } from '../../core/mail/email/new-email.ts';
import type { MailStore } from '../../core/mail/mail-store.ts';
import { exceededResource } from '../../core/mail/quota/account-quota.ts';
import { parseMessage, type ParsedMessage } from '../../core/mime/parse-message.ts';
import { StoreConflict } from '../../core/runtime/domain-errors.ts';
import { errorLogFields, isTransient } from '../../core/runtime/errors.ts';
import { consumeQueue, type ReturnToQueue } from '../../core/runtime/queue.ts';
import type { InvocationContext } from '../../core/runtime/remaining-time.ts';
import { allSettled, concurrencyLimit, inOneCall, sideBySide } from '../../core/runtime/side-by-side.ts';
import { objectKeys } from '../../core/storage/object-keys.ts';
import type { Objects } from '../../core/storage/objects.ts';
import { findCopies, sendCopy, type AliasCopies } from './alias-copies.ts';
import { trustOnlySesResults } from './authentication-results.ts';
import { parseBounceTask, sendBounce, type BounceConnections } from './bounce-task.ts';
import { DeliveryGroups, type DeliverEmail, type EmailDelivery } from './delivery-groups.ts';
import { parsePostponedMail, postponeMail } from './postponed-mail.ts';
import { parseReceivedMail, type ReceivedMail } from './ses-notification.ts';
import { bounceUndeliverable } from './undeliverable.ts';
import { respondToDelivery, type RespondedDelivery, type VacationConnections } from './vacation-response.ts';

export type DeliverConnections = BounceConnections & {
  readonly addresses: Pick<Addresses, 'resolve'>;
  readonly objects: Objects;
  readonly mailStore: Pick<MailStore, 'deliverAll' | 'quota'>;
  readonly vacation: VacationConnections;
  readonly returnToQueue: ReturnToQueue;
  /** Milliseconds that an Email waits for the other records of its batch. Default: 300. */
  readonly maxWait?: number;
};

/** Octets of a message that may be in memory with all others of its batch. */
const smallMessage = 1_000_000;
/** Larger messages that are in memory at the same time. Each may have 40 MB. */
const largeMessagesInMemory = 2;

/** The connections, with what the records of one batch share. */
type BatchConnections = DeliverConnections & {
  readonly deliver: DeliverEmail;
  readonly withMessage: WithMessage;
  /** The addresses of all records are one read. */
  readonly resolveAddresses: Addresses['resolve'];
  /** The objects of messages that were delivered together are one request. */
  readonly removeInbound: (keys: readonly string[]) => Promise<void>;
};

/** Reads the object and runs the part of a delivery that has it in memory; undefined when there is no such object. */
type WithMessage = <T>(objectKey: string, use: (message: Buffer | undefined) => Promise<T>) => Promise<T>;

/** Bounds the memory of a batch: its large messages wait for each other. Small ones are one read. */
const memoryLimit = ({ objects }: DeliverConnections, records: number): WithMessage => {
  const large = concurrencyLimit(largeMessagesInMemory);
  return async (objectKey, use) => {
    if (records === 1) return use((await objects.get(objectKey))?.bytes);
    const beginning = await objects.get(objectKey, { start: 0, end: smallMessage });
    if (!beginning || beginning.size <= smallMessage) return use(beginning?.bytes);
    return large(async () => use((await objects.get(objectKey))?.bytes));
  };
};

/**
 * Delivers the records of a batch concurrently. The Emails of one account are added together; each record succeeds or
 * fails alone.
 */
export const deliverBatch = (connections: DeliverConnections) =>
  async (event: { readonly Records: readonly SQSRecord[] }, context?: InvocationContext): Promise<SQSBatchResponse> => {
    const groups = new DeliveryGroups(connections.mailStore, event.Records.length, connections.maxWait);
    const withMessage = memoryLimit(connections, event.Records.length);
    const shared = {
      withMessage,
      resolveAddresses: inOneCall((recipients: readonly string[]) => connections.addresses.resolve(recipients)),
      removeInbound: inOneCall((keys: readonly string[]) => connections.objects.remove(keys)),
    };
    const handle = (body: string) => groups.forRecord((deliver) => deliverMessage(body, { ...connections, ...shared, deliver }));
    return consumeQueue(handle, connections)(event, context);
  };

/**
 * Delivers a message to the accounts of its recipients. Returns when it is stored in each of them, and when the other
 * recipients are bounced or logged as undeliverable. Throws when anything fails; the queue then delivers the record
 * again. That is safe, because all ids derive from SES's message id.
 */
const deliverMessage = async (body: string, connections: BatchConnections): Promise<void> => {
  const bounce = parseBounceTask(body);
  if (bounce) return sendBounce(bounce, connections);
  const postponed = parsePostponedMail(body);
  const mail = postponed ?? parseReceivedMail(body);
  if (!mail) return connections.log.info('SES sent a setup notification; nothing to deliver');
  const { accounts, unknown, copies } = await findAccounts(mail, connections);
  // First, so that a delivery that keeps failing does not prevent the bounce.
  if (unknown.length > 0 || accounts.size === 0) await bounceUndeliverable(mail, unknown, connections);
  if (postponed && await areFull([...accounts.keys()], connections)) return postponeMail(mail, mail.recipients, connections);
  if (accounts.size > 0) await deliverToAccounts(mail, accounts, copies, connections);
};

/** Whether all of these accounts are still full, before a message that waits for them is read and copied again. */
const areFull = async (accountIds: readonly string[], { mailStore }: DeliverConnections): Promise<boolean> => {
  const quotas = await sideBySide(accountIds, (accountId) => mailStore.quota(accountId));
  return accountIds.length > 0 && quotas.every((quota) => quota && exceededResource(quota, 1));
};

const deliverToAccounts = async (
  mail: ReceivedMail, accounts: Recipients['accounts'], copies: AliasCopies, connections: BatchConnections,
): Promise<void> => {
  const accountIds = [...accounts.keys(), ...copies.accountIds];
  const rawCopies = await connections.withMessage(mail.objectKey, (read) => (read
    ? copyToAccounts(mail, read, accountIds, connections) : checkDelivered(mail, [...accounts.keys()], connections)));
  if (!rawCopies) return connections.log.info('duplicate', { sesMessageId: mail.messageId });
  const removed: string[] = [];
  const full: string[] = [];
  const responding: RespondedDelivery[] = [];
  // In parallel, so that the failure of one account does not prevent the delivery to another.
  await sideBySide(accountIds, async (accountId) => {
    const { outcome, vacation } = await deliverTo(accountId, mail, rawCopies, connections);
    const recipients = accounts.get(accountId);
    // A copy for the bcc of an alias. Its failure is not reported to the sender, who does not know of it.
    if (!recipients) return;
    if (outcome === 'unknown-account') removed.push(...recipients);
    else if (outcome === 'account-full') full.push(...recipients);
    else if (vacation) responding.push({ accountId, window: vacation, recipients });
  });
  if (removed.length > 0) await bounceUndeliverable(mail, removed, connections);
  if (full.length > 0) await postponeMail(mail, full, connections);
  await allSettled([
    ...responding.map((delivery) => attemptReply(delivery.accountId, mail, connections, () => respondToDelivery(delivery, mail, connections))),
    ...copies.outside.map((copy) => attemptReply(copy.accountId, mail, connections, () => sendCopy(copy, mail, connections))),
  ]);
  // The inbound object remains: it is what waits.
  if (full.length > 0) return;
  // Each account has its own copy. A message that its account destroys must not remain here.
  await connections.removeInbound([mail.objectKey]);
};

/**
 * Sends what follows from a delivery that is durable: a vacation response, or a copy. A failure that may pass makes the
 * queue deliver the record again, which changes nothing else. After any other failure nothing is sent: the delivery must
 * not fail with it.
 */
const attemptReply = async (
  accountId: string, { messageId }: ReceivedMail, { log }: DeliverConnections, send: () => Promise<void>,
): Promise<void> => {
  try {
    await send();
  } catch (failure) {
    if (failure instanceof StoreConflict || isTransient(failure)) throw failure;
    log.error('a vacation response or a copy failed', { accountId, sesMessageId: messageId, ...errorLogFields(failure) });
  }
};

type Recipients = {
  readonly accounts: ReadonlyMap<string, readonly string[]>;
  readonly unknown: readonly string[];
  readonly copies: AliasCopies;
};

/** Each account once, with the recipients that are its addresses, and the recipients that no account receives. */
const findAccounts = async ({ recipients }: ReceivedMail, { resolveAddresses }: BatchConnections): Promise<Recipients> => {
  const found = await resolveAddresses(recipients);
  const known = recipients.filter((recipient) => found.has(recipient));
  return {
    accounts: Map.groupBy(known, (recipient) => found.get(recipient)!.accountId),
    unknown: [...new Set(recipients)].filter((recipient) => !found.has(recipient)),
    copies: await findCopies(known.map((recipient) => found.get(recipient)!), resolveAddresses),
  };
};

/** @throws Error unless the message, which does not exist any more, was delivered to all accounts before. */
const checkDelivered = async (
  { messageId }: ReceivedMail, accountIds: readonly string[], { mailTable }: DeliverConnections,
): Promise<undefined> => {
  const delivered = await sideBySide(
    accountIds, (accountId) => wasDelivered(mailTable, accountId, emailIdOf(messageKey(accountId, messageId))),
  );
  if (delivered.every(Boolean)) return undefined;
  throw new Error(`there is no raw message for SES message ${messageId}`);
};

/** A message that the parser fails on is delivered as one part to download. */
const parseRawMessage = ({ messageId }: ReceivedMail, raw: Buffer, { log }: DeliverConnections): ParsedMessage => {
  const message = parseMessage(raw);
  if (message.failure) {
    log.error('the parser failed; the message is delivered unparsed', { sesMessageId: messageId, failure: message.failure.name });
  }
  return message;
};

/** A parsed message, and the copy of its octets in the folder of each account. A copy that failed rejects. */
type Copies = { readonly message: ParsedMessage; readonly size: number; readonly byAccount: ReadonlyMap<string, Promise<void>> };

/**
 * Puts the raw message into the accounts' folders before the commits, so every Email that an account lists can be read.
 * Its octets differ from what SES stored if the sender wrote header fields of SES.
 * @returns the message when each copy is made or failed.
 */
const copyToAccounts = async (
  mail: ReceivedMail, stored: Buffer, accountIds: readonly string[], connections: BatchConnections,
): Promise<Copies> => {
  const raw = trustOnlySesResults(stored);
  const message = parseRawMessage(mail, raw, connections);
  const byAccount = new Map(accountIds.map((accountId) => {
    const to = objectKeys.message(accountId, messageKey(accountId, mail.messageId));
    const copying = raw === stored ? copyObject(mail, to, connections) : connections.objects.put(to, raw, 'message/rfc822');
    return [accountId, copying] as const;
  }));
  await Promise.allSettled(byAccount.values());
  return { message, size: raw.length, byAccount };
};

const copyObject = async ({ objectKey, messageId }: ReceivedMail, to: string, { objects }: DeliverConnections): Promise<void> => {
  const isCopied = await objects.copy(objectKey, to);
  if (!isCopied) throw new Error(`the raw message of SES message ${messageId} does not exist any more`);
};

const deliverTo = async (
  accountId: string, mail: ReceivedMail, { message, size, byAccount }: Copies, { objects, deliver, mailTable, clock, log }: BatchConnections,
): Promise<EmailDelivery> => {
  const key = messageKey(accountId, mail.messageId);
  await byAccount.get(accountId);
  const delivery = await deliver(accountId, newEmail(key, mail, message, size));
  const { outcome } = delivery;
  // The Email of a late duplicate may be destroyed and removed: then nothing would remove this copy.
  const isUnused = outcome === 'account-full' || (outcome === 'duplicate' && !await isMessageUsed(mailTable, accountId, key, clock()));
  if (isUnused) await objects.remove([objectKeys.message(accountId, key)]);
  log.info(outcome, { accountId, emailId: emailIdOf(key), sesMessageId: mail.messageId, size });
  return delivery;
};

const newEmail = (key: string, mail: ReceivedMail, message: ParsedMessage, size: number): DeliveredEmail => ({
  record: { ...message.email, id: emailIdOf(key), blobId: messageBlobId(key) },
  keywords: [],
  mailboxRole: mail.isJunk ? 'junk' : 'inbox',
  receivedAt: mail.receivedAt,
  sentAt: message.sentAt,
  size,
  threadMessageIds: message.threadMessageIds,
  baseSubject: message.baseSubject,
});

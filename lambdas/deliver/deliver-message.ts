import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import type { Addresses } from '../../core/directory/aliases/addresses.ts';
import { emailIdOf, messageBlobId, messageKey } from '../../core/mail-types/email/blob-id.ts';
import { isMessageUsed } from '../../core/blobs/destroyed-emails.ts';
import type { DeliveredEmail } from '../../core/mail-types/email/new-email.ts';
import type { MailStore } from '../../core/mail-types/mail-store/mail-store.ts';
import { exceededResource } from '../../core/mail-types/quota/account-quota.ts';
import { parseMessage, type ParsedMessage } from '../../core/mime/parse-message.ts';
import { StoreConflict } from '../../core/runtime/domain-errors.ts';
import { errorLogFields, isTransient } from '../../core/runtime/errors.ts';
import { consumeQueue, type ReturnToQueue } from '../../core/runtime/lambda/queue.ts';
import type { InvocationContext } from '../../core/runtime/concurrency/remaining-time.ts';
import { allSettled, concurrencyLimit, inOneCall, sideBySide } from '../../core/runtime/concurrency/side-by-side.ts';
import { isInboundOfOneRule } from '../../core/storage/object-keys.ts';
import type { Objects, StoredObject } from '../../core/storage/objects.ts';
import { findCopies, sendCopy, type AliasCopies } from './alias-copies.ts';
import { trustOnlySesResults } from './authentication-results.ts';
import { parseBounceTask, sendBounce, type BounceConnections } from './bounce-task.ts';
import { DeliveryGroups, type DeliverEmail, type EmailDelivery } from './delivery-groups.ts';
import { parsePostponedMail, postponeMail, type PostponedMail } from './postponed-mail.ts';
import { accountCopyKey, findAccountCopy, RawMessageMissing, wasDeliveredToAll } from './raw-message.ts';
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

/** Reads the raw message and runs the part of a delivery that has it in memory. @throws RawMessageMissing */
type WithMessage = <T>(mail: ReceivedMail, use: (message: Buffer) => Promise<T>) => Promise<T>;

/** Bounds the memory of a batch: its large messages wait for each other. Small ones are one read. */
const memoryLimit = ({ objects }: DeliverConnections, records: number): WithMessage => {
  const large = concurrencyLimit(largeMessagesInMemory);
  const read = async (mail: ReceivedMail, range?: { readonly start: number; readonly end: number }): Promise<StoredObject> => {
    const found = await objects.get(mail.objectKey, range);
    if (!found) throw new RawMessageMissing(mail);
    return found;
  };
  return async (mail, use) => {
    if (records === 1) return use((await read(mail)).bytes);
    const beginning = await read(mail, { start: 0, end: smallMessage });
    if (beginning.size <= smallMessage) return use(beginning.bytes);
    return large(async () => use((await read(mail)).bytes));
  };
};

/**
 * Delivers the records of a batch concurrently. The Emails of one account are added together; each record succeeds or
 * fails alone.
 */
export const deliverBatch = (connections: DeliverConnections) =>
  async (event: { readonly Records: readonly SQSRecord[] }, context: InvocationContext): Promise<SQSBatchResponse> => {
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
 * Delivers a message to the accounts of its recipients. Returns when it is stored in each of them or waits for room
 * there, and when the other recipients are bounced or logged as undeliverable. Throws when anything fails; the queue then
 * delivers the record again. That is safe, because all ids derive from SES's message id.
 */
const deliverMessage = async (body: string, connections: BatchConnections): Promise<void> => {
  const bounce = parseBounceTask(body);
  if (bounce) return sendBounce(bounce, connections);
  const postponed = parsePostponedMail(body);
  const mail = postponed ?? parseReceivedMail(body);
  if (!mail) return connections.log.info('SES sent a setup notification; nothing to deliver');
  const recipients = await findAccounts(mail, connections);
  const accountIds = [...recipients.accounts.keys(), ...recipients.copies.accountIds];
  const isWaiting = postponed !== undefined && await areFull(accountIds, connections);
  try {
    await deliverToRecipients(mail, recipients, isWaiting, connections);
  } catch (failure) {
    if (!(failure instanceof RawMessageMissing)) throw failure;
    await deliverWithoutObject(mail, recipients, isWaiting, connections);
  }
};

/**
 * Finishes the delivery of a message whose object does not exist any more: another record of the same notification
 * removed it, when all of its work was finished. Nothing relies on that. Each account that has the Email has a copy, from
 * which all steps are made again that are not on record.
 * @throws RawMessageMissing unless each account has the Email or had it.
 */
const deliverWithoutObject = async (
  mail: ReceivedMail, recipients: Recipients, isWaiting: boolean, connections: BatchConnections,
): Promise<void> => {
  const accountIds = [...recipients.accounts.keys(), ...recipients.copies.accountIds];
  const objectKey = await findAccountCopy(accountIds, mail, connections.objects);
  if (objectKey !== undefined) return deliverToRecipients({ ...mail, objectKey }, recipients, isWaiting, connections);
  const isDelivered = accountIds.length > 0 && recipients.unknown.length === 0
    && await wasDeliveredToAll(accountIds, mail, connections.mailTable);
  if (!isDelivered) throw new RawMessageMissing(mail);
  connections.log.info('duplicate', { sesMessageId: mail.messageId });
};

/** Whether all of these accounts are still full, before a message that waits for them is read and copied again. */
const areFull = async (accountIds: readonly string[], { mailStore }: DeliverConnections): Promise<boolean> => {
  const quotas = await sideBySide(accountIds, (accountId) => mailStore.quota(accountId));
  return accountIds.length > 0 && quotas.every((quota) => quota && exceededResource(quota, 1));
};

const deliverToRecipients = async (
  mail: ReceivedMail, recipients: Recipients, isWaiting: boolean, connections: BatchConnections,
): Promise<void> => {
  const { accounts, unknown, copies } = recipients;
  const isForNobody = accounts.size === 0 && copies.accountIds.length === 0;
  // First, so that a delivery that keeps failing does not prevent the bounce.
  if (unknown.length > 0 || isForNobody) await bounceUndeliverable(mail, unknown, connections);
  if (isWaiting) return postponeMail(mail, { accounts, copyAccountIds: copies.accountIds }, connections);
  if (!isForNobody) await deliverToAccounts(mail, recipients, connections);
};

/**
 * Delivers, sends what follows from it, and removes the object last: when it is gone, all work of its notification is
 * finished. The same applies to a record that waits for room, which has the rest of the work.
 */
const deliverToAccounts = async (mail: ReceivedMail, { accounts, copies }: Recipients, connections: BatchConnections): Promise<void> => {
  const accountIds = [...accounts.keys(), ...copies.accountIds];
  const rawCopies = await connections.withMessage(mail, (read) => copyToAccounts(mail, read, accountIds, connections));
  const outcomes = new Map<string, EmailDelivery>();
  // In parallel, so that the failure of one account does not prevent the delivery to another.
  await sideBySide(accountIds, async (accountId) => {
    outcomes.set(accountId, await deliverTo(accountId, mail, rawCopies, connections));
  });
  const withOutcome = (outcome: EmailDelivery['outcome']) => (accountId: string): boolean => outcomes.get(accountId)!.outcome === outcome;
  const removed = [...accounts.keys()].filter(withOutcome('unknown-account')).flatMap((accountId) => accounts.get(accountId)!);
  if (removed.length > 0) await bounceUndeliverable(mail, removed, connections);
  const responding = [...accounts].flatMap(([accountId, recipients]): RespondedDelivery[] => {
    const { outcome, vacation } = outcomes.get(accountId)!;
    const hasEmail = outcome === 'delivered' || outcome === 'duplicate';
    return hasEmail && vacation ? [{ accountId, window: vacation, recipients }] : [];
  });
  await allSettled([
    ...responding.map((delivery) => attemptReply(delivery.accountId, mail, connections, () => respondToDelivery(delivery, mail, connections))),
    ...copies.outside.map((copy) => attemptReply(copy.accountId, mail, connections, () => sendCopy(copy, mail, connections))),
  ]);
  const full = {
    accounts: new Map([...accounts].filter(([accountId]) => withOutcome('account-full')(accountId))),
    copyAccountIds: copies.accountIds.filter(withOutcome('account-full')),
  };
  if (full.accounts.size > 0 || full.copyAccountIds.length > 0) return postponeMail(mail, full, connections);
  // Each account has its own copy. A message that its account destroys must not remain here.
  if (isInboundOfOneRule(mail.objectKey)) await connections.removeInbound([mail.objectKey]);
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
    if (failure instanceof StoreConflict || failure instanceof RawMessageMissing || isTransient(failure)) throw failure;
    log.error('a vacation response or a copy failed', { accountId, sesMessageId: messageId, ...errorLogFields(failure) });
  }
};

type Recipients = {
  /** With the recipients of the envelope that are addresses of the account. */
  readonly accounts: ReadonlyMap<string, readonly string[]>;
  /** The recipients that no account receives. */
  readonly unknown: readonly string[];
  readonly copies: AliasCopies;
};

/** Each account once. The copies of a message that waits for room are made, except those that wait for room too. */
const findAccounts = async (mail: ReceivedMail | PostponedMail, { resolveAddresses }: BatchConnections): Promise<Recipients> => {
  const { recipients } = mail;
  const found = recipients.length > 0 ? await resolveAddresses(recipients) : new Map<string, never>();
  const known = recipients.filter((recipient) => found.has(recipient));
  return {
    accounts: Map.groupBy(known, (recipient) => found.get(recipient)!.accountId),
    unknown: [...new Set(recipients)].filter((recipient) => !found.has(recipient)),
    copies: 'copyAccountIds' in mail
      ? { accountIds: mail.copyAccountIds, outside: [] }
      : await findCopies(known.map((recipient) => found.get(recipient)!), resolveAddresses),
  };
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
    const to = accountCopyKey(accountId, mail);
    const copying = raw === stored ? copyObject(mail, to, connections) : connections.objects.put(to, raw, 'message/rfc822');
    return [accountId, copying] as const;
  }));
  await Promise.allSettled(byAccount.values());
  return { message, size: raw.length, byAccount };
};

const copyObject = async (mail: ReceivedMail, to: string, { objects }: DeliverConnections): Promise<void> => {
  if (mail.objectKey === to) return;
  const isCopied = await objects.copy(mail.objectKey, to);
  if (!isCopied) throw new RawMessageMissing(mail);
};

const deliverTo = async (
  accountId: string, mail: ReceivedMail, { message, size, byAccount }: Copies, { objects, deliver, mailTable, clock, log }: BatchConnections,
): Promise<EmailDelivery> => {
  const key = messageKey(accountId, mail.messageId);
  await byAccount.get(accountId);
  const delivery = await deliver(accountId, newEmail(key, mail, message, size));
  const { outcome } = delivery;
  // The Email of a late duplicate may be destroyed and removed: then nothing would remove this copy. The copy of a full
  // account stays, because another record of the message may be delivered at this moment; the end of the wait removes it.
  const isUnused = outcome === 'duplicate' && !await isMessageUsed(mailTable, accountId, key, clock());
  if (isUnused) await objects.remove([accountCopyKey(accountId, mail)]);
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

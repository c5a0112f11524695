import type { Addresses } from '../../core/directory/addresses.ts';
import { emailIdOf, messageBlobId, messageKey } from '../../core/mail/blob-id.ts';
import { emailOfBlob } from '../../core/mail/email/email-blobs.ts';
import type { DeliveryOutcome } from '../../core/mail/email/email-store.ts';
import { wasDelivered } from '../../core/mail/email/deliver-email.ts';
import type { DeliveredEmail } from '../../core/mail/email/new-email.ts';
import type { MailStore } from '../../core/mail/mail-store.ts';
import { exceededResource } from '../../core/mail/quota/account-quota.ts';
import { parseMessage, type ParsedMessage } from '../../core/mime/parse-message.ts';
import { consumeQueue, type ReturnToQueue } from '../../core/runtime/queue.ts';
import { sideBySide } from '../../core/runtime/side-by-side.ts';
import { objectKeys } from '../../core/storage/object-keys.ts';
import type { Objects } from '../../core/storage/objects.ts';
import { trustOnlySesResults } from './authentication-results.ts';
import { parseBounceTask, sendBounce, type BounceConnections } from './bounce-task.ts';
import { parsePostponedMail, postponeMail } from './postponed-mail.ts';
import { parseReceivedMail, type ReceivedMail } from './ses-notification.ts';
import { bounceUndeliverable } from './undeliverable.ts';

export type DeliverConnections = BounceConnections & {
  readonly addresses: Pick<Addresses, 'resolve'>;
  readonly objects: Objects;
  readonly mailStore: Pick<MailStore, 'deliver' | 'quota'>;
  readonly returnToQueue: ReturnToQueue;
};

/**
 * Delivers the records of a batch. The event source mapping gives each its own Lambda, because a raw message may use a
 * large part of the memory and of the CPU.
 */
export const deliverBatch = (connections: DeliverConnections) =>
  consumeQueue((body) => deliverMessage(body, connections), connections);

/**
 * Delivers a message to the accounts of its recipients. Returns when it is stored in each of them, and when the other
 * recipients are bounced or logged as undeliverable. Throws when anything fails; the queue then delivers the record
 * again. That is safe, because all ids derive from SES's message id.
 */
const deliverMessage = async (body: string, connections: DeliverConnections): Promise<void> => {
  const bounce = parseBounceTask(body);
  if (bounce) return sendBounce(bounce, connections);
  const postponed = parsePostponedMail(body);
  const mail = postponed ?? parseReceivedMail(body);
  if (!mail) return connections.log.info('SES sent a setup notification; nothing to deliver');
  const { accounts, unknown } = await findAccounts(mail, connections);
  // First, so that a delivery that keeps failing does not prevent the bounce.
  if (unknown.length > 0 || accounts.size === 0) await bounceUndeliverable(mail, unknown, connections);
  if (postponed && await areFull([...accounts.keys()], connections)) return postponeMail(mail, mail.recipients, connections);
  if (accounts.size > 0) await deliverToAccounts(mail, accounts, connections);
};

/** Whether all of these accounts are still full, before a message that waits for them is read and copied again. */
const areFull = async (accountIds: readonly string[], { mailStore }: DeliverConnections): Promise<boolean> => {
  const quotas = await sideBySide(accountIds, (accountId) => mailStore.quota(accountId));
  return accountIds.length > 0 && quotas.every((quota) => quota && exceededResource(quota, 1));
};

const deliverToAccounts = async (
  mail: ReceivedMail, accounts: ReadonlyMap<string, readonly string[]>, connections: DeliverConnections,
): Promise<void> => {
  const stored = await readRawMessage(mail, [...accounts.keys()], connections);
  if (!stored) return connections.log.info('duplicate', { sesMessageId: mail.messageId });
  const raw = trustOnlySesResults(stored);
  const message = parseRawMessage(mail, raw, connections);
  const content: Content = { message, raw, isAsStored: raw === stored };
  const removed: string[] = [];
  const full: string[] = [];
  // In parallel, so that the failure of one account does not prevent the delivery to another.
  await sideBySide([...accounts.keys()], async (accountId) => {
    const outcome = await deliverTo(accountId, mail, content, connections);
    if (outcome === 'unknown-account') removed.push(...accounts.get(accountId)!);
    if (outcome === 'account-full') full.push(...accounts.get(accountId)!);
  });
  if (removed.length > 0) await bounceUndeliverable(mail, removed, connections);
  // The inbound object remains: it is what waits.
  if (full.length > 0) return postponeMail(mail, full, connections);
  // Each account has its own copy. A message that its account destroys must not remain here.
  await connections.objects.remove([mail.objectKey]);
};

type Recipients = { readonly accounts: ReadonlyMap<string, readonly string[]>; readonly unknown: readonly string[] };

/** Each account once, with the recipients that are its addresses, and the recipients that no account receives. */
const findAccounts = async ({ recipients }: ReceivedMail, { addresses }: DeliverConnections): Promise<Recipients> => {
  const found = await addresses.resolve(recipients);
  const known = recipients.filter((recipient) => found.has(recipient));
  return {
    accounts: Map.groupBy(known, (recipient) => found.get(recipient)!.accountId),
    unknown: [...new Set(recipients)].filter((recipient) => !found.has(recipient)),
  };
};

/** @returns undefined when the message was delivered to all accounts before, and therefore removed. */
const readRawMessage = async (
  { objectKey, messageId }: ReceivedMail, accountIds: readonly string[], { objects, mailTable }: DeliverConnections,
): Promise<Buffer | undefined> => {
  const object = await objects.get(objectKey);
  if (object) return object.bytes;
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

/** A message as it is delivered: parsed, and its octets, which may differ from what SES stored. */
type Content = { readonly message: ParsedMessage; readonly raw: Buffer; readonly isAsStored: boolean };

/** Puts the raw message into the account's folder before the commit, so every Email that an account lists can be read. */
const copyRawMessage = async (
  { objectKey, messageId }: ReceivedMail, { raw, isAsStored }: Content, to: string, objects: Objects,
): Promise<void> => {
  if (!isAsStored) return objects.put(to, raw, 'message/rfc822');
  const isCopied = await objects.copy(objectKey, to);
  if (!isCopied) throw new Error(`the raw message of SES message ${messageId} does not exist any more`);
};

const deliverTo = async (
  accountId: string, mail: ReceivedMail, content: Content, { objects, mailStore, mailTable, log }: DeliverConnections,
): Promise<DeliveryOutcome> => {
  const key = messageKey(accountId, mail.messageId);
  const size = content.raw.length;
  await copyRawMessage(mail, content, objectKeys.message(accountId, key), objects);
  const outcome = await mailStore.deliver(accountId, newEmail(key, mail, content.message, size));
  // The Email of a late duplicate may be destroyed and removed: then nothing would remove this copy.
  const isUnused = outcome === 'account-full' || (outcome === 'duplicate' && !await emailOfBlob(mailTable, accountId, key));
  if (isUnused) await objects.remove([objectKeys.message(accountId, key)]);
  log.info(outcome, { accountId, emailId: emailIdOf(key), sesMessageId: mail.messageId, size });
  return outcome;
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

import type { Addresses } from '../../core/directory/addresses.ts';
import { emailIdOf, messageBlobId, messageKey } from '../../core/mail/blob-id.ts';
import type { DeliveredEmail } from '../../core/mail/email/new-email.ts';
import type { MailStore } from '../../core/mail/mail-store.ts';
import { parseMessage, type ParsedMessage } from '../../core/mime/parse-message.ts';
import type { Log } from '../../core/runtime/log.ts';
import { consumeQueue } from '../../core/runtime/queue.ts';
import { sideBySide } from '../../core/runtime/side-by-side.ts';
import { objectKeys } from '../../core/storage/object-keys.ts';
import type { Objects } from '../../core/storage/objects.ts';
import { parseReceivedMail, type ReceivedMail } from './ses-notification.ts';

export type DeliverConnections = {
  readonly addresses: Pick<Addresses, 'resolve'>;
  readonly objects: Objects;
  readonly mailStore: Pick<MailStore, 'deliver'>;
  readonly log: Log;
};

/**
 * Delivers the records of a batch. The event source mapping gives each its own Lambda, because a raw message may use a
 * large part of the memory and of the CPU.
 */
export const deliverBatch = (connections: DeliverConnections) =>
  consumeQueue((body) => deliverMessage(body, connections), connections);

/**
 * Delivers a message to the accounts of its recipients. Returns when it is stored in each of them, or logged as
 * undeliverable. Throws when anything fails; the queue then delivers the record again. That is safe, because all ids
 * derive from SES's message id.
 */
const deliverMessage = async (body: string, connections: DeliverConnections): Promise<void> => {
  const mail = parseReceivedMail(body);
  if (!mail) return connections.log.info('SES sent a setup notification; nothing to deliver');
  const accountIds = await findAccounts(mail, connections);
  if (accountIds.length === 0) return logUndeliverable(mail, connections);
  const raw = await readRawMessage(mail, connections);
  const message = parseRawMessage(mail, raw, connections);
  // In parallel, so that the failure of one account does not prevent the delivery to another.
  await sideBySide(accountIds, (accountId) => deliverTo(accountId, mail, message, raw.length, connections));
};

/** Each account once, even when several recipients are its addresses. */
const findAccounts = async ({ recipients }: ReceivedMail, { addresses }: DeliverConnections): Promise<string[]> =>
  [...new Set([...(await addresses.resolve(recipients)).values()].map(({ accountId }) => accountId))];

/**
 * Not an error: an alias was removed after SES accepted the mail, or the domain does not receive mail any more. The raw
 * message stays in the inbound folder until it expires.
 */
const logUndeliverable = ({ messageId, recipients }: ReceivedMail, { log }: DeliverConnections): void =>
  log.warn('undeliverable: no recipient is known', { sesMessageId: messageId, recipients: recipients.length });

const readRawMessage = async ({ objectKey, messageId }: ReceivedMail, { objects }: DeliverConnections): Promise<Buffer> => {
  const object = await objects.get(objectKey);
  if (!object) throw new Error(`there is no raw message for SES message ${messageId}`);
  return object.bytes;
};

/** A message that the parser fails on is delivered as one part to download. */
const parseRawMessage = ({ messageId }: ReceivedMail, raw: Buffer, { log }: DeliverConnections): ParsedMessage => {
  const message = parseMessage(raw);
  if (message.failure) {
    log.error('the parser failed; the message is delivered unparsed', { sesMessageId: messageId, failure: message.failure.name });
  }
  return message;
};

/** Copies the raw message to the account before the commit, so every Email that an account lists can be read. */
const deliverTo = async (
  accountId: string, mail: ReceivedMail, message: ParsedMessage, size: number, { objects, mailStore, log }: DeliverConnections,
): Promise<void> => {
  const key = messageKey(accountId, mail.messageId);
  const isCopied = await objects.copy(mail.objectKey, objectKeys.message(accountId, key));
  if (!isCopied) throw new Error(`the raw message of SES message ${mail.messageId} does not exist any more`);
  const outcome = await mailStore.deliver(accountId, newEmail(key, mail, message, size));
  const details = { accountId, emailId: emailIdOf(key), sesMessageId: mail.messageId, size };
  if (outcome === 'unknown-account') log.warn('undeliverable: the account does not exist any more', details);
  else log.info(outcome, details);
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

import { emailIdOf, messageBlobId, messageKey } from '../../core/mail/blob-id.ts';
import { parseMessage, type ParsedMessage } from '../../core/mime/parse-message.ts';
import type { Log } from '../../core/runtime/log.ts';
import { consumeQueue } from '../../core/runtime/queue-consumer.ts';
import { sideBySide } from '../../core/runtime/side-by-side.ts';
import type { Addresses } from '../../core/directory/addresses.ts';
import type { DeliveredEmail } from '../../core/mail/email/new-email.ts';
import type { MailStore } from '../../core/mail/mail-store.ts';
import { objectKeys } from '../../core/storage/object-keys.ts';
import type { Objects } from '../../core/storage/objects.ts';
import { parseReceivedMail, type ReceivedMail } from './ses-notification.ts';

/** What a delivery works with. */
export type DeliverConnections = { readonly addresses: Pick<Addresses, 'resolve'>; readonly objects: Objects; readonly mailStore: Pick<MailStore, 'deliver'>; readonly log: Log };

/**
 * The way of a message into the accounts of its recipients. It returns when the message is durable in each of them, or accounted for; whatever fails is
 * thrown, and doing it all again is right: ids derive from SES's message id, so that what was done is found done.
 */
export const deliverMessage = async (body: string, delivery: DeliverConnections): Promise<void> => {
  const mail = parseReceivedMail(body);
  if (!mail) return delivery.log.info('SES tried the way of mail: nothing to deliver');
  const accountIds = await accountsOf(mail, delivery);
  if (accountIds.length === 0) return nobodyIsThere(mail, delivery);
  const raw = await rawMessage(mail, delivery);
  const message = readMessage(mail, raw, delivery);
  // All of them, so that one account's failure does not cut another's delivery short.
  await sideBySide(accountIds.map((accountId) => fileInto(accountId, mail, message, raw.length, delivery)));
};

/** Each account once, however many of the recipients are its addresses. */
const accountsOf = async ({ recipients }: ReceivedMail, { addresses }: DeliverConnections): Promise<string[]> =>
  [...new Set([...(await addresses.resolve(recipients)).values()].map(({ accountId }) => accountId))];

/** Not an error: an alias was removed after SES took the mail, or the domain takes no more. The raw message stays until its folder expires. */
const nobodyIsThere = ({ messageId, recipients }: ReceivedMail, { log }: DeliverConnections): void =>
  log.warn('undeliverable: no recipient is known', { sesMessageId: messageId, recipients: recipients.length });

const rawMessage = async ({ objectKey, messageId }: ReceivedMail, { objects }: DeliverConnections): Promise<Buffer> => {
  const found = await objects.get(objectKey);
  if (!found) throw new Error(`there is no raw message for SES message ${messageId}`);
  return found.bytes;
};

/** A message that we fail to read is delivered as it is. */
const readMessage = ({ messageId }: ReceivedMail, raw: Buffer, { log }: DeliverConnections): ParsedMessage => {
  const message = parseMessage(raw);
  if (message.failure) log.error('a message could not be read and is delivered as it is', { sesMessageId: messageId, failure: message.failure.name });
  return message;
};

/** The account's own copy of the raw message first, then the commit: what an account lists can always be read. */
const fileInto = async (accountId: string, mail: ReceivedMail, message: ParsedMessage, size: number, { objects, mailStore, log }: DeliverConnections): Promise<void> => {
  const key = messageKey(accountId, mail.messageId);
  if (!await objects.copy(mail.objectKey, objectKeys.message(accountId, key))) throw new Error(`the raw message of SES message ${mail.messageId} is gone`);
  const outcome = await mailStore.deliver(accountId, newEmail(key, mail, message, size));
  const details = { accountId, emailId: emailIdOf(key), sesMessageId: mail.messageId, size };
  if (outcome === 'unknown-account') log.warn('undeliverable: the account is gone', details);
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

/** Milliseconds that a delivery may need. */
const timeForOne = 10_000;

/** Delivers each record of a batch, one after the other, since a raw message may fill a good part of the memory. */
export const deliverBatch = (delivery: DeliverConnections) => consumeQueue((body) => deliverMessage(body, delivery), { log: delivery.log, timeForOne });

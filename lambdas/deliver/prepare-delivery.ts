import { emailIdOf, messageBlobId, messageKey } from '../../core/mail-types/email/blob-id.ts';
import type { DeliveredEmail } from '../../core/mail-types/email/new-email.ts';
import { exceededResource } from '../../core/mail-types/quota/account-quota.ts';
import { parseMessage, type ParsedMessage } from '../../core/mime/parse-message.ts';
import { mapConcurrently } from '../../core/runtime/concurrency/map-concurrently.ts';
import { findCopies, type AliasCopies } from './alias-copies.ts';
import { trustOnlySesResults } from './received/authentication-results.ts';
import { parseBounceTask, sendBounce } from './bounces/bounce-task.ts';
import type { BatchDependencies } from './deliver-dependencies.ts';
import { parsePostponedMail, postponeMail, type PostponedMail } from './bounces/postponed-mail.ts';
import { accountCopyKey, findAccountCopy, RawMessageMissing, wasDeliveredToAll } from './received/raw-message.ts';
import { parseReceivedMail, type ReceivedMail } from './received/ses-notification.ts';
import { bounceUndeliverable } from './bounces/undeliverable.ts';

/** A message whose octets are in the folders of its accounts. Its Emails are ready to be added. */
export type PreparedDelivery = {
  readonly mail: ReceivedMail;
  readonly recipients: Recipients;
  /** By account id. Accounts whose copy of the octets failed have none. */
  readonly emails: ReadonlyMap<string, DeliveredEmail>;
  /** The failures of copies. */
  readonly failures: readonly unknown[];
};

export type Recipients = {
  /** With the recipients of the envelope that are addresses of the account. */
  readonly accounts: ReadonlyMap<string, readonly string[]>;
  /** The recipients that no account receives. */
  readonly unknown: readonly string[];
  readonly copies: AliasCopies;
};

/** Each account once. The copies of a message that waits for room are made, except those that wait for room too. */
const findAccounts = async (mail: ReceivedMail | PostponedMail, { resolveAddresses }: BatchDependencies): Promise<Recipients> => {
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

/**
 * Prepares one record, up to the Emails that it adds to accounts.
 * @returns undefined when nothing remains to be done.
 * @throws RawMessageMissing when the message has no object, and not each account has or had the Email.
 */
export const prepareDelivery = async (body: string, dependencies: BatchDependencies): Promise<PreparedDelivery | undefined> => {
  const bounce = parseBounceTask(body);
  if (bounce) {
    await sendBounce(bounce, dependencies);
    return undefined;
  }
  const postponed = parsePostponedMail(body);
  const mail = postponed ?? parseReceivedMail(body);
  if (!mail) {
    dependencies.log.info('SES sent a setup notification; nothing to deliver');
    return undefined;
  }
  const recipients = await findAccounts(mail, dependencies);
  const isWaiting = postponed !== undefined && await areFull(accountIdsOf(recipients), dependencies);
  try {
    return await prepareMessage(mail, recipients, isWaiting, dependencies);
  } catch (failure) {
    if (!(failure instanceof RawMessageMissing)) throw failure;
    return prepareWithoutObject(mail, recipients, isWaiting, dependencies);
  }
};

export const accountIdsOf = ({ accounts, copies }: Recipients): readonly string[] => [...accounts.keys(), ...copies.accountIds];

/** Whether all of these accounts are still full, before a message that waits for them is read and copied again. */
const areFull = async (accountIds: readonly string[], { mailStore }: BatchDependencies): Promise<boolean> => {
  const quotas = await mapConcurrently(accountIds, (accountId) => mailStore.quota(accountId));
  return accountIds.length > 0 && quotas.every((quota) => quota && exceededResource(quota, 1));
};

/**
 * Prepares a message whose object does not exist any more: another record of the same notification removed it, when all
 * of its work was finished. Nothing relies on that. Each account that has the Email has a copy, from which all steps are
 * made again that are not on record.
 * @throws RawMessageMissing unless each account has the Email or had it.
 */
const prepareWithoutObject = async (
  mail: ReceivedMail, recipients: Recipients, isWaiting: boolean, dependencies: BatchDependencies,
): Promise<PreparedDelivery | undefined> => {
  const accountIds = accountIdsOf(recipients);
  const objectKey = await findAccountCopy(accountIds, mail, dependencies.objects);
  if (objectKey !== undefined) return prepareMessage({ ...mail, objectKey }, recipients, isWaiting, dependencies);
  const isDelivered = accountIds.length > 0 && recipients.unknown.length === 0
    && await wasDeliveredToAll(accountIds, mail, dependencies.mailTable);
  if (!isDelivered) throw new RawMessageMissing(mail);
  dependencies.log.info('duplicate', { sesMessageId: mail.messageId });
  return undefined;
};

const prepareMessage = async (
  mail: ReceivedMail, recipients: Recipients, isWaiting: boolean, dependencies: BatchDependencies,
): Promise<PreparedDelivery | undefined> => {
  const { accounts, unknown, copies } = recipients;
  const isForNobody = accounts.size === 0 && copies.accountIds.length === 0;
  // First, so that a delivery that keeps failing does not prevent the bounce.
  if (unknown.length > 0 || isForNobody) await bounceUndeliverable(mail, unknown, dependencies);
  if (isWaiting) await postponeMail(mail, { accounts, copyAccountIds: copies.accountIds }, dependencies);
  if (isWaiting || isForNobody) return undefined;
  return dependencies.withMessage(mail, (stored) => copyToAccounts(mail, stored, recipients, dependencies));
};

/** A message that the parser fails on is delivered as one part to download. */
const parseRawMessage = ({ messageId }: ReceivedMail, raw: Buffer, { log }: BatchDependencies): ParsedMessage => {
  const message = parseMessage(raw);
  if (message.failure) {
    log.error('the parser failed; the message is delivered unparsed', { sesMessageId: messageId, failure: message.failure.name });
  }
  return message;
};

/**
 * Puts the raw message into the accounts' folders before the commits, so that every listed Email can be read. Its
 * octets differ from SES's object if the sender wrote header fields of SES.
 * @throws RawMessageMissing when the object was removed meanwhile.
 */
const copyToAccounts = async (
  mail: ReceivedMail, stored: Buffer, recipients: Recipients, dependencies: BatchDependencies,
): Promise<PreparedDelivery> => {
  const raw = trustOnlySesResults(stored);
  const message = parseRawMessage(mail, raw, dependencies);
  const accountIds = accountIdsOf(recipients);
  const copied = await Promise.allSettled(accountIds.map((accountId) => {
    const to = accountCopyKey(accountId, mail);
    return raw === stored ? copyObject(mail, to, dependencies) : dependencies.objects.put(to, raw, 'message/rfc822');
  }));
  const failures = copied.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  const missing = failures.find((failure) => failure instanceof RawMessageMissing);
  if (missing) throw missing;
  const ready = accountIds.filter((_, index) => copied[index]!.status === 'fulfilled');
  return {
    mail, recipients, failures,
    emails: new Map(ready.map((accountId) => [accountId, newEmail(messageKey(accountId, mail.messageId), mail, message, raw.length)])),
  };
};

const copyObject = async (mail: ReceivedMail, to: string, { objects }: BatchDependencies): Promise<void> => {
  if (mail.objectKey === to) return;
  const isCopied = await objects.copy(mail.objectKey, to);
  if (!isCopied) throw new RawMessageMissing(mail);
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

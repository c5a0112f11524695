import { emailIdOf, messageBlobId, messageKey } from '../../core/mail-types/email/blob-id.ts';
import type { DeliveredEmail } from '../../core/mail-types/email/new-email.ts';
import { exceededResource } from '../../core/mail-types/quota/account-quota.ts';
import type { ReceivedMessage } from '../../core/mail-types/delivery/received-message.ts';
import { parseMessage, type ParsedMessage } from '../../core/mime/parse-message.ts';
import { mapConcurrently } from '../../core/runtime/concurrency/map-concurrently.ts';
import { findCopies, noCopies, withholdCopies, type AliasCopies } from './alias-copies.ts';
import { parseQueueRecord } from './queue-record.ts';
import { isSignInMail } from './sign-in-mail.ts';
import { trustOnlySesResults } from './received/authentication-results.ts';
import { headerFieldsOf } from './bounces/bounce-policy.ts';
import { sendBounce } from './bounces/bounce-task.ts';
import type { BatchDependencies } from './deliver-dependencies.ts';
import { postponeMail, type PostponedMail } from './bounces/postponed-mail.ts';
import { accountCopyKey, beginningOf, findAccountCopy, RawMessageMissing, readBeginning, wasDeliveredToAll } from './received/raw-message.ts';
import { changeRecord, entriesOf, receivedRecord, withRecord, type Undeliverable } from './received/received-record.ts';
import type { ReceivedMail } from './received/ses-notification.ts';
import { bounceUndeliverable } from './bounces/undeliverable.ts';

/** A message that is stored in the folders of its accounts, and whose Emails are ready to be added. */
export type PreparedDelivery = {
  readonly mail: ReceivedMail;
  readonly recipients: Recipients;
  /** The Emails by account id. An account whose copy failed has none. */
  readonly emails: ReadonlyMap<string, DeliveredEmail>;
  /** The failures of copies into the folders of accounts. */
  readonly failures: readonly unknown[];
  /** The record of the message. Undefined for a message that waited, whose record is stored. */
  readonly received: ReceivedMessage | undefined;
};

type Recipients = {
  /** The accounts, each with the envelope recipients that are its addresses. */
  readonly accounts: ReadonlyMap<string, readonly string[]>;
  /** The recipients without an account. */
  readonly unknown: readonly string[];
  readonly copies: AliasCopies;
};

/**
 * Finds the accounts of a message, each once. For a message that waits for full accounts, these are the accounts and
 * copies that are still missing.
 */
const findAccounts = async (mail: ReceivedMail | PostponedMail, { resolveAddresses }: BatchDependencies): Promise<Recipients> => {
  const { recipients } = mail;
  const found = recipients.length > 0 ? await resolveAddresses(recipients) : new Map<string, never>();
  const known = recipients.filter((recipient) => found.has(recipient));
  return {
    accounts: Map.groupBy(known, (recipient) => found.get(recipient)!.accountId),
    unknown: [...new Set(recipients)].filter((recipient) => !found.has(recipient)),
    copies: 'copyAccountIds' in mail
      ? { ...noCopies, accountIds: mail.copyAccountIds }
      : await findCopies(known.map((recipient) => found.get(recipient)!), resolveAddresses),
  };
};

/**
 * Prepares the Emails that one record adds to accounts.
 * @returns undefined when no work remains.
 * @throws RawMessageMissing when the object is missing, and at least one account never had the Email.
 */
export const prepareDelivery = async (body: string, dependencies: BatchDependencies): Promise<PreparedDelivery | undefined> => {
  const record = parseQueueRecord(body);
  if (record.kind === 'bounce') {
    await sendBounce(record.bounce, dependencies);
    return undefined;
  }
  if (record.kind === 'setup') {
    dependencies.log.info('SES sent a setup notification; nothing to deliver');
    return undefined;
  }
  const { kind, mail } = record;
  const recipients = await findAccounts(mail, dependencies);
  const isWaiting = kind === 'postponed' && await areFull(accountIdsOf(recipients), dependencies);
  try {
    return await prepareMessage(mail, recipients, isWaiting, dependencies);
  } catch (failure) {
    if (!(failure instanceof RawMessageMissing)) throw failure;
    return prepareWithoutObject(mail, recipients, isWaiting, dependencies);
  }
};

const accountIdsOf = ({ accounts, copies }: Recipients): readonly string[] => [...accounts.keys(), ...copies.accountIds];

/**
 * Whether all of these accounts are still full. It is checked first, so that a message that waits for them is not read
 * and copied in vain.
 */
const areFull = async (accountIds: readonly string[], { mailStore }: BatchDependencies): Promise<boolean> => {
  const quotas = await mapConcurrently(accountIds, (accountId) => mailStore.quota(accountId));
  return accountIds.length > 0 && quotas.every((quota) => quota && exceededResource(quota, 1));
};

/**
 * Prepares a message whose object no longer exists, because another record of the same notification finished all work
 * and removed it. Steps whose completion is not recorded are repeated, from the copy in an account that has the Email.
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
  // The bounce is enqueued first, so that a delivery that keeps failing does not prevent it.
  if (isForNobody) await handleUndeliverable(mail, recipients, dependencies);
  const undeliverable = unknown.length > 0 && !isForNobody ? await bounceUndeliverable(mail, unknown, dependencies) : {};
  if (isWaiting) await postponeMail(mail, { accounts, copyAccountIds: copies.accountIds }, dependencies);
  if (isWaiting || isForNobody) return undefined;
  return dependencies.withMessage(mail, (stored) => copyToAccounts(mail, stored, recipients, undeliverable, dependencies));
};

/** Bounces and records a message that no account receives. Of its content, only the beginning is read. */
const handleUndeliverable = async (mail: ReceivedMail, recipients: Recipients, dependencies: BatchDependencies): Promise<void> => {
  const beginning = await readBeginning(mail, dependencies.objects);
  const undeliverable = await bounceUndeliverable(mail, recipients.unknown, dependencies, beginning);
  if (mail.record) return changeRecord(mail, entriesOf(mail, recipients.unknown, undeliverable), dependencies);
  const message = parseMessage(beginning.bytes);
  await dependencies.received.record(receivedRecord(mail, message, beginning.size, recipients, undeliverable, dependencies));
};

/** Parses a message. A message on which the parser fails is delivered as one part to download. */
const parseRawMessage = ({ messageId }: ReceivedMail, raw: Buffer, { log }: BatchDependencies): ParsedMessage => {
  const message = parseMessage(raw);
  if (message.failure) {
    log.error('the parser failed; the message is delivered unparsed', { sesMessageId: messageId, failure: message.failure.name });
  }
  return message;
};

/**
 * Stores the raw message in the accounts' folders before the commits, so that every listed Email can be read. The copy
 * differs from SES's object if the sender wrote header fields of SES.
 * @throws RawMessageMissing when the object was removed in the meantime.
 */
const copyToAccounts = async (
  mail: ReceivedMail, stored: Buffer, found: Recipients, undeliverable: Undeliverable, dependencies: BatchDependencies,
): Promise<PreparedDelivery> => {
  const raw = trustOnlySesResults(stored);
  const recipients = withCopiesOf(raw, mail, found, dependencies);
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
  const received = mail.record ? undefined : receivedRecord(mail, message, raw.length, recipients, undeliverable, dependencies);
  return {
    mail: received ? withRecord(mail, received) : mail, recipients, failures, received,
    emails: new Map(ready.map((accountId) => [accountId, newEmail(messageKey(accountId, mail.messageId), mail, message, raw.length)])),
  };
};

/** The recipients without copies, if the message may have a code or a password. */
const withCopiesOf = (raw: Buffer, mail: ReceivedMail, found: Recipients, { signInMailFrom }: BatchDependencies): Recipients => {
  const { inside, outside } = found.copies;
  if (inside.length + outside.length === 0) return found;
  const fields = headerFieldsOf(beginningOf(raw)) ?? [];
  if (!isSignInMail(mail, fields, signInMailFrom)) return found;
  return { ...found, copies: withholdCopies(found.copies) };
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

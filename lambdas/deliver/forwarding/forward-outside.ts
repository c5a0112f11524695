import { createHash } from 'node:crypto';
import type { Alias } from '../../../contract/admin/aliases.ts';
import { forwardMessageClass, maxSubmissionMessageBytes, type SendLimits } from '../../../contract/deployment/sending.ts';
import { domainOf } from '../../../contract/values/mail-address.ts';
import { decodeHead } from '../../../core/account-log/head.ts';
import { headKey } from '../../../core/account-log/keys.ts';
import { aliasMaySend } from '../../../core/directory/aliases/may-send.ts';
import { countForwarded } from '../../../core/mail/forward-counts.ts';
import { sentForReceivedKey } from '../../../core/mail/responded-senders.ts';
import { secondsNow, type Clock } from '../../../core/runtime/clock.ts';
import type { Log } from '../../../core/runtime/log.ts';
import { acceptSubmission } from '../../../core/sending/submission/accept-submission.ts';
import { UnsendableMessage } from '../../../core/sending/wire/wire-header.ts';
import { contentOf, type Table, type Write } from '../../../core/storage/table.ts';
import { isAutomaticAnswer, isNullSender } from '../bounces/bounce-policy.ts';
import { isLoop, sentOnMemorySeconds, withMarks, type CopyMarks, type Marks } from '../copy-marks.ts';
import { composeForOutside, keepsAuthor, type ReadHeader } from '../outside-message.ts';
import type { ReceivedMail } from '../received/ses-notification.ts';
import type { VacationDependencies } from '../vacation/send-vacation-response.ts';

/** The reason why a message is not forwarded to the outside. */
export type OutsideObstacle =
  | 'forwarding to the outside is off'
  | 'automatic answer'
  | 'loop'
  | 'the address is suppressed'
  | 'the address may not send'
  | 'the message cannot be sent on'
  | 'too large'
  | 'send limit';

export type ForwardDependencies = {
  readonly vacation: VacationDependencies;
  readonly copyMarks: CopyMarks;
  readonly mailTable: Table;
  /** The send limits of accounts without their own limits. */
  readonly sendLimits: SendLimits;
  /** Whether accounts may forward to addresses outside. */
  readonly mayForwardOutside: boolean;
  readonly clock: Clock;
  readonly log: Log;
};

/** A message that an account forwards. */
export type ForwardedMail = {
  readonly mail: ReceivedMail;
  readonly header: ReadHeader;
  /** The valid marks of the header. */
  readonly marks: Marks;
  readonly accountId: string;
  /** The confirmed addresses outside. */
  readonly addresses: readonly string[];
  /** The marks that the account writes: its own, and those of the accounts by which it got the message. */
  readonly newMarks: readonly string[];
  /** The marks by which it knows that the message was forwarded by these accounts before. */
  readonly knownMarks: readonly string[];
};

/** The primary address of the account with its Identity's properties, if mail may be sent from it. */
export const primarySender = async (accountId: string, { aliases, domains }: VacationDependencies): Promise<Alias | undefined> => {
  const primary = (await aliases.findByAccount(accountId)).find(({ is_primary: isPrimary }) => isPrimary);
  const domain = primary && (await domains.find(primary.domain_id));
  return domain && aliasMaySend(primary, domain) ? primary : undefined;
};

/** The memory that an account has forwarded a message to these addresses. */
const sentOf = contentOf<{ readonly sent: readonly string[] }>;

/** The key of the memory that the account has forwarded the message. */
const memoryKey = (accountId: string, { messageId }: ReceivedMail) =>
  sentForReceivedKey(accountId, `forward#${createHash('sha256').update(messageId).digest('base64url').slice(0, 32)}`);

/** The writes that count a message for the send limits of the account. Undefined when there is no room. */
export const countWrites = async (
  accountId: string,
  recipients: number,
  { mailTable, sendLimits, clock }: Pick<ForwardDependencies, 'mailTable' | 'sendLimits' | 'clock'>,
): Promise<Write[] | undefined> => {
  const item = await mailTable.get(headKey(accountId));
  if (!item) return undefined;
  const { sends, sendLimits: own } = decodeHead(item);
  return countForwarded(accountId, recipients, { ...sendLimits, ...own }, sends, clock())?.map((write) => ({ ...write, inTable: mailTable.reference }));
};

/** The addresses to which a message was or is sent, and the reason for which the others get nothing. */
export type ForwardResult = { readonly sent: readonly string[]; readonly reason?: OutsideObstacle };

/**
 * Accepts the message for the addresses outside as a submission of the account, once for each received message, in one
 * transaction. SES's events name an address that bounces.
 */
export const forwardOutside = async (
  { mail, header, marks, accountId, addresses, newMarks, knownMarks }: ForwardedMail,
  dependencies: ForwardDependencies,
): Promise<ForwardResult> => {
  const { vacation, copyMarks, mailTable, mayForwardOutside, clock, log } = dependencies;
  const skip = (reason: OutsideObstacle): ForwardResult => {
    log.info('the message was not forwarded to the outside', { accountId, sesMessageId: mail.messageId, reason });
    return { sent: [], reason };
  };
  if (!mayForwardOutside) return skip('forwarding to the outside is off');
  if (isNullSender(mail.sender) || isAutomaticAnswer(header.fields)) return skip('automatic answer');
  if (isLoop(marks, ...knownMarks)) return skip('loop');
  const key = memoryKey(accountId, mail);
  const [known, from, suppressed] = await Promise.all([
    mailTable.get(key),
    primarySender(accountId, vacation),
    vacation.suppressions.findReasons(addresses, forwardMessageClass, clock()),
  ]);
  if (known) return { sent: sentOf(known).sent };
  const recipients = addresses.filter((address) => !suppressed.has(address));
  if (recipients.length === 0) return skip('the address is suppressed');
  if (!from) return skip('the address may not send');
  const [keepsFrom, own, counted] = await Promise.all([
    keepsAuthor(mail, header, vacation.domains),
    Promise.all(newMarks.map((mark) => copyMarks.markOf(mark))),
    countWrites(accountId, recipients.length, dependencies),
  ]);
  if (!counted) return skip('send limit');
  const [submissionId, now] = [vacation.newId('submission'), clock()];
  let message: Buffer;
  try {
    const sender = { email: from.email, name: from.name ?? from.email };
    message = composeForOutside(header, { sender, keepsFrom, marks: withMarks(marks, own) }, `${submissionId}@${domainOf(from.email)}`, now);
  } catch (error) {
    if (error instanceof UnsendableMessage) return skip('the message cannot be sent on');
    throw error;
  }
  if (message.length > maxSubmissionMessageBytes) return skip('too large');
  const memory = { put: { ...key, sent: recipients, expiresAt: secondsNow(() => now) + sentOnMemorySeconds }, if: { absent: true } } as const;
  const isAccepted = await acceptSubmission(
    {
      submission_id: submissionId,
      account_id: accountId,
      identity_id: from.alias_id,
      message_class: forwardMessageClass,
      mail_from: from.email,
      send_at: now.toISOString(),
      created_at: now.toISOString(),
      ignores_suppression: false,
      recipients,
      message,
    },
    vacation.sending,
    [...counted, { ...memory, inTable: mailTable.reference }],
  );
  if (!isAccepted) {
    // Another record of the same message was faster, or the limit was reached meanwhile.
    const other = await mailTable.get(key);
    return other ? { sent: sentOf(other).sent } : skip('send limit');
  }
  log.info('the message was forwarded to the outside', { accountId, sesMessageId: mail.messageId, recipients: recipients.length });
  return { sent: recipients };
};

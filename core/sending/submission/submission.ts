import type { MessageClass } from '../../../contract/admin/mail-feedback.ts';
import { comparableAddress } from '../../../contract/values/mail-address.ts';
import {
  deliveryStatusOf,
  failureOf,
  isProvisionalFailure,
  withFact,
  type DeliveryFact,
  type DeliveryFactKind,
  type DeliveryFacts,
  type DeliveryStatus,
} from './delivery-status.ts';
import type { PartReference } from './submit-queue.ts';

/**
 * A message to send: an EmailSubmission (RFC 8621 §7), or a test mail that belongs to no account. Times are RFC 3339 in
 * UTC.
 */
export type Submission = {
  readonly submission_id: string;
  /** Absent for a test mail. */
  readonly account_id?: string;
  readonly user_id?: string;
  /** The sending identity: the account's; for mail without an account the domain's or the address's. */
  readonly identity_id: string;
  readonly message_class: MessageClass;
  /** The envelope sender. */
  readonly mail_from: string;
  /**
   * The SMTP parameters of the envelope sender, by name; null for a parameter without a value. Absent when there are
   * none.
   */
  readonly mail_parameters?: { readonly [name: string]: string | null };
  /** The message is not sent before this time. */
  readonly send_at: string;
  readonly created_at: string;
  /** The undo status is `pending` until the first part starts. Only a pending submission can be canceled. */
  readonly undo_status: 'pending' | 'final' | 'canceled';
  /** Number of parts; each has up to 50 recipients. */
  readonly parts: number;
  /** Whether suppression is ignored, for a test mail to SES's mailbox simulator. */
  readonly ignores_suppression: boolean;
  /** Whether the account has an EmailSubmission with this id. Absent for test mails and vacation responses. */
  readonly has_record?: boolean;
  /** The Thread of the sent Email. Absent for mail that is not an Email. */
  readonly thread_id?: string;
  /** The header of the message, shortened by `original-header.ts`. */
  readonly header: string;
  /** The key of the raw message in the mail bucket. */
  readonly message_key: string;
};

export type NewSubmission = Omit<Submission, 'undo_status' | 'parts' | 'header' | 'message_key'> & {
  /** The envelope recipients, without duplicates. */
  readonly recipients: readonly string[];
  /** The raw message (RFC 5322), without Bcc. */
  readonly message: Buffer;
};

/** SES's acceptance of a part. */
type SentRecord = { readonly provider_message_id: string; readonly at: string };

/** Whether a submission waits from its creation on, so that its sender can cancel it. */
export const isHeld = ({ send_at, created_at }: Pick<Submission, 'send_at' | 'created_at'>): boolean => Date.parse(send_at) > Date.parse(created_at);

export type SubmissionRecipient = { readonly address: string; readonly facts: DeliveryFacts };

/** A report about failed recipients. Its state is `due`, then `delivered`, or `dropped` when the account is removed. */
export type DeliveryReport = {
  readonly state: 'due' | 'delivered' | 'dropped';
  /** Time of the latest failure. */
  readonly at: string;
  readonly recipients: readonly { readonly address: string; readonly failure: DeliveryFact }[];
  /** The blob of the report. Present when the report is delivered. */
  readonly blob_id?: string;
};

/**
 * A part of a submission: up to 50 recipients, to whom one call of SES sends. Its states: `queued`; `sending`, which is
 * recorded before SES is called; `sent`, which the submit Lambda records, or SES's event when that Lambda was
 * interrupted; `failed`, when nothing was sent. A part returns from `sending` to `queued` only when SES certainly did not
 * accept it.
 */
export type SubmissionPart = PartReference & {
  readonly state: 'queued' | 'sending' | 'sent' | 'failed';
  /** The number of calls of SES for this part. */
  readonly attempts: number;
  /** Start of the current attempt. Present in the state `sending`. */
  readonly attempted_at?: string;
  /** The number of attempts with neither a response nor an SES event. */
  readonly unanswered: number;
  readonly sent?: SentRecord;
  /** SES's ids of repeated acceptances. The part was sent again because the response to an accepted call was lost. */
  readonly sent_again?: readonly string[];
  readonly recipients: readonly SubmissionRecipient[];
  /**
   * The reports, oldest first. Absent when failures are not reported, because the submission has no EmailSubmission.
   */
  readonly reports?: readonly DeliveryReport[];
  /** The time at which the outbox entry is due. A part has an entry until it is finished. */
  readonly due?: string;
  /** True when the index of sent mail contains the part. Absent until the part is due, unless the submission is held. */
  readonly is_indexed?: true;
  /** The time before which a queued part is not sent, because SES throttled or could not be reached. */
  readonly retry_at?: string;
  /** Seconds since 1970 at which DynamoDB deletes the item. */
  readonly expiresAt: number;
  readonly version: number;
};

/** A new fact about all recipients of a part, or about those with these addresses, in any spelling. */
export type RecipientUpdate = { readonly kind: DeliveryFactKind; readonly fact: DeliveryFact; readonly recipients: 'all' | readonly string[] };

/** The part with new facts about its recipients; the same object when the facts change nothing. */
export const withRecipientUpdates = (part: SubmissionPart, updates: readonly RecipientUpdate[]): SubmissionPart => {
  const updated = (recipient: SubmissionRecipient): SubmissionRecipient => {
    const own = comparableAddress(recipient.address);
    const isAbout = ({ recipients }: RecipientUpdate): boolean => recipients === 'all' || recipients.some((address) => comparableAddress(address) === own);
    const facts = updates.filter(isAbout).reduce((known, { kind, fact }) => withFact(known, kind, fact), recipient.facts);
    return facts === recipient.facts ? recipient : { ...recipient, facts };
  };
  const recipients = part.recipients.map(updated);
  return recipients.every((recipient, index) => recipient === part.recipients[index]) ? part : { ...part, recipients };
};

/** SES's ids of a part: one, or more when the part was sent again. */
export const providerMessageIds = ({ sent, sent_again: again = [] }: Pick<SubmissionPart, 'sent' | 'sent_again'>): readonly string[] =>
  sent ? [sent.provider_message_id, ...again] : again;

/** SES's message ids that were not known before. */
export const newProviderMessageIds = (before: SubmissionPart, part: SubmissionPart): readonly string[] => {
  const known = new Set(providerMessageIds(before));
  return providerMessageIds(part).filter((id) => !known.has(id));
};

/**
 * The part in the state `sent`. Further acceptances are added to `sent_again`. Returns the same object when this
 * acceptance is already known.
 */
export const markSent = (part: SubmissionPart, sent: SentRecord): SubmissionPart => {
  const known = part.sent;
  const isKnown = known?.provider_message_id === sent.provider_message_id || part.sent_again?.includes(sent.provider_message_id);
  const isEarlier = !known || sent.at < known.at || (sent.at === known.at && sent.provider_message_id < known.provider_message_id);
  if (isKnown && part.state === 'sent') return part;
  const { attempted_at: _at, retry_at: _retry, sent_again: _again, ...rest } = part;
  const ids = new Set([...(known ? [known.provider_message_id] : []), ...(part.sent_again ?? []), sent.provider_message_id]);
  const earliest = isEarlier ? sent : known;
  ids.delete(earliest.provider_message_id);
  return { ...rest, state: 'sent', sent: earliest, ...(ids.size > 0 && { sent_again: [...ids].toSorted() }) };
};

/** The part in the state `failed`, with the reason for all recipients, unless SES accepted it meanwhile. */
export const markFailed = (part: SubmissionPart, reason: DeliveryFact, kind: 'refused' | 'unconfirmed' = 'refused'): SubmissionPart => {
  if (part.state === 'sent') return part;
  const { attempted_at: _at, retry_at: _retry, ...rest } = withRecipientUpdates(part, [{ kind, fact: reason, recipients: 'all' }]);
  return { ...rest, state: 'failed' };
};

const latest = (failures: readonly DeliveryFact[]): string => failures.reduce((known, { at }) => (at > known ? at : known), '');

/**
 * The part with a due report about all recipients whose failure is not reported yet; the same object when there are
 * none. Each recipient is in at most one report, so the sender gets one report of a failure.
 * @param alsoProvisional whether to include failures that a later delivery could outweigh.
 */
export const withDueReport = (part: SubmissionPart, { alsoProvisional = false } = {}): SubmissionPart => {
  const { reports } = part;
  if (!reports) return part;
  const recipients = unreportedFailures(part)
    .filter(({ isProvisional }) => alsoProvisional || !isProvisional)
    .map(({ address, failure }) => ({ address, failure }));
  if (recipients.length === 0) return part;
  return { ...part, reports: [...reports, { state: 'due', at: latest(recipients.map(({ failure }) => failure)), recipients }] };
};

type UnreportedFailure = { readonly address: string; readonly failure: DeliveryFact; readonly isProvisional: boolean };

/** The failures that no report contains. Empty when failures are not reported. */
export const unreportedFailures = ({ recipients, reports }: SubmissionPart): readonly UnreportedFailure[] => {
  const reported = new Set(reports?.flatMap((report) => report.recipients.map(({ address }) => address)));
  return reports === undefined
    ? []
    : recipients.flatMap(({ address, facts }) => {
        const failure = failureOf(facts);
        return failure && !reported.has(address) ? [{ address, failure, isProvisional: isProvisionalFailure(facts) }] : [];
      });
};

/** Whether a report of the part is not delivered yet. */
export const hasDueReport = ({ reports = [] }: SubmissionPart): boolean => reports.some(({ state }) => state === 'due');

/** Whether a part needs no more work. Events may still change its facts. */
export const isFinished = (part: SubmissionPart): boolean => (part.state === 'sent' || part.state === 'failed') && !hasDueReport(part);

/** Addresses of the recipients to whom the part must still be sent: those neither withheld nor refused. */
export const remainingRecipients = ({ recipients }: SubmissionPart): string[] =>
  recipients.flatMap(({ address, facts }) => ((facts.withheld ?? facts.refused) ? [] : [address]));

/** The property `deliveryStatus` (RFC 8621 §7), by recipient. */
export const deliveryStatuses = (parts: readonly Pick<SubmissionPart, 'recipients'>[]): Record<string, DeliveryStatus> =>
  Object.fromEntries(parts.flatMap(({ recipients }) => recipients.map(({ address, facts }) => [address, deliveryStatusOf(facts)])));

/** The property `dsnBlobIds` (RFC 8621 §7): the blobs of the delivered reports. */
export const reportBlobIds = (parts: readonly SubmissionPart[]): readonly string[] =>
  parts
    .flatMap(({ reports = [] }) => reports)
    .toSorted((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)))
    .flatMap(({ blob_id: blobId }) => (blobId === undefined ? [] : [blobId]));

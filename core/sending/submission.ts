import type { MessageClass } from '../../contract/admin/mail-feedback.ts';
import {
  deliveryStatusOf, withFact, type DeliveryFact, type DeliveryFactKind, type DeliveryFacts, type DeliveryStatus,
} from './delivery-status.ts';
import type { PartReference } from './submit-queue.ts';

/**
 * A message that is being sent: an EmailSubmission (RFC 8621 §7), or a test mail that belongs to no account. Times are
 * RFC 3339 in UTC with milliseconds.
 */
export type Submission = {
  readonly submission_id: string;
  /** Absent for a test mail. */
  readonly account_id?: string;
  readonly user_id?: string;
  /** The sending identity: of the account, else of the domain or the address. */
  readonly identity_id: string;
  readonly message_class: MessageClass;
  /** The sender of the envelope. */
  readonly mail_from: string;
  /** The message is not sent before this time. */
  readonly send_at: string;
  readonly created_at: string;
  /** `pending` until the first part starts. Only a pending submission can be canceled. */
  readonly undo_status: 'pending' | 'final' | 'canceled';
  /** Number of parts; each has up to 50 recipients. */
  readonly parts: number;
  /** True for a test mail to SES's mailbox simulator, which is sent however often the simulator bounced. */
  readonly ignores_suppression: boolean;
};

export type NewSubmission = Omit<Submission, 'undo_status' | 'parts'> & {
  /** The recipients of the envelope, each once. */
  readonly recipients: readonly string[];
  /** The raw message (RFC 5322), without Bcc. */
  readonly message: Uint8Array;
};

/** SES's acceptance of a part. */
export type SentRecord = { readonly provider_message_id: string; readonly at: string };

export type SubmissionRecipient = { readonly address: string; readonly facts: DeliveryFacts };

/**
 * One send of a submission. Its states: `queued`; `sending`, which is recorded before SES is called; `sent`, which the
 * submit Lambda records, or SES's own event when that Lambda died; `failed`, when nothing was sent. A part returns from
 * `sending` to `queued` only when SES certainly did not accept it.
 */
export type SubmissionPart = PartReference & {
  readonly state: 'queued' | 'sending' | 'sent' | 'failed';
  /** How often SES was called. */
  readonly attempts: number;
  /** Start of the current attempt, while `sending`. */
  readonly attempted_at?: string;
  /** How many attempts had neither a response nor an SES event. */
  readonly unanswered: number;
  readonly sent?: SentRecord;
  readonly recipients: readonly SubmissionRecipient[];
  /** When its outbox entry falls due; absent when it has none. */
  readonly due?: string;
  readonly version: number;
};

/** A new fact about all recipients of a part, or about some of them by their addresses in any case. */
export type RecipientUpdate = {
  readonly kind: DeliveryFactKind;
  readonly fact: DeliveryFact;
  readonly recipients: 'all' | readonly string[];
};

const isSameAddress = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** The part with new facts about its recipients; the same object when they change nothing. */
export const withRecipientUpdates = (part: SubmissionPart, updates: readonly RecipientUpdate[]): SubmissionPart => {
  const updated = (recipient: SubmissionRecipient): SubmissionRecipient => {
    const isAbout = ({ recipients }: RecipientUpdate): boolean =>
      recipients === 'all' || recipients.some((address) => isSameAddress(address, recipient.address));
    const facts = updates.filter(isAbout).reduce((known, { kind, fact }) => withFact(known, kind, fact), recipient.facts);
    return facts === recipient.facts ? recipient : { ...recipient, facts };
  };
  const recipients = part.recipients.map(updated);
  return recipients.every((recipient, index) => recipient === part.recipients[index]) ? part : { ...part, recipients };
};

/** The part in the state `sent`. Of two acceptances, the earlier one is kept; the same object when nothing changes. */
export const markSent = (part: SubmissionPart, sent: SentRecord): SubmissionPart => {
  const known = part.sent;
  const isEarlier = !known || sent.at < known.at || (sent.at === known.at && sent.provider_message_id < known.provider_message_id);
  if (!isEarlier && part.state === 'sent') return part;
  const { attempted_at: _at, ...rest } = part;
  return { ...rest, state: 'sent', sent: isEarlier ? sent : known };
};

/**
 * The part in the state `failed`, with the reason for all recipients. A part that SES accepted meanwhile stays `sent`.
 */
export const markFailed = (part: SubmissionPart, reason: DeliveryFact): SubmissionPart => {
  if (part.state === 'sent') return part;
  const { attempted_at: _at, ...rest } = withRecipientUpdates(part, [{ kind: 'refused', fact: reason, recipients: 'all' }]);
  return { ...rest, state: 'failed' };
};

/** Addresses of the recipients that are not withheld. */
export const remainingRecipients = ({ recipients }: SubmissionPart): string[] =>
  recipients.flatMap(({ address, facts }) => (facts.withheld ? [] : [address]));

/** RFC 8621 §7 "deliveryStatus", by recipient. */
export const deliveryStatuses = (parts: readonly SubmissionPart[]): Record<string, DeliveryStatus> =>
  Object.fromEntries(parts.flatMap(({ recipients }) => recipients.map(({ address, facts }) => [address, deliveryStatusOf(facts)])));

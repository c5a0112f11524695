import type { MessageClass } from '../../contract/admin/mail-feedback.ts';
import type { PartReference } from './submit-queue.ts';
import { deliveryStatusOf, withFact, type DeliveryStatus, type DeliveryFact, type DeliveryFactKind, type DeliveryFacts } from './delivery-status.ts';

/**
 * A message on its way out: what RFC 8621 §7 calls an EmailSubmission, or a test mail that belongs to no account.
 * Times are RFC 3339 in UTC with milliseconds.
 */
export type Submission = {
  readonly submission_id: string;
  /** Whose it is; a test mail is nobody's. */
  readonly account_id?: string;
  readonly user_id?: string;
  /** The sending identity: of the account, else the domain's or the address's. */
  readonly identity_id: string;
  readonly message_class: MessageClass;
  /** The envelope's sender. */
  readonly mail_from: string;
  /** Not sent before this moment. */
  readonly send_at: string;
  readonly created_at: string;
  /** `pending` until a first part is about to be sent; only then can it be canceled. */
  readonly undo_status: 'pending' | 'final' | 'canceled';
  /** Its sends: recipients by fifties. */
  readonly parts: number;
  /** A test by SES's simulator goes out however often it bounced. */
  readonly ignores_suppression: boolean;
};

export type NewSubmission = Omit<Submission, 'undo_status' | 'parts'> & {
  /** The envelope's recipients, each once. */
  readonly recipients: readonly string[];
  /** The raw message (RFC 5322), without Bcc. */
  readonly message: Uint8Array;
};

/** SES's word that it took the message. */
export type SentRecord = { readonly provider_message_id: string; readonly at: string };

export type SubmissionRecipient = { readonly address: string; readonly facts: DeliveryFacts };

/**
 * One send. `queued` → `sending`, recorded before SES is asked → `sent`, recorded by the submit Lambda or, when that died, by SES's own report; or
 * `failed`: nothing went out. `sending` goes back to `queued` only when SES surely did not take it.
 */
export type SubmissionPart = PartReference & {
  readonly state: 'queued' | 'sending' | 'sent' | 'failed';
  /** How often SES was asked; since when it has not answered, while `sending`. */
  readonly attempts: number;
  readonly attempted_at?: string;
  /** How many of the attempts nobody ever heard of. */
  readonly unanswered: number;
  readonly sent?: SentRecord;
  readonly recipients: readonly SubmissionRecipient[];
  /** When its outbox entry falls due, while it has one. */
  readonly due?: string;
  readonly version: number;
};

/** What the recipients are to be told about: all of them, or some by their address in any case. */
export type RecipientUpdate = { readonly kind: DeliveryFactKind; readonly fact: DeliveryFact; readonly recipients: 'all' | readonly string[] };

const same = (address: string): string => address.toLowerCase();

/** The part with what became of recipients; the same object when it knew. */
export const withRecipientUpdates = (part: SubmissionPart, news: readonly RecipientUpdate[]): SubmissionPart => {
  const learned = (recipient: SubmissionRecipient): SubmissionRecipient => {
    const facts = news.filter(({ recipients }) => recipients === 'all' || recipients.some((address) => same(address) === same(recipient.address)))
      .reduce((known, { kind, fact }) => withFact(known, kind, fact), recipient.facts);
    return facts === recipient.facts ? recipient : { ...recipient, facts };
  };
  const recipients = part.recipients.map(learned);
  return recipients.every((recipient, index) => recipient === part.recipients[index]) ? part : { ...part, recipients };
};

/** The part that SES took. Told twice, even under two ids, it is the earlier one. */
export const markSent = (part: SubmissionPart, sent: SentRecord): SubmissionPart => {
  const known = part.sent;
  const isNews = !known || sent.at < known.at || (sent.at === known.at && sent.provider_message_id < known.provider_message_id);
  if (!isNews && part.state === 'sent') return part;
  const { attempted_at: _at, ...rest } = part;
  return { ...rest, state: 'sent', sent: isNews ? sent : known };
};

/** The part that nothing went out of, and will not. What SES said meanwhile stands. */
export const markFailed = (part: SubmissionPart, fact: DeliveryFact): SubmissionPart => {
  if (part.state === 'sent') return part;
  const { attempted_at: _at, ...rest } = withRecipientUpdates(part, [{ kind: 'refused', fact, recipients: 'all' }]);
  return { ...rest, state: 'failed' };
};

/** Those it still goes to: not withheld. */
export const remainingRecipients = ({ recipients }: SubmissionPart): string[] => recipients.flatMap(({ address, facts }) => (facts.withheld ? [] : [address]));

/** RFC 8621 §7 "deliveryStatus", by recipient. */
export const deliveryStatuses = (parts: readonly SubmissionPart[]): Record<string, DeliveryStatus> =>
  Object.fromEntries(parts.flatMap(({ recipients }) => recipients.map(({ address, facts }) => [address, deliveryStatusOf(facts)])));

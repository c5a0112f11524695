import type { MailFeedback } from '../../contract/admin/mail-feedback.ts';
import type { MessageClass } from '../../contract/admin/mail-feedback.ts';
import type { Suppression } from '../../contract/admin/suppression.ts';
import { softBouncePolicy } from '../../contract/sending.ts';

/**
 * What bounces and complaints make of a recipient (docs/specification.md#suppression). The record holds what happened, whatever the order it was told in;
 * the levels are read from it, at a moment. Times are RFC 3339 in UTC with milliseconds, so that they compare as text.
 */
export type SuppressionRecord = {
  readonly recipient: string;
  /** When the record was begun: its place in the list. */
  readonly created_at: string;
  readonly version: number;
  readonly bounce: BounceRecord;
  readonly complaints: { readonly [Class in MessageClass]: ComplaintRecord };
};

type Happened = { readonly count: number; readonly first?: string; readonly cleared_at?: string };

/** `id` decides between two of the same moment. */
type BounceRecord = Happened & {
  readonly last?: { readonly at: string; readonly id: string; readonly type: string; readonly sub_type: string; readonly diagnostic_code: string };
  /** The newest bounce for good. */
  readonly hard?: string;
  /** The newest of those that may pass, in order. */
  readonly soft: readonly string[];
};

type ComplaintRecord = Happened & { readonly last?: { readonly at: string; readonly id: string; readonly type: string; readonly identity_id: string } };

const noComplaint: ComplaintRecord = { count: 0 };

const newRecord = (recipient: string, now: Date): SuppressionRecord => ({
  recipient, created_at: now.toISOString(), version: 0, bounce: { count: 0, soft: [] },
  complaints: { TRANSACTIONAL: noComplaint, MAILING_LIST: noComplaint, BULK: noComplaint },
});

type Dated = { readonly at: string; readonly id: string };
const newer = <T extends Dated>(known: T | undefined, told: T): T =>
  (known && (known.at > told.at || (known.at === told.at && known.id >= told.id)) ? known : told);
const earlier = (known: string | undefined, told: string): string => (known !== undefined && known < told ? known : told);
const later = (known: string | undefined, told: string): string => (known !== undefined && known > told ? known : told);

const withBounce = (record: BounceRecord, { id, timestamp: at, bounce_metadata: said }: MailFeedback): BounceRecord => ({
  ...record,
  count: record.count + 1,
  first: earlier(record.first, at),
  last: newer(record.last, { at, id, type: said?.bounce_type ?? '', sub_type: said?.bounce_sub_type ?? '', diagnostic_code: said?.diagnostic_code ?? '' }),
  ...(said?.bounce_type === 'Permanent'
    ? { hard: later(record.hard, at) }
    : { soft: [...record.soft, at].sort().slice(-softBouncePolicy.maxRemembered) }),
});

const withComplaint = (record: ComplaintRecord, { id, timestamp: at, identity_id, complaint_metadata: said }: MailFeedback): ComplaintRecord => ({
  ...record,
  count: record.count + 1,
  first: earlier(record.first, at),
  last: newer(record.last, { at, id, type: said?.complaint_feedback_type ?? '', identity_id }),
});

/** A report of the type `not-spam` is the opposite of a complaint (RFC 6430 §3). */
const speaksAgainst = ({ type, complaint_metadata: said }: MailFeedback): boolean => type === 'BOUNCE' || said?.complaint_feedback_type !== 'not-spam';

/** The record with one bounce or complaint more, each told once; undefined when it says nothing against sending. */
export const withFeedback = (known: SuppressionRecord | undefined, feedback: MailFeedback, now: Date): SuppressionRecord | undefined => {
  if (!speaksAgainst(feedback)) return undefined;
  const record = known ?? newRecord(feedback.recipient, now);
  if (feedback.type === 'BOUNCE') return { ...record, bounce: withBounce(record.bounce, feedback) };
  const { message_class: messageClass } = feedback;
  return { ...record, complaints: { ...record.complaints, [messageClass]: withComplaint(record.complaints[messageClass], feedback) } };
};

/** The record after an operator said that bounces up to now do not count. */
export const withBouncesCleared = (record: SuppressionRecord, now: Date): SuppressionRecord =>
  ({ ...record, bounce: { ...record.bounce, cleared_at: now.toISOString() } });

/** The same of complaints about a class of message. */
export const withComplaintsCleared = (record: SuppressionRecord, messageClass: MessageClass, now: Date): SuppressionRecord =>
  ({ ...record, complaints: { ...record.complaints, [messageClass]: { ...record.complaints[messageClass], cleared_at: now.toISOString() } } });

const counts = (at: string | undefined, clearedAt: string | undefined): boolean => at !== undefined && (clearedAt === undefined || at > clearedAt);

type SoftState = { readonly count: number; readonly windowStart?: string; /** In milliseconds since 1970; 0 for never. */ readonly until: number };

/** Goes through the bounces that may pass in their order: a window that fills up ends in a back-off; bounces within it are of mail that was under way. */
const softStateOf = ({ soft, cleared_at }: BounceRecord): SoftState => {
  const { threshold, window, firstBackOff, maxBackOff, resetAfter } = softBouncePolicy;
  let [count, until, backOff]: [number, number, number] = [0, 0, firstBackOff];
  let windowStart: string | undefined;
  for (const at of soft.filter((one) => counts(one, cleared_at))) {
    const time = Date.parse(at);
    if (time < until) continue;
    if (until > 0 && time - until > resetAfter) backOff = firstBackOff;
    if (windowStart === undefined || count >= threshold || time - Date.parse(windowStart) > window) [windowStart, count] = [at, 0];
    count++;
    if (count === threshold) {
      until = time + backOff;
      backOff = Math.min(2 * backOff, maxBackOff);
    }
  }
  return { count, windowStart, until };
};

const bounceOf = (record: BounceRecord, now: Date): Suppression['bounce'] => {
  const soft = softStateOf(record);
  const isHard = counts(record.hard, record.cleared_at);
  const isSoft = !isHard && now.getTime() < soft.until;
  return {
    level: isHard ? 'HARD' : isSoft ? 'SOFT' : 'NONE',
    count: record.count,
    first_occurrence: record.first,
    last_occurrence: record.last?.at,
    soft_bounce_count: soft.count,
    soft_bounce_window_start: soft.windowStart,
    last_bounce_type: record.last?.type ?? '',
    last_bounce_sub_type: record.last?.sub_type ?? '',
    last_diagnostic_code: record.last?.diagnostic_code ?? '',
    reenable_after: isSoft ? new Date(soft.until).toISOString() : undefined,
  };
};

const complaintOf = ({ count, first, last, cleared_at }: ComplaintRecord): Suppression['complaints']['bulk'] => ({
  level: counts(last?.at, cleared_at) ? 'PERMANENT' : 'NONE',
  count,
  first_occurrence: first,
  last_occurrence: last?.at,
  last_complaint_type: last?.type ?? '',
  last_identity_id: last?.identity_id ?? '',
});

/** What stands against sending to the recipient at a moment. */
export const suppressionAt = ({ recipient, bounce, complaints }: SuppressionRecord, now: Date): Suppression => ({
  recipient,
  bounce: bounceOf(bounce, now),
  complaints: { transactional: complaintOf(complaints.TRANSACTIONAL), mailing_list: complaintOf(complaints.MAILING_LIST), bulk: complaintOf(complaints.BULK) },
});

/** Why mail of a class is not sent to the recipient at a moment; undefined when it is. */
export const suppressionReason = (record: SuppressionRecord, messageClass: MessageClass, now: Date): string | undefined => {
  const { level, reenable_after: until } = bounceOf(record.bounce, now);
  if (level === 'HARD') return 'mail to this recipient bounced for good';
  if (level === 'SOFT') return `mail to this recipient bounced again and again; it is sent to after ${until}`;
  return complaintOf(record.complaints[messageClass]).level === 'PERMANENT' ? 'this recipient complained about mail of this class' : undefined;
};

import type { MailFeedback, MessageClass } from '../../../contract/admin/mail-feedback.ts';
import type { Suppression } from '../../../contract/admin/suppression.ts';
import { softBouncePolicy } from '../../../contract/deployment/sending.ts';
import { keysOf } from '../../../contract/values/typed-entries.ts';

/**
 * The bounces and complaints of a recipient. The record contains only facts, and is the same for any order of arrival.
 * The levels are computed from it for a given time (docs/specification.md#suppression). Times are RFC 3339 in UTC with
 * milliseconds, so that they compare as text.
 */
export type SuppressionRecord = {
  readonly recipient: string;
  /** Time of creation, which is also the record's position in the list. */
  readonly created_at: string;
  readonly version: number;
  readonly bounce: BounceRecord;
  readonly complaints: { readonly [Class in MessageClass]: ComplaintRecord };
};

/** Counts all occurrences. Occurrences up to `cleared_at` no longer affect the levels. */
type Occurrences = { readonly count: number; readonly first?: string; readonly cleared_at?: string };

/** One occurrence. Of two occurrences at the same time, the one with the greater id is newer. */
type Occurrence = { readonly at: string; readonly id: string };

type BounceRecord = Occurrences & {
  readonly last?: Occurrence & { readonly type: string; readonly sub_type: string; readonly diagnostic_code: string };
  /** Time of the newest permanent bounce. */
  readonly hard?: string;
  /** Times of the newest soft bounces in order. All bounces are soft except the permanent ones. */
  readonly soft: readonly string[];
};

type ComplaintRecord = Occurrences & { readonly last?: Occurrence & { readonly type: string; readonly identity_id: string } };

const noComplaint: ComplaintRecord = { count: 0 };

const newRecord = (recipient: string, now: Date): SuppressionRecord => ({
  recipient,
  created_at: now.toISOString(),
  version: 0,
  bounce: { count: 0, soft: [] },
  complaints: { TRANSACTIONAL: noComplaint, MAILING_LIST: noComplaint, BULK: noComplaint },
});

const newer = <T extends Occurrence>(known: T | undefined, next: T): T =>
  known && (known.at > next.at || (known.at === next.at && known.id >= next.id)) ? known : next;
const earlier = (known: string | undefined, next: string): string => (known !== undefined && known < next ? known : next);
const later = (known: string | undefined, next: string): string => (known !== undefined && known > next ? known : next);

const withBounce = (record: BounceRecord, { id, timestamp: at, bounce_metadata: metadata }: MailFeedback): BounceRecord => ({
  ...record,
  count: record.count + 1,
  first: earlier(record.first, at),
  last: newer(record.last, {
    at,
    id,
    type: metadata?.bounce_type ?? '',
    sub_type: metadata?.bounce_sub_type ?? '',
    diagnostic_code: metadata?.diagnostic_code ?? '',
  }),
  ...(metadata?.bounce_type === 'Permanent' ? { hard: later(record.hard, at) } : { soft: [...record.soft, at].sort().slice(-softBouncePolicy.maxRemembered) }),
});

const withComplaint = (record: ComplaintRecord, { id, timestamp: at, identity_id, complaint_metadata: metadata }: MailFeedback): ComplaintRecord => ({
  ...record,
  count: record.count + 1,
  first: earlier(record.first, at),
  last: newer(record.last, { at, id, type: metadata?.complaint_feedback_type ?? '', identity_id }),
});

/**
 * Whether a bounce is an automatic reply, such as an out-of-office reply, which SES reports as a general transient
 * bounce.
 */
const isAutomaticAnswer = ({ bounce_metadata: bounce }: MailFeedback): boolean =>
  bounce?.bounce_type === 'Transient' && bounce.bounce_sub_type === 'General' && bounce.status === undefined && bounce.diagnostic_code === undefined;

/** Whether mail to the recipient failed. `not-spam` is the opposite of a complaint (RFC 6430 §3). */
const isNegative = (feedback: MailFeedback): boolean =>
  feedback.type === 'BOUNCE' ? !isAutomaticAnswer(feedback) : feedback.complaint_metadata?.complaint_feedback_type !== 'not-spam';

/** The record with one more bounce or complaint. Undefined when the feedback has no effect. */
export const withFeedback = (known: SuppressionRecord | undefined, feedback: MailFeedback, now: Date): SuppressionRecord | undefined => {
  if (!isNegative(feedback)) return undefined;
  const record = known ?? newRecord(feedback.recipient, now);
  if (feedback.type === 'BOUNCE') return { ...record, bounce: withBounce(record.bounce, feedback) };
  const { message_class: messageClass } = feedback;
  return { ...record, complaints: { ...record.complaints, [messageClass]: withComplaint(record.complaints[messageClass], feedback) } };
};

/** The record after an operator cleared all bounces up to now. */
export const withBouncesCleared = (record: SuppressionRecord, now: Date): SuppressionRecord => ({
  ...record,
  bounce: { ...record.bounce, cleared_at: now.toISOString() },
});

/** The record after an operator cleared all complaints about a message class up to now. */
export const withComplaintsCleared = (record: SuppressionRecord, messageClass: MessageClass, now: Date): SuppressionRecord => {
  const cleared = { ...record.complaints[messageClass], cleared_at: now.toISOString() };
  return { ...record, complaints: { ...record.complaints, [messageClass]: cleared } };
};

/** The record after an operator cleared everything up to now. */
export const withAllCleared = (record: SuppressionRecord, now: Date): SuppressionRecord =>
  keysOf(record.complaints).reduce((cleared, messageClass) => withComplaintsCleared(cleared, messageClass, now), withBouncesCleared(record, now));

/** Whether an occurrence is newer than the last clearing. */
const isEffective = (at: string | undefined, clearedAt: string | undefined): boolean => at !== undefined && (clearedAt === undefined || at > clearedAt);

type SoftBounceState = {
  readonly count: number;
  readonly windowStart?: string;
  /** End of the newest back-off in milliseconds since 1970; 0 when there was none. */
  readonly backOffEnd: number;
  /** The time of the bounce that started it. */
  readonly backOffStart?: string;
};

/**
 * Evaluates the soft bounces in order. A window that reaches the threshold starts a back-off. Bounces within a back-off
 * do not count, because their mail was sent before the back-off began.
 */
const softBounceState = ({ soft, cleared_at }: BounceRecord): SoftBounceState => {
  const { threshold, window, firstBackOff, maxBackOff, resetAfter } = softBouncePolicy;
  let [count, backOffEnd, backOff]: [number, number, number] = [0, 0, firstBackOff];
  let [windowStart, backOffStart]: (string | undefined)[] = [];
  for (const at of soft.filter((bounce) => isEffective(bounce, cleared_at))) {
    const time = Date.parse(at);
    if (time < backOffEnd) continue;
    if (backOffEnd > 0 && time - backOffEnd > resetAfter) backOff = firstBackOff;
    if (windowStart === undefined || count >= threshold || time - Date.parse(windowStart) > window) [windowStart, count] = [at, 0];
    count++;
    if (count === threshold) {
      backOffStart = at;
      backOffEnd = time + backOff;
      backOff = Math.min(2 * backOff, maxBackOff);
    }
  }
  return { count, windowStart, backOffEnd, backOffStart };
};

const bounceAt = (record: BounceRecord, now: Date): Suppression['bounce'] => {
  const soft = softBounceState(record);
  const isHard = isEffective(record.hard, record.cleared_at);
  const isSoft = !isHard && now.getTime() < soft.backOffEnd;
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
    reenable_after: isSoft ? new Date(soft.backOffEnd).toISOString() : undefined,
  };
};

const complaintOf = ({ count, first, last, cleared_at }: ComplaintRecord): Suppression['complaints']['bulk'] => ({
  level: isEffective(last?.at, cleared_at) ? 'PERMANENT' : 'NONE',
  count,
  first_occurrence: first,
  last_occurrence: last?.at,
  last_complaint_type: last?.type ?? '',
  last_identity_id: last?.identity_id ?? '',
});

/** The suppression of the recipient at a time. */
export const suppressionAt = ({ recipient, bounce, complaints }: SuppressionRecord, now: Date): Suppression => ({
  recipient,
  bounce: bounceAt(bounce, now),
  complaints: { transactional: complaintOf(complaints.TRANSACTIONAL), mailing_list: complaintOf(complaints.MAILING_LIST), bulk: complaintOf(complaints.BULK) },
});

/** Whether mail of the class is not sent to the recipient until an operator clears that. */
export const isSuppressedForGood = (record: SuppressionRecord, messageClass: MessageClass, now: Date): boolean =>
  bounceAt(record.bounce, now).level === 'HARD' || complaintOf(record.complaints[messageClass]).level === 'PERMANENT';

/**
 * The reason why mail of a class is not sent to the recipient, as text of an SMTP reply, and the time of the newest bounce
 * or complaint that is the reason. Undefined when it is sent.
 */
export const suppressionCause = (
  { bounce, complaints }: SuppressionRecord,
  messageClass: MessageClass,
  now: Date,
): { readonly reason: string; readonly since: string | undefined } | undefined => {
  const { level, reenable_after: reenableAfter } = bounceAt(bounce, now);
  if (level === 'HARD') return { reason: 'mail to this recipient bounced for good', since: bounce.hard };
  if (level === 'SOFT') {
    return { reason: `mail to this recipient bounced repeatedly; sending resumes after ${reenableAfter}`, since: softBounceState(bounce).backOffStart };
  }
  const complaint = complaintOf(complaints[messageClass]);
  return complaint.level === 'PERMANENT' ? { reason: 'this recipient complained about mail of this class', since: complaint.last_occurrence } : undefined;
};

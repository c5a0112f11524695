import * as z from 'zod';
import type { Clock } from '../../core/runtime/clock.ts';
import { errorLogFields } from '../../core/runtime/errors.ts';
import type { Log } from '../../core/runtime/log.ts';
import { delaySecondsUntil, maxDelaySeconds, type PartReference, type SubmitQueue } from '../../core/sending/submit-queue.ts';
import { MailRefused, MailSenderUnavailable, type MailSender } from '../../core/aws/ses/mail-sender.ts';
import { retryOnConflict } from '../../core/storage/retry-on-conflict.ts';
import { markFailed, markSent, remainingRecipients, withRecipientUpdates, type RecipientUpdate, type SubmissionPart, type Submission } from '../../core/sending/submission.ts';
import type { PartToSend, Submissions } from '../../core/sending/submissions.ts';
import type { Suppressions } from '../../core/sending/suppressions.ts';

/** What submitting works with. */
export type SubmitConnections = {
  readonly submissions: Submissions;
  readonly suppressions: Suppressions;
  readonly sender: MailSender;
  readonly queue: SubmitQueue;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Milliseconds after which a send that nobody heard of did not happen: SES reports within seconds what it takes, and its reports wait in a queue of
 * their own. Until then it is never sent again.
 */
export const unconfirmedTimeout = 15 * 60_000;

/** How often SES is asked without any answer before the part fails. */
export const maxUnanswered = 3;

/** Milliseconds for which a part is tried while SES throttles, is paused or can't be reached. */
export const providerRetryPeriod = 48 * 3_600_000;

const reference = z.object({ submission_id: z.string().min(1), part: z.int().min(0) });

/** The first pause is about 5 seconds, each next one twice as long; at random, so that parts that were throttled together don't come back together. */
const backOff = (attempts: number): number => Math.ceil(Math.min(maxDelaySeconds, 5 * 2 ** Math.min(attempts, 10)) * (0.5 + Math.random() / 2));

/** A part that this Lambda has recorded as `sending` and is to hand to SES; or what else there is to do. */
type Begun = { readonly now: 'send'; readonly open: PartToSend; readonly part: SubmissionPart } | { readonly now: 'nothing' } | { readonly now: 'wait'; readonly seconds: number };

/**
 * Sends one part, if it is to be sent: the body of a queue record names it. It returns when the part is accounted for: sent, failed, someone else's, or put
 * into the queue again. What it throws, the queue brings again.
 */
export const submitPart = async (body: string, submitting: SubmitConnections): Promise<void> => {
  const wanted = reference.parse(JSON.parse(body));
  const begun = await retryOnConflict(() => begin(wanted, submitting));
  if (begun.now === 'wait') return submitting.queue.send([wanted], begun.seconds);
  if (begun.now === 'send') return send(begun.open.submission, begun.part, begun.open.message, submitting);
};

/** Records that a part is about to be sent. @throws WriteRefused when somebody was faster: then look again. */
const begin = async (wanted: PartReference, { submissions, suppressions, clock, log }: SubmitConnections): Promise<Begun> => {
  const open = await submissions.findPartToSend(wanted);
  if (!open) log.warn('there is no such submission', wanted);
  if (!open || open.submission.undo_status === 'canceled' || open.part.state === 'sent' || open.part.state === 'failed') return { now: 'nothing' };
  const { submission, part } = open;
  const notBefore = part.state === 'sending' ? new Date(Date.parse(part.attempted_at ?? '') + unconfirmedTimeout).toISOString() : submission.send_at;
  const seconds = delaySecondsUntil(notBefore, clock);
  if (seconds > 0) return { now: 'wait', seconds };

  const next = nextOf(part, submission, await withheld(submission, part, { suppressions, clock }), clock());
  await submissions.startPart(part, next);
  const details = { ...wanted, attempts: next.attempts, withheld: part.recipients.length - remainingRecipients(next).length };
  if (next.state === 'sending') return { now: 'send', open, part: next };
  log.warn('nothing of a part is sent', details);
  return { now: 'nothing' };
};

const withheld = async ({ message_class, ignores_suppression }: Submission, { recipients }: SubmissionPart, { suppressions, clock }: Pick<SubmitConnections, 'suppressions' | 'clock'>): Promise<RecipientUpdate[]> => {
  if (ignores_suppression) return [];
  const now = clock();
  const reasons = await suppressions.findReasons(recipients.map(({ address }) => address), message_class, now);
  return [...reasons].map(([address, reason]) => ({ kind: 'withheld', fact: { at: now.toISOString(), reply: `550 5.7.1 not sent: ${reason}` }, recipients: [address] }));
};

/** The part as it is recorded before SES is asked: `sending`, or `failed` where nobody remains or too many sends stayed without an answer. */
const nextOf = (part: SubmissionPart, { send_at }: Submission, news: readonly RecipientUpdate[], now: Date): SubmissionPart => {
  const at = now.toISOString();
  const unanswered = part.unanswered + (part.state === 'sending' ? 1 : 0);
  const known = { ...withRecipientUpdates(part, news), unanswered };
  if (remainingRecipients(known).length === 0) return { ...known, state: 'failed' };
  if (unanswered >= maxUnanswered) return markFailed(known, { at, reply: '451 4.4.2 it is not known whether the message was sent' });
  if (now.getTime() - Date.parse(send_at) > providerRetryPeriod) return markFailed(known, { at, reply: '451 4.4.7 the provider took no mail for too long' });
  return { ...known, state: 'sending', attempts: part.attempts + 1, attempted_at: at };
};

/** Asks SES, once, and records what it said. When this Lambda dies here, SES's own report records it. */
const send = async ({ mail_from, message_class, identity_id }: Submission, part: SubmissionPart, message: Uint8Array, { submissions, sender, queue, clock, log }: SubmitConnections): Promise<void> => {
  const { submission_id, attempts } = part;
  const details = { submission_id, part: part.part, attempts };
  try {
    const id = await sender.send({ submission_id, part: part.part, from: mail_from, recipients: remainingRecipients(part), message, message_class, identity_id });
    await submissions.updatePart(part, (known) => markSent(known, { provider_message_id: id, at: clock().toISOString() }));
    log.info('sent', { ...details, sesMessageId: id });
  } catch (error) {
    if (error instanceof MailRefused) {
      await submissions.updatePart(part, (known) => markFailed(known, { at: clock().toISOString(), reply: `554 5.7.1 ${error.message}` }));
      return log.warn('the provider refused a part', details);
    }
    if (error instanceof MailSenderUnavailable) {
      await submissions.updatePart(part, (known) => (known.state === 'sending' ? backInQueue(known) : known));
      await queue.send([part], backOff(attempts));
      return log.warn('a part is sent later', { ...details, reason: error.message });
    }
    log.error('it is not known whether a part was sent; the provider will tell', { ...details, ...errorLogFields(error) });
    throw error;
  }
};

/** SES surely did not take it. */
const backInQueue = ({ attempted_at: _at, ...part }: SubmissionPart): SubmissionPart => ({ ...part, state: 'queued' });

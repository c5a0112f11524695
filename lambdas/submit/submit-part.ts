import * as z from 'zod';
import { MailRefused, MailSenderUnavailable, type MailSender } from '../../core/aws/ses/mail-sender.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { errorLogFields } from '../../core/runtime/errors.ts';
import type { Log } from '../../core/runtime/log.ts';
import {
  markFailed, markSent, remainingRecipients, withRecipientUpdates, type RecipientUpdate, type Submission, type SubmissionPart,
} from '../../core/sending/submission.ts';
import type { PartToSend, Submissions } from '../../core/sending/submissions.ts';
import { delaySecondsUntil, maxDelaySeconds, type PartReference, type SubmitQueue } from '../../core/sending/submit-queue.ts';
import type { Suppressions } from '../../core/sending/suppressions.ts';
import { retryOnConflict } from '../../core/storage/retry-on-conflict.ts';

export type SubmitConnections = {
  readonly submissions: Submissions;
  readonly suppressions: Suppressions;
  readonly sender: MailSender;
  readonly queue: SubmitQueue;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Milliseconds after which an unconfirmed send counts as not sent. SES publishes its events within seconds, and they
 * wait in a queue of their own. Until then the part is not sent again.
 */
export const unconfirmedTimeout = 15 * 60_000;

/** Unconfirmed attempts after which a part fails. */
export const maxUnanswered = 3;

/** Milliseconds for which a part is retried while SES throttles, is paused or cannot be reached. */
export const providerRetryPeriod = 48 * 3_600_000;

const partReference = z.object({ submission_id: z.string().min(1), part: z.int().min(0) });

/**
 * Seconds until the next attempt: about 5, then doubled each time. Random, so that parts which were throttled together
 * are not retried together.
 */
const backOffSeconds = (attempts: number): number =>
  Math.ceil(Math.min(maxDelaySeconds, 5 * 2 ** Math.min(attempts, 10)) * (0.5 + Math.random() / 2));

/**
 * What to do with a part: send it, which is recorded already; queue it again; or nothing, because it is done or does
 * not exist.
 */
type NextStep =
  | { readonly action: 'send'; readonly submission: Submission; readonly part: SubmissionPart; readonly message: Uint8Array }
  | { readonly action: 'requeue'; readonly delaySeconds: number }
  | { readonly action: 'none' };

/**
 * Sends the part that the body of a queue record names, unless it is done. Returns when the part is sent, has failed or
 * is in the queue again. When it throws, the queue delivers the record again.
 */
export const submitPart = async (body: string, connections: SubmitConnections): Promise<void> => {
  const reference = partReference.parse(JSON.parse(body));
  const step = await retryOnConflict(() => startPart(reference, connections));
  if (step.action === 'requeue') return connections.queue.send([reference], step.delaySeconds);
  if (step.action === 'send') return send(step, connections);
};

const isDone = ({ submission, part }: PartToSend): boolean =>
  submission.undo_status === 'canceled' || part.state === 'sent' || part.state === 'failed';

/** When the part may be sent: at `send_at`, or when its last attempt counts as not sent. */
const notBefore = ({ submission, part }: PartToSend): string =>
  (part.state === 'sending' ? new Date(Date.parse(part.attempted_at ?? '') + unconfirmedTimeout).toISOString() : submission.send_at);

/**
 * Records that a part is about to be sent, or that it has failed.
 * @throws WriteRefused on a conflict; the caller then retries.
 */
const startPart = async (reference: PartReference, connections: SubmitConnections): Promise<NextStep> => {
  const { submissions, clock, log } = connections;
  const partToSend = await submissions.findPartToSend(reference);
  if (!partToSend) log.warn('the part does not exist', reference);
  if (!partToSend || isDone(partToSend)) return { action: 'none' };
  const delaySeconds = delaySecondsUntil(notBefore(partToSend), clock);
  if (delaySeconds > 0) return { action: 'requeue', delaySeconds };

  const { submission, part, message } = partToSend;
  const next = nextAttempt(part, submission, await suppressedRecipients(submission, part, connections), clock());
  await submissions.startPart(part, next);
  if (next.state === 'sending') return { action: 'send', submission, part: next, message };
  const withheld = part.recipients.length - remainingRecipients(next).length;
  log.warn('the part failed; nothing was sent', { ...reference, attempts: next.attempts, withheld });
  return { action: 'none' };
};

const suppressedRecipients = async (
  { message_class, ignores_suppression }: Submission,
  { recipients }: SubmissionPart,
  { suppressions, clock }: Pick<SubmitConnections, 'suppressions' | 'clock'>,
): Promise<RecipientUpdate[]> => {
  if (ignores_suppression) return [];
  const now = clock();
  const reasons = await suppressions.findReasons(recipients.map(({ address }) => address), message_class, now);
  return [...reasons].map(([address, reason]) =>
    ({ kind: 'withheld', fact: { at: now.toISOString(), reply: `550 5.7.1 not sent: ${reason}` }, recipients: [address] }));
};

/**
 * The part as it is recorded before SES is called: `sending`, or `failed` when no recipient remains or it was tried too
 * often or too long.
 */
const nextAttempt = (part: SubmissionPart, { send_at }: Submission, suppressed: readonly RecipientUpdate[], now: Date): SubmissionPart => {
  const at = now.toISOString();
  const unanswered = part.unanswered + (part.state === 'sending' ? 1 : 0);
  const known = { ...withRecipientUpdates(part, suppressed), unanswered };
  if (remainingRecipients(known).length === 0) return { ...known, state: 'failed' };
  if (unanswered >= maxUnanswered) return markFailed(known, { at, reply: '451 4.4.2 it is not known whether the message was sent' });
  if (now.getTime() - Date.parse(send_at) > providerRetryPeriod) {
    return markFailed(known, { at, reply: '451 4.4.7 the provider took no mail for too long' });
  }
  return { ...known, state: 'sending', attempts: part.attempts + 1, attempted_at: at };
};

/** Calls SES once and records the result. When this Lambda dies in between, SES's own event records it. */
const send = async (
  { submission, part, message }: Extract<NextStep, { action: 'send' }>, { submissions, sender, queue, clock, log }: SubmitConnections,
): Promise<void> => {
  const { submission_id, attempts } = part;
  const { mail_from: from, message_class, identity_id } = submission;
  const details = { submission_id, part: part.part, attempts };
  try {
    const recipients = remainingRecipients(part);
    const id = await sender.send({ submission_id, part: part.part, from, recipients, message, message_class, identity_id });
    await submissions.updatePart(part, (known) => markSent(known, { provider_message_id: id, at: clock().toISOString() }));
    log.info('part sent', { ...details, sesMessageId: id });
  } catch (error) {
    if (error instanceof MailRefused) {
      await submissions.updatePart(part, (known) => markFailed(known, { at: clock().toISOString(), reply: `554 5.7.1 ${error.message}` }));
      return log.warn('SES refused the part', details);
    }
    if (error instanceof MailSenderUnavailable) {
      await submissions.updatePart(part, (known) => (known.state === 'sending' ? backToQueued(known) : known));
      await queue.send([part], backOffSeconds(attempts));
      return log.warn('SES did not accept the part; it is queued again', { ...details, reason: error.message });
    }
    log.error('the send is unconfirmed; an SES event may confirm it', { ...details, ...errorLogFields(error) });
    throw error;
  }
};

/** Only for a part that SES certainly did not accept. */
const backToQueued = ({ attempted_at: _at, ...part }: SubmissionPart): SubmissionPart => ({ ...part, state: 'queued' });

import * as z from 'zod';
import type { Log } from '../../core/runtime/log.ts';
import {
  markFailed,
  remainingRecipients,
  withRecipientUpdates,
  type RecipientUpdate,
  type Submission,
  type SubmissionPart,
} from '../../core/sending/submission/submission.ts';
import type { FoundPart } from '../../core/sending/submission/submissions.ts';
import { delaySecondsUntil, referenceOf } from '../../core/sending/submission/submit-queue.ts';
import { finishPart, requeued, secondsUntil, timeAfterPause, sendPart, type Decision, type Step } from './send-part.ts';
import type { SubmitDependencies } from './submit-dependencies.ts';

/** Milliseconds after which an unconfirmed send counts as not sent. Events of SES arrive within seconds. */
export const unconfirmedTimeout = 15 * 60_000;

/** Maximum unconfirmed attempts, after which a part fails. */
export const maxUnanswered = 3;

/** Milliseconds for which a part is retried while SES throttles, is paused or cannot be reached. */
export const providerRetryPeriod = 48 * 3_600_000;

/** Maximum seconds by which a part may arrive early and be queued again. The sweep queues earlier ones. */
const earlyArrival = 10;

const stoppedReply = '554 5.3.0 not sent: it could not be processed, and an admin gave it up';

const partRecord = z.object({
  submission_id: z.string().min(1),
  part: z.int().min(0),
  /** An admin gives the part up. */
  stopped: z.boolean().default(false),
});

/**
 * Performs the next step of a part. Its outbox entry exists until the part is finished, so a lost queue record
 * only delays the part.
 */
export const submitPart = async (body: string, dependencies: SubmitDependencies): Promise<void> => {
  const { stopped, ...reference } = partRecord.parse(JSON.parse(body));
  let step: Step = { action: 'none' };
  const found = await dependencies.changePart(reference, async (known) => {
    const decision = await decide(known, stopped, dependencies);
    step = decision;
    return decision.part ?? known.part;
  });
  if (!found) return dependencies.log.warn('the part does not exist', reference);
  await takeStep(found, step, dependencies);
};

const takeStep = async (found: FoundPart, step: Step, dependencies: SubmitDependencies): Promise<void> => {
  switch (step.action) {
    case 'none':
      return;
    case 'requeue':
      return dependencies.queue.send([referenceOf(found.part)], step.delaySeconds);
    case 'finish':
      return finishPart(found, dependencies);
    case 'send':
      return sendPart(found, step, dependencies);
    default:
      return step satisfies never;
  }
};

const isDone = ({ submission, part }: FoundPart): boolean => submission.undo_status === 'canceled' || part.state === 'sent' || part.state === 'failed';

/**
 * The time from which the part may be sent: `send_at`, the end of a pause, or the time from which its last
 * attempt counts as not sent.
 */
const notBefore = ({ submission, part }: FoundPart): string => {
  if (part.state === 'sending') return new Date(Date.parse(part.attempted_at ?? '') + unconfirmedTimeout).toISOString();
  return part.retry_at !== undefined && part.retry_at > submission.send_at ? part.retry_at : submission.send_at;
};

/** Decides the next step for the current part. The decision includes the records of a start or a failure. */
const decide = async (found: FoundPart, isStopped: boolean, dependencies: SubmitDependencies): Promise<Decision> => {
  const { submission, part } = found;
  const { pauses, sentMail, clock, log } = dependencies;
  if (isDone(found)) return { action: 'finish' };
  const now = clock();
  // An attempt that is not confirmed may have succeeded.
  if (isStopped && part.state === 'queued') return failed(part, stoppedReply, now, log);
  const delaySeconds = delaySecondsUntil(notBefore(found), clock);
  if (delaySeconds > 0) return waitFor(delaySeconds, part);
  if (isStopped) return failed(withUnanswered(part), stoppedReply, now, log);

  // The pause is read before SES is called, concurrently with another read. A failure returns the part to the queue.
  const [pause] = await Promise.all([pauses.find(), part.is_indexed ? undefined : sentMail.add(found)]);
  const known: SubmissionPart = { ...withUnanswered(part), is_indexed: true };
  const givenUp = reasonToGiveUp(known, submission, now);
  if (givenUp) return failed(known, givenUp, now, log);
  if (pause && Date.parse(pause.until) > now.getTime()) {
    const at = timeAfterPause(submission, pause, now);
    return { action: 'requeue', delaySeconds: secondsUntil(at, now), part: requeued(known, at) };
  }

  const [refusal, suppressed, message] = await Promise.all([
    dependencies.refusalOf(submission),
    suppressedRecipients(submission, known, dependencies),
    dependencies.objects.get(submission.message_key),
  ]);
  if (refusal !== undefined) return failed(known, `550 5.7.1 not sent: ${refusal}`, now, log);
  if (!message) return failed(known, '554 5.3.0 the message is not stored any more', now, log);
  const next = withRecipientUpdates(known, suppressed);
  if (remainingRecipients(next).length === 0) {
    log.warn('the part of the submission failed; no recipient remains', { ...referenceOf(part), withheld: suppressed.length });
    return { action: 'finish', part: { ...next, state: 'failed' } };
  }
  const due = new Date(now.getTime() + unconfirmedTimeout).toISOString();
  const { retry_at: _retry, ...started } = next;
  return {
    action: 'send',
    message: message.bytes,
    pause,
    part: { ...started, state: 'sending', attempts: part.attempts + 1, attempted_at: now.toISOString(), due },
  };
};

const waitFor = (delaySeconds: number, part: SubmissionPart): Decision =>
  part.state === 'queued' && delaySeconds <= earlyArrival ? { action: 'requeue', delaySeconds } : { action: 'none' };

/** The part after an attempt with neither a response nor an SES event. */
const withUnanswered = (part: SubmissionPart): SubmissionPart => (part.state === 'sending' ? { ...part, unanswered: part.unanswered + 1 } : part);

const reasonToGiveUp = ({ unanswered }: SubmissionPart, { send_at }: Submission, now: Date): string | undefined => {
  if (unanswered >= maxUnanswered) return '451 4.4.2 it is not known whether the message was sent';
  return now.getTime() - Date.parse(send_at) > providerRetryPeriod ? '451 4.4.7 the provider took no mail for too long' : undefined;
};

const failed = (part: SubmissionPart, reply: string, now: Date, log: Log): Decision => {
  log.warn('the part of the submission failed; it is not sent', { ...referenceOf(part), attempts: part.attempts, unanswered: part.unanswered });
  const kind = part.unanswered > 0 ? 'unconfirmed' : 'refused';
  return { action: 'finish', part: markFailed(part, { at: now.toISOString(), reply }, kind) };
};

const suppressedRecipients = async (
  { message_class, ignores_suppression }: Submission,
  { recipients }: SubmissionPart,
  { suppressions, clock }: Pick<SubmitDependencies, 'suppressions' | 'clock'>,
): Promise<RecipientUpdate[]> => {
  if (ignores_suppression) return [];
  const now = clock();
  const reasons = await suppressions.findReasons(
    recipients.map(({ address }) => address),
    message_class,
    now,
  );
  return [...reasons].map(([address, reason]) => ({
    kind: 'withheld',
    fact: { at: now.toISOString(), reply: `550 5.7.1 not sent: ${reason}` },
    recipients: [address],
  }));
};

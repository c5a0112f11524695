import { MailRefused, MailSenderUnavailable } from '../../core/aws/ses/ses-mail-sender.ts';
import { errorLogFields } from '../../core/runtime/error-log-fields.ts';
import { remainingTime } from '../../core/runtime/invocation.ts';
import { countedAs } from '../../core/runtime/log.ts';
import { sweepGrace } from '../../core/sending/submission/accept-submission.ts';
import type { ProviderPause } from '../../core/sending/submission/provider-pause.ts';
import {
  markFailed,
  markSent,
  remainingRecipients,
  withRecipientUpdates,
  hasDueReport,
  type SubmissionPart,
  type Submission,
} from '../../core/sending/submission/submission.ts';
import type { FoundPart } from '../../core/sending/submission/submissions.ts';
import { maxDelaySeconds, referenceOf } from '../../core/sending/submission/submit-queue.ts';
import type { SubmitDependencies } from './submit-dependencies.ts';

/** The next step for a part, after its change is recorded. */
export type Step =
  | { readonly action: 'send'; readonly message: Buffer; readonly pause: ProviderPause | undefined }
  | { readonly action: 'requeue'; readonly delaySeconds: number }
  | { readonly action: 'finish' }
  /** No step, because the sweep queues the part again when its outbox entry is due. */
  | { readonly action: 'none' };
export type Decision = Step & { readonly part?: SubmissionPart };

/** Maximum milliseconds between the attempts of the oldest and of the newest parts after a pause. */
const turnSpread = 60_000;

/**
 * The time at which a part is sent after a pause, in milliseconds since 1970. The oldest parts are sent first.
 */
export const timeAfterPause = ({ send_at }: Submission, { until }: ProviderPause, now: Date): number => {
  const minutesWaited = Math.max(0, now.getTime() - Date.parse(send_at)) / 60_000;
  const at = Date.parse(until) + (turnSpread / (1 + minutesWaited)) * (0.9 + Math.random() / 10);
  return Math.min(Math.max(now.getTime() + 1000, at), now.getTime() + maxDelaySeconds * 1000);
};

/** The part in the state `queued`, to be sent at a time. If the queue loses it, the sweep queues it again. */
export const requeued = (part: SubmissionPart, at: number): SubmissionPart => {
  const { attempted_at: _at, ...known } = part;
  return { ...known, state: 'queued', retry_at: new Date(at).toISOString(), due: new Date(at + sweepGrace).toISOString() };
};

export const secondsUntil = (at: number, now: Date): number => Math.max(0, Math.ceil((at - now.getTime()) / 1000));

type Sending = Extract<Step, { action: 'send' }>;

/**
 * The result of a call: SES's message id, the error that says what SES did not accept, or `unconfirmed` with an error
 * that does not tell whether SES accepted the message.
 */
type Outcome = { readonly id: string } | MailRefused | MailSenderUnavailable | { readonly unconfirmed: unknown };

/**
 * Maximum milliseconds for which a part waits within the Lambda while SES's rate is exceeded. Its record stays in
 * `sending` during the wait.
 */
const longestWait = 10_000;
/** Milliseconds between two calls to SES while its rate is exceeded. */
const rateWait = 1000;
/** Maximum milliseconds of a call of SES with a large message, including the record of its result. */
const timeForCall = 70_000;

/** Calls SES for a part in the state `sending`, and records the result. */
export const sendPart = async (started: FoundPart, { message, pause }: Sending, dependencies: SubmitDependencies): Promise<void> => {
  const { log } = dependencies;
  let found = started;
  for (let waited = 0; ;) {
    const outcome = await callProvider(found, message, dependencies);
    const details = { ...referenceOf(found.part), attempts: found.part.attempts };
    if ('id' in outcome) {
      if (pause) await dependencies.pauses.end(pause);
      return recordSent(found, outcome.id, dependencies);
    }
    if ('unconfirmed' in outcome) {
      // The sweep queues the part again when it is regarded as not sent. Until then an SES event may confirm it.
      return log.error('SES did not confirm the send; an SES event may still confirm it', { ...details, ...errorLogFields(outcome.unconfirmed) });
    }
    if (outcome instanceof MailRefused) {
      const rest = await recordRefused(found, outcome, dependencies);
      if (rest?.part.state !== 'sending') return rest && finishPart(rest, dependencies);
      found = rest;
      continue;
    }
    const wait = rateWait * (0.5 + Math.random());
    if (outcome.reason !== 'rate' || waited >= longestWait || remainingTime() - wait < timeForCall) {
      log.warn('SES did not accept the part of the submission; it is queued again', { ...details, reason: outcome.reason });
      return putBack(found, await laterAttempt(found, outcome, pause, dependencies), dependencies);
    }
    await dependencies.pause(wait);
    waited += wait;
  }
};

const callProvider = async ({ submission, part }: FoundPart, message: Buffer, { sender }: SubmitDependencies): Promise<Outcome> => {
  const { mail_from: from, message_class, identity_id } = submission;
  try {
    const recipients = remainingRecipients(part);
    return { id: await sender.send({ ...referenceOf(part), from, recipients, message, message_class, identity_id }) };
  } catch (error) {
    return error instanceof MailRefused || error instanceof MailSenderUnavailable ? error : { unconfirmed: error };
  }
};

const recordSent = async ({ part }: FoundPart, provider_message_id: string, dependencies: SubmitDependencies): Promise<void> => {
  const { changePart, clock, log } = dependencies;
  const at = clock().toISOString();
  const found = await changePart(part, ({ part: known }) => markSent(known, { provider_message_id, at }));
  if (!found) return;
  log.info('part sent', { ...referenceOf(part), attempts: part.attempts, sesMessageId: provider_message_id });
  if (found.part.sent_again) {
    log.warn('SES accepted the part of the submission more than once', {
      ...referenceOf(part),
      times: found.part.sent_again.length + 1,
      ...countedAs('RepeatedSends'),
    });
  }
  await finishPart(found, dependencies);
};

/** Records a refusal for all recipients, or for the recipients that SES names. */
const recordRefused = ({ part }: FoundPart, { code, message, recipients }: MailRefused, { changePart, clock, log }: SubmitDependencies) => {
  const fact = { at: clock().toISOString(), reply: `${code} ${message}` };
  log.warn('SES refused the part', { ...referenceOf(part), recipients: recipients.length });
  return changePart(part, ({ part: known }) => {
    if (!isSameAttempt(known, part)) return known;
    if (recipients.length === 0) return markFailed(known, fact);
    const rest = withRecipientUpdates(known, [{ kind: 'refused', fact, recipients }]);
    return remainingRecipients(rest).length === 0 ? markFailed(rest, fact) : rest;
  });
};

/** Whether a part is still in this Lambda's attempt. */
const isSameAttempt = (known: SubmissionPart, part: SubmissionPart): boolean => known.state === 'sending' && known.attempted_at === part.attempted_at;

/**
 * Milliseconds until a refused part is sent again: about 5 seconds, doubled for each attempt, with a random
 * deviation.
 */
const backOff = (attempts: number): number => 1000 * Math.min(maxDelaySeconds, 5 * 2 ** Math.min(attempts, 10)) * (0.5 + Math.random() / 2);

/**
 * The time of the next call of SES, in milliseconds since 1970. When SES accepts no mail, all parts pause;
 * otherwise only this part waits.
 */
const laterAttempt = async (
  { submission, part }: FoundPart,
  { reason }: MailSenderUnavailable,
  pause: Sending['pause'],
  { pauses, clock }: SubmitDependencies,
): Promise<number> => {
  const now = clock();
  return reason === 'mail' ? now.getTime() + backOff(part.attempts) : timeAfterPause(submission, await pauses.begin(pause, now), now);
};

/** Puts a part back into the state `queued`. Only for a part that SES certainly did not accept. */
const putBack = async ({ part }: FoundPart, at: number, { changePart, queue, clock }: SubmitDependencies): Promise<void> => {
  const found = await changePart(part, ({ part: known }) => (isSameAttempt(known, part) ? requeued(known, at) : known));
  if (found?.part.state === 'queued') await queue.send([referenceOf(part)], secondsUntil(at, clock()));
};

/** Finishes a part: reports failures, deletes its outbox entry, and removes the message after the last part. */
export const finishPart = async (found: FoundPart, dependencies: SubmitDependencies): Promise<void> => {
  const reference = referenceOf(found.part);
  if (hasDueReport(found.part)) await dependencies.deliverReports(reference);
  const { submission } = found;
  if (await isLastPart(found, dependencies)) await dependencies.objects.remove([submission.message_key]);
};

const isLastPart = async ({ submission, part }: FoundPart, { submissions }: SubmitDependencies): Promise<boolean> => {
  if (submission.undo_status === 'canceled' || submission.parts === 1) return true;
  const all = (await submissions.find(part.submission_id))?.parts ?? [];
  return all.every(({ state }) => state === 'sent' || state === 'failed');
};

import { sweepGrace } from '../../core/sending/submission/accept-submission.ts';
import type { ProviderPause } from '../../core/sending/submission/provider-pause.ts';
import type { Submission, SubmissionPart } from '../../core/sending/submission/submission.ts';
import { maxDelaySeconds } from '../../core/sending/submission/submit-queue.ts';

/** The next step for a part, after `part` is recorded. */
export type Step =
  | { readonly action: 'send'; readonly message: Buffer; readonly pause: ProviderPause | undefined }
  | { readonly action: 'requeue'; readonly delaySeconds: number }
  | { readonly action: 'finish' }
  /** The outbox has an entry that brings the part back in time. */
  | { readonly action: 'none' };
export type Decision = Step & { readonly part?: SubmissionPart };

/** Milliseconds by which the newest parts follow the oldest ones after a pause, at most. */
const turnSpread = 60_000;

/**
 * When a part is sent after a pause of SES, in milliseconds since 1970. The longer it waits already, the sooner it comes
 * after the pause.
 */
export const timeAfterPause = ({ send_at }: Submission, { until }: ProviderPause, now: Date): number => {
  const minutesWaited = Math.max(0, now.getTime() - Date.parse(send_at)) / 60_000;
  const at = Date.parse(until) + turnSpread / (1 + minutesWaited) * (0.9 + Math.random() / 10);
  return Math.min(Math.max(now.getTime() + 1000, at), now.getTime() + maxDelaySeconds * 1000);
};

/** The part in the queue until a time. The outbox brings it back if the queue does not. */
export const requeued = (part: SubmissionPart, at: number): SubmissionPart => {
  const { attempted_at: _at, ...known } = part;
  return { ...known, state: 'queued', retry_at: new Date(at).toISOString(), due: new Date(at + sweepGrace).toISOString() };
};

export const secondsUntil = (at: number, now: Date): number => Math.max(0, Math.ceil((at - now.getTime()) / 1000));

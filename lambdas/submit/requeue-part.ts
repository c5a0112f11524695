import { sweepGrace } from '../../core/sending/submission/accept-submission.ts';
import type { ProviderPause } from '../../core/sending/submission/provider-pause.ts';
import type { Submission, SubmissionPart } from '../../core/sending/submission/submission.ts';
import { maxDelaySeconds } from '../../core/sending/submission/submit-queue.ts';

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

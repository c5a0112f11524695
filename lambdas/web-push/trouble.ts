import type { PushOutcome } from '../../core/push/push-service.ts';
import type { PushSubscription, PushTrouble } from '../../core/push/push-subscription.ts';

/** When a subscription is tried again, and when it is given up; times in seconds. */
export const perseverance = {
  /** After the first failure, doubled with each further one up to the longest. */
  firstWait: 30,
  longestWait: 3600,
  /** Refusals in a row (400, 403, 413 …): they will not get better. */
  maxRefusals: 5,
  /** Failures in a row of one that is not verified: it may be an address that never asked for anything (RFC 8620 §8.6). */
  maxUnverifiedFailures: 5,
  /** How long a push service may be away or busy. */
  deadAfter: 2 * 86_400,
} as const;

type Failure = Extract<PushOutcome, { is: 'refused' | 'later' }>;

/**
 * What follows from a push that failed.
 * @param now in seconds since 1970.
 * @returns undefined when the subscription is given up.
 */
export const afterFailure = ({ trouble, isVerified }: Pick<PushSubscription, 'trouble' | 'isVerified'>, failure: Failure, now: number): PushTrouble | undefined => {
  const failures = (trouble?.failures ?? 0) + 1;
  const refusals = failure.is === 'refused' ? (trouble?.refusals ?? 0) + 1 : 0;
  const since = trouble?.since ?? now;
  if (refusals >= perseverance.maxRefusals || now - since >= perseverance.deadAfter) return undefined;
  if (!isVerified && failures >= perseverance.maxUnverifiedFailures) return undefined;
  const wait = Math.min(perseverance.longestWait, perseverance.firstWait * 2 ** (failures - 1));
  const asked = failure.is === 'later' ? failure.retryAfter ?? 0 : 0;
  return { since, failures, refusals, retryAt: now + Math.max(wait, asked) };
};

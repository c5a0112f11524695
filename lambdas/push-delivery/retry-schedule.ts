import type { PushRetryState, PushSubscription } from '../../core/push/listeners/push-subscription.ts';
import type { PushOutcome } from '../../core/push/web-push/web-push-service.ts';

/** When a failed push is retried, and when its subscription is removed. Times are in seconds. */
export const retryLimits = {
  /** The wait after the first failure. Each later failure doubles it, up to `longestWait`. */
  firstWait: 30,
  longestWait: 3600,
  /** Maximum consecutive rejections (400, 403, 413 …), after which no push is expected to succeed. */
  maxRejections: 5,
  /**
   * Maximum consecutive failures of an unverified subscription, because its URL may not belong to the client (RFC 8620
   * §8.6).
   */
  maxUnverifiedFailures: 5,
  /** Maximum time for which a push service may be unavailable. */
  maxUnavailable: 2 * 86_400,
} as const;

export type FailedPush = Extract<PushOutcome, { kind: 'rejected' | 'unavailable' }>;

/**
 * The retry state of a subscription after a failed push.
 * @param now seconds since 1970.
 * @returns undefined when the subscription must be removed.
 */
export const nextRetryState = (
  { retryState, isVerified }: Pick<PushSubscription, 'retryState' | 'isVerified'>,
  failure: FailedPush,
  now: number,
): PushRetryState | undefined => {
  const failures = (retryState?.failures ?? 0) + 1;
  const refusals = failure.kind === 'rejected' ? (retryState?.refusals ?? 0) + 1 : 0;
  const since = retryState?.since ?? now;
  if (refusals >= retryLimits.maxRejections || now - since >= retryLimits.maxUnavailable) return undefined;
  if (!isVerified && failures >= retryLimits.maxUnverifiedFailures) return undefined;
  const wait = Math.min(retryLimits.longestWait, retryLimits.firstWait * 2 ** (failures - 1));
  const requestedWait = failure.kind === 'unavailable' ? (failure.retryAfter ?? 0) : 0;
  return { since, failures, refusals, retryAt: now + Math.max(wait, requestedWait) };
};

import { setTimeout as pause } from 'node:timers/promises';

export type Backoff = {
  readonly attempts: number;
  /** The longest pause before the second attempt, in milliseconds; each next one is twice as long. */
  readonly firstPause: number;
  /** Whether another attempt may succeed after this error. Default: after any. */
  readonly isRetryable?: (error: unknown) => boolean;
};

/**
 * Repeats a call that a service could not serve now. A pause is random, between half of its longest length and all of
 * it, so that callers which failed together do not return together. Writes that conflict with other writers are retried
 * by `retryOnConflict`, which pauses for milliseconds.
 * @throws the error of the last attempt.
 */
export const retryWithBackoff = async <T>(
  attempt: () => Promise<T>, { attempts, firstPause, isRetryable = () => true }: Backoff,
): Promise<T> => {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (count === attempts || !isRetryable(error)) throw error;
    }
    await pause(firstPause * 2 ** (count - 1) * (0.5 + Math.random() / 2));
  }
};

import { setTimeout as pause } from 'node:timers/promises';

type Backoff = {
  readonly attempts: number;
  /** Maximum milliseconds of the pause before the second attempt. For each next pause it is doubled. */
  readonly firstPause: number;
  /** Whether another attempt may succeed after this error. Default: always. */
  readonly isRetryable?: (error: unknown) => boolean;
};

/**
 * Repeats a call that a service temporarily refused. The length of a pause is random, between half of its maximum and
 * the maximum, so that callers which failed together do not repeat their calls together. For conflicting writes use
 * `retryOnConflict`, which pauses for milliseconds.
 * @throws the error of the last attempt.
 */
export const retryWithBackoff = async <T>(attempt: () => Promise<T>, { attempts, firstPause, isRetryable = () => true }: Backoff): Promise<T> => {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (count === attempts || !isRetryable(error)) throw error;
    }
    await pause(firstPause * 2 ** (count - 1) * (0.5 + Math.random() / 2));
  }
};

import { setTimeout as timer } from 'node:timers/promises';
import type { Pause } from '../runtime/clock.ts';
import { StoreConflict, type DomainError } from '../runtime/domain-errors.ts';
import { remainingTime } from '../runtime/invocation.ts';
import { WriteRefused, type Table, type Write } from './table.ts';

/** The result by which an attempt requests another attempt. */
export const conflict: unique symbol = Symbol('conflict');

/**
 * Maximum milliseconds of the pause before the second attempt. Each further pause is half as long again, up to a
 * factor. If the attempt was slow, the pause may take four times as long as the attempt, so that writers do not
 * overload a slow table. Longer pauses would let other writers overtake more often; shorter ones would make more
 * attempts.
 */
const firstPause = 50;
const maxGrowth = 10;
const pauseOfAttempt = 4;

/** Milliseconds of the Lambda's time that are reserved for the last attempt and the response. */
const timeForLastAttempt = 5000;

/**
 * Repeats an optimistic write until no other writer overtakes it: `attempt` reads, then writes on the condition that
 * nothing has changed since. An attempt conflicts when it throws {@link WriteRefused} or returns {@link conflict}. The
 * pause before the next attempt has full jitter: its length is random between 0 and a growing maximum, so that two
 * conflicting writers are unlikely to conflict again. Attempts are made while the Lambda has time.
 * @throws StoreConflict when the time is over and every attempt conflicted.
 */
export const retryOnConflict = async <T>(attempt: () => Promise<T | typeof conflict>, pause: Pause = timer): Promise<T> => {
  const time = remainingTime() - timeForLastAttempt;
  const began = performance.now();
  let paused = 0;
  for (let count = 0; ; count++) {
    const attempted = performance.now();
    try {
      const result = await attempt();
      if (result !== conflict) return result;
    } catch (error) {
      if (!(error instanceof WriteRefused)) throw error;
    }
    const now = performance.now();
    const timeLeft = time - Math.max(paused, now - began);
    if (timeLeft <= 0) throw new StoreConflict();
    const longest = Math.max(firstPause * Math.min(1.5 ** count, maxGrowth), pauseOfAttempt * (now - attempted));
    const next = Math.min(Math.random() * longest, timeLeft);
    await pause(next);
    paused += next;
  }
};

/** {@link retryOnConflict}, whose first attempt uses items that were already read. Later attempts call `read`. */
export const retryOnConflictFrom = <Known, T>(
  known: Known,
  read: () => Promise<Known>,
  attempt: (known: Known) => Promise<T | typeof conflict>,
): Promise<T> => {
  let isFirst = true;
  return retryOnConflict(async () => {
    const newest = isFirst ? known : await read();
    isFirst = false;
    return attempt(newest);
  });
};

/** Makes all writes or none, and tries again after a contended write. @returns false when a condition does not hold. */
export const tryWrite = (table: Table, writes: readonly Write[], pause?: Pause): Promise<boolean> =>
  retryOnConflict(async () => {
    try {
      await table.write(writes);
      return true;
    } catch (error) {
      if (error instanceof WriteRefused && !error.contended) return false;
      throw error;
    }
  }, pause);

/**
 * Makes the writes. When a condition does not hold, throws the error at the index of the first failed condition. Other
 * conflicts are retried.
 */
export const writeOrThrow = async (table: Table, writes: readonly Write[], errors: readonly (() => DomainError)[]): Promise<void> => {
  try {
    await table.write(writes);
  } catch (error) {
    const failed = error instanceof WriteRefused && !error.contended ? errors.find((_, index) => error.failed.includes(index)) : undefined;
    throw failed ? failed() : error;
  }
};

import { setTimeout as timer } from 'node:timers/promises';
import { StoreConflict } from '../runtime/domain-errors.ts';
import { WriteRefused, type Table, type Write } from './table.ts';

/** Waits this many milliseconds; tests wait for nothing. */
export type Pause = (milliseconds: number) => Promise<void>;

/** What an attempt returns to be run again. */
export const conflict: unique symbol = Symbol('conflict');

const maxAttempts = 15;

/**
 * The longest pause before the second attempt, in milliseconds; each next one is half as long again. All pauses are at
 * most 3.5 s together.
 */
const firstPause = 4;

/**
 * Runs an optimistic write until it is not overtaken: `attempt` reads, then writes on the condition that nothing has
 * changed since. An attempt conflicts when it throws {@link WriteRefused} or returns {@link conflict}. The pause before
 * the next one is random and grows, so that writers that met once do not meet again.
 * @throws StoreConflict when every attempt conflicts.
 */
export const retryOnConflict = async <T>(attempt: () => Promise<T | typeof conflict>, pause: Pause = timer): Promise<T> => {
  for (let count = 0; count < maxAttempts; count++) {
    if (count > 0) await pause(Math.random() * firstPause * 1.5 ** count);
    try {
      const result = await attempt();
      if (result !== conflict) return result;
    } catch (error) {
      if (!(error instanceof WriteRefused)) throw error;
    }
  }
  throw new StoreConflict();
};

/**
 * {@link retryOnConflict} for an attempt that starts from what was read before; the next attempt starts from what
 * `read` finds.
 */
export const retryOnConflictFrom = <Known, T>(
  known: Known, read: () => Promise<Known>, attempt: (known: Known) => Promise<T | typeof conflict>,
): Promise<T> => {
  let isFirst = true;
  return retryOnConflict(async () => {
    const newest = isFirst ? known : await read();
    isFirst = false;
    return attempt(newest);
  });
};

/**
 * Writes all of it or nothing; a write that met another transaction is tried again.
 * @returns false when a condition does not hold.
 */
export const tryWrite = (table: Table, writes: readonly Write[]): Promise<boolean> => retryOnConflict(async () => {
  try {
    await table.write(writes);
    return true;
  } catch (error) {
    if (error instanceof WriteRefused && !error.contended) return false;
    throw error;
  }
});

import { setTimeout as pause } from 'node:timers/promises';
import { RpcError } from '../rpc/rpc-error.ts';
import { WriteRefused, type Table, type Write } from '../storage/table.ts';

/** How often a lost race is run again, and the longest pause before the second try in milliseconds; each next one is twice as long. */
const tries = 8;
const firstPause = 10;

/**
 * Runs what reads and then writes on that condition, again and again while somebody else was faster.
 * @throws RpcError aborted when the race was lost every time.
 */
export const racing = async <T>(attempt: () => Promise<T>): Promise<T> => {
  for (let count = 0; count < tries; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof WriteRefused)) throw error;
      await pause(Math.random() * firstPause * 2 ** count);
    }
  }
  throw new RpcError('aborted', 'others are changing the same thing; try again');
};

/** The same for what was read already: it is read again when somebody was faster. */
export const racingFrom = <Found, T>(found: Found, read: () => Promise<Found>, attempt: (found: Found) => Promise<T>): Promise<T> => {
  let isFirst = true;
  return racing(async () => {
    const known = isFirst ? found : await read();
    isFirst = false;
    return attempt(known);
  });
};

/** Writes all of it or nothing. @returns false when a condition does not hold: what is stored has moved on. */
export const written = (table: Table, writes: readonly Write[]): Promise<boolean> => racing(async () => {
  try {
    await table.write(writes);
    return true;
  } catch (error) {
    if (error instanceof WriteRefused && !error.contended) return false;
    throw error;
  }
});

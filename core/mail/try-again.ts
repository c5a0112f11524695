import { StoreBusy } from './mail-store.ts';

/** Waits so many milliseconds. */
export type Pause = (milliseconds: number) => Promise<void>;

/** Tries of a write that loses its race, and the longest pause after the first in milliseconds; each next one is half as long again. */
const tries = 15;
const firstPause = 4;

/**
 * Does `attempt` until it answers something, with a pause of random length in between that grows with each try: writers of one
 * account that met once would meet again otherwise.
 * @throws StoreBusy when no try got through.
 */
export const untilDone = async <T>(pause: Pause, attempt: () => Promise<T | undefined>): Promise<T> => {
  for (let count = 0; count < tries; count++) {
    if (count > 0) await pause(Math.random() * firstPause * 1.5 ** count);
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new StoreBusy(`lost the race ${tries} times`);
};

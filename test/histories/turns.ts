import { setImmediate as afterMicrotasks } from 'node:timers/promises';
import type { YieldTurn } from '../fakes/faulty-table.ts';

/** Numbers from 0 (inclusive) to 1 (exclusive), the same ones for the same seed (mulberry32). */
export const randomNumbers = (seed: number) => {
  let state = seed >>> 0;
  return (): number => {
    state = (state + 0x6D2B79F5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Decides which of the simulated Lambdas goes on, so that the same random numbers give the same order of all calls. */
export const turns = (random: () => number) => {
  const waiting: (() => void)[] = [];
  const next = () => waiting.splice(Math.floor(random() * waiting.length), 1)[0]?.();
  const turn: YieldTurn = () => new Promise<void>((resolve) => { waiting.push(resolve); });
  return {
    turn,
    /** Runs the work to its end, and all calls that it left under way. */
    run: async <T>(work: () => Promise<T>): Promise<T> => {
      const state = { isOver: false };
      const result = work().finally(() => { state.isOver = true; });
      result.catch(() => undefined);
      do {
        await afterMicrotasks();
        next();
      } while (!state.isOver || waiting.length > 0);
      return result;
    },
  };
};

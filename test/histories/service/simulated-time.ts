import { syncBuiltinESMExports } from 'node:module';
import { setImmediate as afterMicrotasks } from 'node:timers/promises';
import timers from 'node:timers/promises';

/** Random numbers from 0 (inclusive) to 1 (exclusive), repeatable by the seed (mulberry32). */
export const randomNumbers = (seed: number) => {
  let state = seed >>> 0;
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

type Timed = { readonly time: number; readonly order: number; readonly run: () => unknown };

const isBefore = (one: Timed, other: Timed): boolean => (one.time === other.time ? one.order < other.order : one.time < other.time);

/** Milliseconds after which unfinished work counts as stuck. */
const longestWork = 24 * 3_600_000;

/**
 * Simulated time, which advances from one event to the next. The same random numbers give the same order of all calls.
 */
export const simulatedTime = (start: number, random: () => number) => {
  let [now, order, standing] = [start, 0, 0];
  const failures: unknown[] = [];
  /** Waiting events, latest first. */
  const waiting: Timed[] = [];
  /**
   * Runs a function at a time in milliseconds since 1970, or now if that time has passed. Its error ends the history.
   */
  const at = (time: number, run: () => unknown): void => {
    const added = { time: Math.max(now, time), order: order++, run };
    let [low, high] = [0, waiting.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(added, waiting[middle]!)) low = middle + 1;
      else high = middle;
    }
    waiting.splice(low, 0, added);
  };
  const pause = (milliseconds: number) =>
    standing > 0
      ? Promise.resolve()
      : new Promise<void>((done) => {
          at(now + milliseconds, done);
        });
  /** Runs the next event, and all its consequences that do not wait. */
  const step = async () => {
    const next = waiting.pop();
    if (next) now = next.time;
    const result = next?.run();
    if (result instanceof Promise) result.catch((error: unknown) => failures.push(error));
    await afterMicrotasks();
    // Once more for a Lambda that waits in the same way.
    await afterMicrotasks();
    if (failures.length > 0) throw failures[0];
  };
  return {
    now: () => now,
    at,
    pause,
    /** Waits briefly, so that other tasks can run. */
    turn: () => pause(standing > 0 ? 0 : 1 + Math.floor(random() * 15)),
    isStanding: () => standing > 0,
    /** Runs all events that are due until a time. */
    async runUntil(end: number): Promise<void> {
      while (waiting.length > 0 && waiting.at(-1)!.time <= end) await step();
      now = Math.max(now, end);
    },
    /** Lets time pass until the work is complete. */
    async run<T>(work: () => Promise<T>): Promise<T> {
      const state = { isOver: false };
      const end = now + longestWork;
      const result = work().finally(() => {
        state.isOver = true;
      });
      result.catch(() => undefined);
      await afterMicrotasks();
      while (!state.isOver) {
        if (now > end) throw new Error('a call never ends');
        await step();
      }
      return result;
    },
    /** Does the work while time is stopped, so that no other event occurs. */
    async stop<T>(work: () => Promise<T>): Promise<T> {
      standing++;
      return work().finally(() => {
        standing--;
      });
    },
  };
};

export type SimulatedTime = ReturnType<typeof simulatedTime>;

/** Runs a history with simulated time and random numbers instead of the machine's. */
export const inSimulatedTime = async <T>(time: SimulatedTime, random: () => number, play: () => Promise<T>): Promise<T> => {
  const real = { random: Math.random, now: performance.now.bind(performance), timer: timers.setTimeout };
  const use = (clock: typeof real) => {
    Object.assign(timers, { setTimeout: clock.timer });
    syncBuiltinESMExports();
    Math.random = clock.random;
    performance.now = clock.now;
  };
  use({ random, now: time.now, timer: time.pause as typeof timers.setTimeout });
  return play().finally(() => {
    use(real);
  });
};

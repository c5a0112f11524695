/** Time that passes from one event to the next. */
export type SimulatedTime = {
  readonly now: () => number;
  /** Runs something at a time in milliseconds since 1970, or now if that is over. */
  at(time: number, run: () => void): void;
  /** Waits for a moment, in which others take their turns. */
  readonly turn: () => Promise<void>;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Runs everything that is due until a time. */
  runUntil(end: number): Promise<void>;
};

type Timed = { readonly time: number; readonly order: number; readonly run: () => void };

const isBefore = (one: Timed, other: Timed): boolean => (one.time === other.time ? one.order < other.order : one.time < other.time);

export const simulatedTime = (start: number, random: () => number): SimulatedTime => {
  let [now, order] = [start, 0];
  /** The latest first. */
  const waiting: Timed[] = [];
  const at = (time: number, run: () => void): void => {
    const added = { time: Math.max(now, time), order: order++, run };
    let [low, high] = [0, waiting.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(added, waiting[middle]!)) low = middle + 1;
      else high = middle;
    }
    waiting.splice(low, 0, added);
  };
  const pause = (milliseconds: number) => new Promise<void>((done) => {
    at(now + milliseconds, done);
  });
  return {
    now: () => now,
    at,
    pause,
    turn: () => pause(1 + Math.floor(random() * 15)),
    async runUntil(end) {
      while (waiting.length > 0 && waiting.at(-1)!.time <= end) {
        const next = waiting.pop()!;
        now = next.time;
        next.run();
        // Everything that follows from it without waiting happens before the next event.
        await new Promise((done) => {
          setImmediate(done);
        });
      }
      now = Math.max(now, end);
    },
  };
};

export type Turns = {
  /** Waits for a turn. Whoever got it has to free it. @throws the reason of the signal. */
  take(signal: AbortSignal): Promise<void>;
  free(): void;
};

/** Lets a number of works go on at once. The others wait, and have their turns in the order in which they came. */
export const createTurns = (max: () => number): Turns => {
  const waiting = new Set<() => void>();
  let taken = 0;
  return {
    take: (signal) =>
      new Promise((resolve, reject) => {
        const cancel = (): void => {
          waiting.delete(start);
          reject(signal.reason);
        };
        const start = (): void => {
          waiting.delete(start);
          signal.removeEventListener('abort', cancel);
          taken += 1;
          resolve();
        };
        if (signal.aborted) cancel();
        else if (taken < max()) start();
        else {
          waiting.add(start);
          signal.addEventListener('abort', cancel, { once: true });
        }
      }),
    free: () => {
      taken -= 1;
      const [next] = waiting;
      next?.();
    },
  };
};

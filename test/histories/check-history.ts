import * as fc from 'fast-check';
import { historyArbitrary } from './history-tasks.ts';
import { playHistory } from './play-history.ts';
import type { HistoryCounts } from './service/history-counts.ts';

/**
 * The outcome of a checked history. `failure`: the error, the smallest failing history and the command that repeats it.
 */
export type CheckedHistory = { readonly failure: string } | { readonly failure: undefined; readonly counts: HistoryCounts };

/**
 * Plays the history of a seed. A failing history is reduced.
 * @param shrinkTime maximum milliseconds for the reduction.
 */
export const checkHistory = async (seed: number, shrinkTime: number): Promise<CheckedHistory> => {
  let counts: HistoryCounts | undefined;
  let end = Infinity;
  // Without an interruption by a timer: a history that goes on would share the simulated time with the next one.
  const property = fc.asyncProperty(historyArbitrary, async (history) => {
    if (performance.now() < end) counts = await playHistory(history);
  });
  const parameters = { seed, numRuns: 1, unbiased: true };
  const first = await fc.check(property, { ...parameters, endOnFailure: true });
  if (!first.failed) return { failure: undefined, counts: counts! };
  end = performance.now() + shrinkTime;
  const smaller = await fc.check(property, parameters);
  const details = smaller.counterexample ? smaller : first;
  const error = details.errorInstance;
  const lines = [
    `HISTORY ${seed} FAILED: ${error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(error)}`,
    `The smallest history that fails: ${JSON.stringify(details.counterexample![0])}`,
    `Repeat it: npm run histories -- --histories 1 --seed ${seed}`,
  ];
  return { failure: lines.join('\n') };
};

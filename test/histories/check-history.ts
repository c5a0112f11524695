import * as fc from 'fast-check';
import { historyArbitrary } from './history-tasks.ts';
import { playHistory } from './play-history.ts';

/**
 * Plays the history of a seed. One that fails is made smaller.
 * @param shrinkTime milliseconds for that at most.
 * @returns the failure, the smallest history and the command that repeats it; undefined when all holds.
 */
export const checkHistory = async (seed: number, shrinkTime: number): Promise<string | undefined> => {
  const property = fc.asyncProperty(historyArbitrary, playHistory);
  const parameters = { seed, numRuns: 1, unbiased: true };
  const first = await fc.check(property, { ...parameters, endOnFailure: true });
  if (!first.failed) return undefined;
  const smaller = await fc.check(property, { ...parameters, interruptAfterTimeLimit: shrinkTime });
  const details = smaller.counterexample ? smaller : first;
  const error = details.errorInstance;
  return [
    `HISTORY ${seed} FAILED: ${error instanceof Error ? error.stack ?? error.message : JSON.stringify(error)}`,
    `The smallest history that fails: ${JSON.stringify(details.counterexample![0])}`,
    `Repeat it: npm run histories -- --histories 1 --seed ${seed}`,
  ].join('\n');
};

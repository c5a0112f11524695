import { checkHistory } from '../../histories/check-history.ts';
import { directedHistories } from '../../histories/directed-histories.ts';
import { playHistory, type HistoryFeatures } from '../../histories/play-history.ts';

/** The same histories in each run. `npm run histories` plays others. */
const [firstSeed, histories] = [20261122, 15];

/** Orders of the calls of each directed history. */
const orders = 6;

/** Milliseconds to make a history that fails smaller. */
const shrinkTime = 15_000;

describe('random histories of clients, deliveries, the indexer and removals, with conflicts, lost answers and crashes', () => {
  test('no mail is lost or doubled; changes replay to records and results; counters, Threads, Quotas and searches are exact', async () => {
    const met: Record<keyof HistoryFeatures, Set<boolean>> = {
      hasFaults: new Set(), hasSnapshot: new Set(), hasSegments: new Set(), hasTrimmedLog: new Set(), hasRemovals: new Set(),
    };
    for (let seed = firstSeed; seed < firstSeed + histories; seed++) {
      const checked = await checkHistory(seed, shrinkTime);
      expect(checked.failure).toBeUndefined();
      if (checked.failure === undefined) for (const [feature, value] of Object.entries(checked.features)) met[feature as keyof HistoryFeatures].add(value);
    }
    // Some of the histories have each feature, and some do not.
    for (const values of Object.values(met)) expect(values).toEqual(new Set([false, true]));
  });

  test.each([
    [20261766, 'answers were in two Threads after the removal of references'],
    [20261859, 'a search missed an Email whose message was delivered again'],
  ])('history %i, in which %s once, passes', async (seed) => {
    expect((await checkHistory(seed, shrinkTime)).failure).toBeUndefined();
  });

  test.each(Object.entries(directedHistories))('no mail is lost or in two Threads, and searches are exact, when %s', async (_, phases) => {
    const failures: string[] = [];
    for (let seed = 1; seed <= orders; seed++) {
      await playHistory({ phases, seed, faultRate: 0, maxChanges: 3 }).catch((error: unknown) => failures.push(`seed ${seed}: ${String(error)}`));
    }
    expect(failures).toEqual([]);
  });
});

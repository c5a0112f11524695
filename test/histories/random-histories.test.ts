import { timesAsMany } from '../support/test-seed.ts';
import { checkHistory } from './check-history.ts';
import { directedHistories } from './directed-histories.ts';
import { playHistory } from './play-history.ts';
import { addCounts, missingKinds, noCounts } from './service/history-counts.ts';

/**
 * The seeds of the histories, the same in each run. Together they have every kind of event, of which some are rare.
 * `npm run histories` plays other ones.
 */
const seeds = [20261122, 20261123, 20261124, 20261132, 20261145, 20261149];

/** Number of call orders for each directed history. */
const orders = 2 * timesAsMany;

/** Milliseconds for reducing a failing history. */
const shrinkTime = 15_000;

describe('random histories of clients, deliveries, sent mail, the indexer and removals, with conflicts, lost answers and crashes', () => {
  test('no mail is lost or duplicated; each recipient is sent or refused; changes replay to records and results; counters and searches are exact', async () => {
    const counts = noCounts();
    for (const seed of seeds) {
      const checked = await checkHistory(seed, shrinkTime);
      expect(checked.failure).toBeUndefined();
      if (checked.failure !== undefined) continue;
      addCounts(counts, checked.counts);
    }
    expect(missingKinds(counts)).toEqual([]);
  });

  test('the same seed plays the same history', async () => {
    expect(await checkHistory(seeds[0]!, shrinkTime)).toEqual(await checkHistory(seeds[0]!, shrinkTime));
  });

  test.each(Object.entries(directedHistories))('no mail is lost or in two Threads, and searches are exact, when %s', async (title, phases) => {
    const failures: string[] = [];
    for (let seed = 1; seed <= orders; seed++) {
      await playHistory({ phases, retentionDays: title.includes('restored') ? 1 : 0, seed, faultRate: 0 }).catch((error: unknown) =>
        failures.push(`seed ${seed}: ${String(error)}`),
      );
    }
    expect(failures).toEqual([]);
  });
});

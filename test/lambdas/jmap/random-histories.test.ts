import { checkHistory } from '../../histories/check-history.ts';

/** The same histories in each run. `npm run histories` plays others. */
const [firstSeed, histories] = [20261122, 15];

/** Milliseconds to make a history that fails smaller. */
const shrinkTime = 15_000;

describe('random histories of clients, deliveries, the indexer and removals, with conflicts, lost answers and crashes', () => {
  test('no mail is lost or doubled; changes replay to records and results; counters, Threads, Quotas and searches are exact', async () => {
    for (let seed = firstSeed; seed < firstSeed + histories; seed++) expect(await checkHistory(seed, shrinkTime)).toBeUndefined();
  });
});

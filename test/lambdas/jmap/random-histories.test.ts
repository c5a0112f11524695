import { checkHistory } from '../../histories/check-history.ts';

const histories = 15;

/** Milliseconds to make a history that fails smaller. */
const shrinkTime = 15_000;

describe('random histories of clients, deliveries, the indexer and removals, with conflicts, lost answers and crashes', () => {
  test('no mail is lost or doubled; changes replay to records and results; counters, Threads, Quotas and searches are exact', async () => {
    const firstSeed = Math.floor(Math.random() * 2 ** 31);
    for (let seed = firstSeed; seed < firstSeed + histories; seed++) expect(await checkHistory(seed, shrinkTime)).toBeUndefined();
  });
});

import { randomRunOptions, type RandomRunOptions } from '../support/random-run-options.ts';
import { checkHistory } from './check-history.ts';
import { addCounts, missingKinds, noCounts } from './service/history-counts.ts';

const usage = `npm run histories -- [--histories 1000] [--seed NUMBER]

Plays random histories of clients, deliveries, sent mail, the indexer and removals that change accounts at the same
time, with conflicts, lost answers, refused conditions and crashes. The seed of a history is the first one plus its
position. A history that fails is made smaller for up to a minute, and printed with the command that repeats it.`;

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Milliseconds for reducing a failing history, and between two lines of progress. */
const [shrinkTime, progressInterval] = [60_000, 15_000];

/** Number of histories after which each kind of fault and event must have occurred. */
const longRun = 100;

const playAll = async ({ count: histories, seed: firstSeed }: RandomRunOptions): Promise<number> => {
  print(`seed ${firstSeed}: ${histories} histories`);
  const started = performance.now();
  const failed: number[] = [];
  const counts = noCounts();
  let printed = started;
  for (let played = 0; played < histories; played++) {
    const checked = await checkHistory(firstSeed + played, shrinkTime);
    if (checked.failure === undefined) addCounts(counts, checked.counts);
    else {
      failed.push(firstSeed + played);
      print(`\n${checked.failure}\n`);
    }
    if (performance.now() - printed < progressInterval) continue;
    print(`${new Date(performance.now() - started).toISOString().slice(11, 19)}  ${played + 1} of ${histories} histories, ${failed.length} failed`);
    printed = performance.now();
  }
  print(
    Object.entries(counts)
      .map(([kind, count]) => `${count.toLocaleString('en')} ${kind}`)
      .join(', '),
  );
  const missing = histories < longRun ? [] : missingKinds(counts);
  if (missing.length > 0) print(`✗ no history had: ${missing.join(', ')}`);
  print(`${failed.length > 0 ? '✗' : '✓'} ${histories} histories from seed ${firstSeed}, ${failed.length} failed${failed.map((seed) => ` ${seed}`).join('')}`);
  return failed.length + missing.length > 0 ? 1 : 0;
};

try {
  const options = randomRunOptions();
  if (options.isHelp) print(usage);
  else process.exitCode = await playAll(options);
} catch (error) {
  print(`${(error as Error).message}\n\n${usage}`);
  process.exitCode = 2;
}

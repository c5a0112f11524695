import { randomRunOptions, type RandomRunOptions } from '../support/random-run-options.ts';
import { checkHistory } from './check-history.ts';
import { noFaults } from './fault-injector.ts';
import { noSendings } from './sendings.ts';

const usage = `npm run histories -- [--histories 1000] [--seed NUMBER]

Plays random histories of clients, deliveries, sent mail, the indexer and removals that change accounts at the same
time, with conflicts, lost answers, refused conditions and crashes. The seed of a history is the first one plus its
position. A history that fails is made smaller for up to a minute, and printed with the command that repeats it.`;

const print = (text: string): void => { process.stdout.write(`${text}\n`); };

/** Milliseconds to make a failed history smaller, and between two lines of progress. */
const [shrinkTime, progressInterval] = [60_000, 15_000];

/** Histories that have faults of each kind between them. */
const longRun = 100;

const add = <Name extends string>(to: Record<Name, number>, counts: Readonly<Record<Name, number>>): void => {
  for (const name of Object.keys(to) as Name[]) to[name] += counts[name];
};
const describe = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts).map(([name, count]) => `${count.toLocaleString('en')} ${name}`).join(', ');

const playAll = async ({ count: histories, seed: firstSeed }: RandomRunOptions): Promise<number> => {
  print(`seed ${firstSeed}: ${histories} histories`);
  const started = performance.now();
  const failed: number[] = [];
  const [sendings, faults] = [noSendings(), noFaults()];
  let printed = started;
  for (let played = 0; played < histories; played++) {
    const checked = await checkHistory(firstSeed + played, shrinkTime);
    if (checked.failure === undefined) {
      add(sendings, checked.played.totals);
      add(faults, checked.played.faults);
    } else {
      failed.push(firstSeed + played);
      print(`\n${checked.failure}\n`);
    }
    if (performance.now() - printed < progressInterval) continue;
    print(`${new Date(performance.now() - started).toISOString().slice(11, 19)}  ${played + 1} of ${histories} histories, ${failed.length} failed`);
    printed = performance.now();
  }
  print(`sent mail: ${describe(sendings)}\nfaults of commits: ${describe(faults)}`);
  const missing = histories < longRun ? [] : Object.entries(faults).flatMap(([kind, count]) => (count > 0 ? [] : [kind]));
  if (missing.length > 0) print(`✗ no commit had the fault: ${missing.join(', ')}`);
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

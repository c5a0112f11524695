import { randomRunOptions, type RandomRunOptions } from '../support/random-run-options.ts';
import { playSending, type SendingTotals } from './play-sending.ts';

const usage = `npm run sendings -- [--runs 1000] [--seed NUMBER]

Plays random runs of the pipeline of sent mail: submissions, cancellations, throttling and redeployments, with lost
answers, crashes, and queue messages that come late, twice or never. The seed of a run is the first one plus its
position. A run that breaks a rule is printed with the command that repeats it.`;

const print = (text: string): void => { process.stdout.write(`${text}\n`); };

const describeTotals = (totals: Partial<SendingTotals>): string =>
  Object.entries(totals).map(([name, count]) => `${count.toLocaleString('en')} ${name}`).join(', ');

const playAll = async ({ count: runs, seed: firstSeed }: RandomRunOptions): Promise<number> => {
  print(`seed ${firstSeed}: ${runs} runs`);
  const failed: number[] = [];
  const totals: { [Name in keyof SendingTotals]?: number } = {};
  for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
    try {
      for (const [name, count] of Object.entries(await playSending(seed)) as [keyof SendingTotals, number][]) {
        totals[name] = (totals[name] ?? 0) + count;
      }
    } catch (error) {
      failed.push(seed);
      print(`\n${(error as Error).message}\n    npm run sendings -- --runs 1 --seed ${seed}\n`);
    }
  }
  print(describeTotals(totals));
  print(`${failed.length > 0 ? '✗' : '✓'} ${runs} runs from seed ${firstSeed}, ${failed.length} failed${failed.map((seed) => ` ${seed}`).join('')}`);
  return failed.length > 0 ? 1 : 0;
};

try {
  const options = randomRunOptions('runs');
  if (options.isHelp) print(usage);
  else process.exitCode = await playAll(options);
} catch (error) {
  print(`${(error as Error).message}\n\n${usage}`);
  process.exitCode = 2;
}

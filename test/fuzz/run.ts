import { parseArgs } from 'node:util';
import * as fc from 'fast-check';
import type { FuzzTarget } from './fuzz-target.ts';
import { fuzzTargets } from './fuzz-targets.ts';

const usage = `npm run fuzz -- [--minutes 60] [--target NAME]... [--seed NUMBER] [--path PATH]

Gives random inputs to decoders of foreign input, in turns of some seconds for each target.
A crash is printed with its input and with the command that repeats it.

Targets: ${fuzzTargets.map(({ name }) => name).join(', ')}`;

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** @throws Error for an option that is not valid. */
const readOptions = () => {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '60' },
      target: { type: 'string', multiple: true },
      seed: { type: 'string' },
      path: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const unknown = values.target?.find((name) => !fuzzTargets.some((target) => target.name === name));
  if (unknown !== undefined) throw new Error(`There is no target ${unknown}.`);
  const targets = fuzzTargets.filter(({ name }) => !values.target || values.target.includes(name));
  const [minutes, seed] = [Number(values.minutes), Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))];
  if (!(minutes > 0) || !Number.isSafeInteger(seed)) throw new Error('--minutes takes a positive number, and --seed an integer.');
  const isRepeated = values.path !== undefined;
  if (isRepeated && (targets.length !== 1 || values.seed === undefined)) throw new Error('--path needs one --target and --seed.');
  return { isHelp: values.help, path: values.path, targets, minutes, seed };
};

const exitWithUsage = (error: unknown): never => {
  print(`${(error as Error).message}\n\n${usage}`);
  process.exit(2);
};

let options: ReturnType<typeof readOptions>;
try {
  options = readOptions();
} catch (error) {
  exitWithUsage(error);
}
if (options!.isHelp) {
  print(usage);
  process.exit(0);
}
const { path, targets, minutes, seed: firstSeed } = options!;

/** Milliseconds for which a target runs before the next one, and between two lines of progress. */
const [turn, progressInterval] = [4000, 15_000];
const started = performance.now();
const ends = started + minutes * 60_000;
const elapsed = (): string => new Date(performance.now() - started).toISOString().slice(11, 19);

/** Runs a target and prints a crash. @returns the number of inputs; undefined after a crash. */
const runTurn = async (target: FuzzTarget, seed: number): Promise<number | undefined> => {
  const milliseconds = Math.max(1, Math.min(turn, ends - performance.now()));
  const parameters = path === undefined ? { seed, numRuns: 10 ** 9, interruptAfterTimeLimit: milliseconds } : { seed, path };
  const details = await fc.check(await target.property(), parameters);
  if (!details.failed) return details.numRuns;
  print(`\nCRASH in ${target.name}\n${await fc.asyncDefaultReportMessage(details)}`);
  if (details.errorInstance instanceof Error) print(details.errorInstance.stack ?? '');
  print(`\nRepeat it: npm run fuzz -- --target ${target.name} --seed ${details.seed} --path ${details.counterexamplePath ?? ''}\n`);
  return undefined;
};

print(`seed ${firstSeed}: ${targets.length} targets for ${minutes} minutes`);
const inputs = new Map<string, number>();
const crashes = new Map<string, number>();
let printed = performance.now();
for (let seed = firstSeed; performance.now() < ends; seed += 1) {
  for (const target of targets) {
    if (performance.now() >= ends) break;
    const count = await runTurn(target, seed);
    inputs.set(target.name, (inputs.get(target.name) ?? 0) + (count ?? 0));
    if (count === undefined) crashes.set(target.name, (crashes.get(target.name) ?? 0) + 1);
    if (performance.now() - printed < progressInterval) continue;
    const total = [...inputs.values()].reduce((sum, each) => sum + each, 0);
    print(`${elapsed()}  ${total} inputs, ${crashes.size} targets with crashes; now ${target.name} with seed ${seed}`);
    printed = performance.now();
  }
  if (path !== undefined) break;
}
for (const [name, count] of inputs) {
  const found = crashes.get(name) ?? 0;
  print(`${found > 0 ? '✗' : '✓'} ${name.padEnd(18)} ${String(count).padStart(10)} inputs, ${found} crashes`);
}
process.exit(crashes.size > 0 ? 1 : 0);

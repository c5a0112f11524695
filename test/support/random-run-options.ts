import { parseArgs } from 'node:util';

/** Options of a program that plays random runs. Each run has a separate seed. */
export type RandomRunOptions = {
  readonly isHelp: boolean;
  /** Number of runs. */
  readonly count: number;
  /** The seed of the first run. */
  readonly seed: number;
};

/**
 * Reads the options `--help`, `--seed NUMBER` and `--histories NUMBER`, which is 1,000 by default.
 * @throws Error for an option that is not valid.
 */
export const randomRunOptions = (): RandomRunOptions => {
  const { values } = parseArgs({
    options: { histories: { type: 'string', default: '1000' }, seed: { type: 'string' }, help: { type: 'boolean', default: false } },
  });
  const [count, seed] = [Number(values.histories), Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))];
  if (!Number.isSafeInteger(count) || count < 1) throw new Error('--histories takes a positive integer.');
  if (!Number.isSafeInteger(seed)) throw new Error('--seed takes an integer.');
  return { isHelp: values.help, count, seed };
};

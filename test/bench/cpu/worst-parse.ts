import * as fc from 'fast-check';
import { parseMessage } from '../../../core/mime/parse-message.ts';
import { anyHostileMessage, hostileMessage, type HostileMessage } from '../../support/hostile-messages.ts';

/** CPU milliseconds of `act`: the minimum of several runs, because disturbances only add time. */
const cpuOf = (act: () => unknown, runs: number): number =>
  Math.min(
    ...Array.from({ length: runs }, () => {
      const began = process.cpuUsage();
      act();
      const { user, system } = process.cpuUsage(began);
      return (user + system) / 1000;
    }),
  );

/** Counts line ends by reading each octet once. */
const countLines = (octets: Buffer): number => {
  let lines = 0;
  for (let position = 0; position < octets.length; position++) if (octets[position] === 0x0a) lines++;
  return lines;
};

const hostile: HostileMessage = { depth: 12, boundaries: 'alike', place: 'line', fragment: '--z', field: 'To', type: 'text/plain', encoding: '8bit' };

/** Messages that were once slow: the lines that begin like 12 boundaries took 0.9 s in a body and 1.6 s in a header. */
const known: readonly HostileMessage[] = [
  hostile,
  { ...hostile, place: 'header line' },
  { ...hostile, boundaries: 'long', fragment: `--${'z'.repeat(200)}` },
  { ...hostile, depth: 0, place: 'field', fragment: 'g:' },
  { ...hostile, encoding: 'quoted-printable', fragment: '= \t' },
];

/** Settings of the random search. The seed makes it repeatable. */
const parameters = { seed: 20_261_122, numRuns: 200 } as const;
/** Octets of a message in the search, and of the worst messages that are measured in full. */
const [searchedSize, worstSize] = [2_000_000, 10_000_000];

type WorstParse = {
  readonly message: string;
  readonly cpu: number;
  /** CPU time of one scan of the same octets for line ends. */
  readonly scanCpu: number;
};

/**
 * Finds the slowest message of 10 MB among the known ones and those of a search. The search parses 200 random messages
 * of 2 MB and measures the slowest in full.
 */
export const worstParse = (): WorstParse => {
  const found = fc.sample(anyHostileMessage, parameters).map((message) => {
    const raw = hostileMessage(message, searchedSize);
    return { message, cpu: cpuOf(() => parseMessage(raw), 2) };
  });
  const slowest = found
    .toSorted((one, other) => other.cpu - one.cpu)
    .slice(0, 5)
    .map(({ message }) => message);
  const measured = [...known, ...slowest].map((message) => {
    const raw = hostileMessage(message, worstSize);
    return {
      message: JSON.stringify({ ...message, fragment: message.fragment.slice(0, 40) }),
      cpu: cpuOf(() => parseMessage(raw), 3),
      scanCpu: cpuOf(() => countLines(raw), 3),
    };
  });
  return measured.toSorted((one, other) => other.cpu - one.cpu)[0]!;
};

import * as fc from 'fast-check';

/** A decoder of foreign input, with the properties that must hold for every input. */
export type FuzzTarget = {
  readonly name: string;
  /** Number of inputs in `npm test`. Default: 60. `mutated-requests.test.ts` sends more requests. */
  readonly inputs?: number;
  /** Creates random inputs and the check of each input, as a property of fast-check. */
  property(): fc.IRawProperty<unknown> | Promise<fc.IRawProperty<unknown>>;
};

/** Maximum milliseconds of CPU time for one small input, on a busy machine. */
const mostMilliseconds = 2000;

const elapsedCpu = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

/** @throws Error when the work on one input took too long. */
const checkTime = (since: NodeJS.CpuUsage): void => {
  const milliseconds = elapsedCpu(since);
  if (milliseconds > mostMilliseconds) throw new Error(`one input took ${milliseconds.toFixed(0)} ms of CPU time`);
};

/** A target with a synchronous check. */
export const fuzzTarget = <Input>(
  name: string,
  inputs: () => fc.Arbitrary<Input>,
  check: (input: Input) => void,
  more: Pick<FuzzTarget, 'inputs'> = {},
): FuzzTarget => ({
  ...more,
  name,
  property: () =>
    fc.property(inputs(), (input) => {
      const started = process.cpuUsage();
      check(input);
      checkTime(started);
    }),
});

/**
 * A target with an asynchronous check. fast-check abandons a check after its time limit: the next run waits for the end of
 * that check, so that no two inputs are checked at the same time.
 */
export const asyncFuzzTarget = <Input>(
  name: string,
  inputs: () => fc.Arbitrary<Input> | Promise<fc.Arbitrary<Input>>,
  check: (input: Input) => Promise<void>,
): FuzzTarget => {
  let running: Promise<void> = Promise.resolve();
  return {
    name,
    property: async () => {
      await running.catch(() => undefined);
      return fc.asyncProperty(await inputs(), async (input) => {
        const started = process.cpuUsage();
        running = check(input);
        await running;
        checkTime(started);
      });
    },
  };
};

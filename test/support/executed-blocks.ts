import { Session } from 'node:inspector/promises';
import { setFlagsFromString } from 'node:v8';

/** Counts the executed blocks of code in some scripts, as V8 counts them for code coverage. */
export type BlockCounter = {
  /** Blocks that `act` executes. A loop of n iterations executes n blocks. Regular expressions and native functions have none. */
  count(act: () => void): Promise<number>;
  stop(): Promise<void>;
};

/** Jest's modules export by getters, which are not code of ours. */
const isExportGetter = (functionName: string): boolean => functionName.startsWith('get ');

/** V8 does not count calls that its optimizing compilers inline, and the load of the machine decides when they compile. */
const optimizers = ['opt', 'maglev'];

/**
 * Starts to count. Only code that is compiled afterwards is counted: import it dynamically.
 * @param isCounted whether the blocks of the script with that URL are counted.
 */
export const countBlocks = async (isCounted: (url: string) => boolean): Promise<BlockCounter> => {
  for (const name of optimizers) setFlagsFromString(`--no-${name}`);
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return {
    async count(act) {
      await session.post('Profiler.takePreciseCoverage');
      act();
      const { result } = await session.post('Profiler.takePreciseCoverage');
      const functions = result.filter(({ url }) => isCounted(url)).flatMap((script) => script.functions);
      const ranges = functions.filter(({ functionName }) => !isExportGetter(functionName)).flatMap((each) => each.ranges);
      return ranges.reduce((sum, range) => sum + range.count, 0);
    },
    async stop() {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
      for (const name of optimizers) setFlagsFromString(`--${name}`);
    },
  };
};

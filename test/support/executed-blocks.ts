import { Session } from 'node:inspector/promises';
import { setFlagsFromString } from 'node:v8';

/** Counts the executed blocks of code in some scripts, as V8 counts them for code coverage. */
export type BlockCounter = {
  /**
   * Counts the blocks that `act` executes. A loop of n iterations executes n blocks. Regular expressions and native
   * functions have none.
   */
  count(act: () => void): Promise<number>;
  stop(): Promise<void>;
};

/** Whether a function is an export getter, which Jest generates for modules. */
const isExportGetter = (functionName: string): boolean => functionName.startsWith('get ');

/**
 * Options that disable V8's optimizing compilers. V8 does not count calls that they inline, and the load of the machine
 * decides when they compile.
 */
const optimizers = ['opt', 'maglev'];

/**
 * Starts to count. Only code that is compiled afterwards is counted, so import that code dynamically.
 * @param isCounted whether to count the blocks of the script with this URL.
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

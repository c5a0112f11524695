import { Session } from 'node:inspector/promises';

/** Counts the executed blocks of code in some scripts, as V8 counts them for code coverage. */
export type BlockCounter = {
  /** Blocks that `act` executes. A loop of n turns executes n blocks. Regular expressions and native functions have none. */
  count(act: () => void): Promise<number>;
  stop(): Promise<void>;
};

/** Jest's modules export by getters, of which V8 counts only the calls that it does not inline. */
const isExportGetter = (functionName: string): boolean => functionName.startsWith('get ');

/**
 * Starts to count. Only code that is compiled afterwards is counted: import it dynamically.
 * @param isCounted whether the blocks of the script with that URL are counted.
 */
export const countBlocks = async (isCounted: (url: string) => boolean): Promise<BlockCounter> => {
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
    },
  };
};

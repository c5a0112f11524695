import type { Table } from '../../core/storage/table.ts';
import { wrappedTable } from './wrapped-table.ts';

/** Thrown when the process ends. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

export type FailingTable = Table & {
  /**
   * Makes the n-th write from now (0 is the next one) throw, `before` or `after` the write is stored. Later calls
   * succeed.
   */
  crashAtWrite(n: number, when?: 'before' | 'after'): void;
  /** Like `crashAtWrite`, but every later read and write also throws until `recover()`, as if the process had ended. */
  endProcessAtWrite(n: number, when?: 'before' | 'after'): void;

  recover(): void;
  /** Number of reads and writes so far. */
  readonly calls: { reads: number; writes: number };
};

/** A table whose writes can be made to crash. */
export const failingTable = (table: Table): FailingTable => {
  let remaining: number | undefined;
  let moment: 'before' | 'after' = 'before';
  let [endsProcess, hasEnded] = [false, false];
  const calls = { reads: 0, writes: 0 };
  const crash = (message: string): never => {
    hasEnded = endsProcess;
    throw new Crash(message);
  };
  const read = async <T>(call: () => Promise<T>): Promise<T> => {
    calls.reads++;
    if (hasEnded) throw new Crash('the process has ended');
    return call();
  };
  return {
    ...wrappedTable(table, read),
    calls,
    crashAtWrite(n, when = 'before') {
      [remaining, moment, endsProcess, hasEnded] = [n, when, false, false];
    },
    endProcessAtWrite(n, when = 'before') {
      [remaining, moment, endsProcess, hasEnded] = [n, when, true, false];
    },
    recover() {
      [remaining, endsProcess, hasEnded] = [undefined, false, false];
    },
    async write(writes) {
      calls.writes++;
      if (hasEnded) throw new Crash('the process has ended');
      const crashes = remaining === 0;
      if (remaining !== undefined) remaining--;
      if (crashes && moment === 'before') crash('before a write');
      await table.write(writes);
      if (crashes) crash('after a write');
    },
  };
};

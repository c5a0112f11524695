import type { Table } from '../../core/storage/table.ts';

/** The process ended here: nothing after it happens. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

export type FailingTable = Table & {
  /** The n-th write from now (0 is the next) crashes, `before` it happens or `after` it has. Undefined: none does. */
  crashAt(n: number | undefined, when?: 'before' | 'after'): void;
  /** The same, and whoever crashed is dead: no read or write of theirs reaches the table any more, until `crashAt(undefined)`. */
  dieAt(n: number, when?: 'before' | 'after'): void;
  /** Reads and writes so far. */
  readonly calls: { reads: number; writes: number };
};

/** A table whose writes can be made to crash. */
export const failingTable = (table: Table): FailingTable => {
  let remaining: number | undefined;
  let moment: 'before' | 'after' = 'before';
  let [isDeadly, isDead] = [false, false];
  const calls = { reads: 0, writes: 0 };
  const crash = (words: string): never => {
    isDead = isDeadly;
    throw new Crash(words);
  };
  const reading = async <T>(read: () => Promise<T>): Promise<T> => {
    calls.reads++;
    if (isDead) throw new Crash('the process has ended');
    return read();
  };
  return {
    place: table.place,
    calls,
    crashAt(n, when = 'before') {
      [remaining, moment, isDeadly, isDead] = [n, when, false, false];
    },
    dieAt(n, when = 'before') {
      [remaining, moment, isDeadly, isDead] = [n, when, true, false];
    },
    get: (key) => reading(() => table.get(key)),
    batchGet: (keys) => reading(() => table.batchGet(keys)),
    query: (query) => reading(() => table.query(query)),
    async write(writes) {
      calls.writes++;
      if (isDead) throw new Crash('the process has ended');
      const crashes = remaining === 0;
      if (remaining !== undefined) remaining--;
      if (crashes && moment === 'before') crash('before a write');
      await table.write(writes);
      if (crashes) crash('after a write');
    },
  };
};

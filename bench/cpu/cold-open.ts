import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One operation of a cold Lambda. Memory is in MB. */
type Operation = {
  /** CPU milliseconds, without the SDK. */
  readonly cpu: number;
  readonly milliseconds: number;
  /** Additional heap and buffers afterwards. */
  readonly megabytes: number;
  /** Additional memory of the process at its highest. */
  readonly peak: number;
};
type Reads = { readonly trips: number; readonly readUnits: number };

/** The figures of an account of one size. */
export type ColdOpen = {
  readonly messages: number;
  /** The first request of a cold JMAP Lambda, which finds a snapshot and the most log that may follow it. */
  readonly withSnapshot: Operation & Reads;
  /** Loading the account from its rows, without the CPU of making the rows. */
  readonly withoutSnapshot: Operation & Reads;
  /** Writing the snapshot. `octets`: its length. */
  readonly indexer: Operation & { readonly octets: number };
};

/**
 * Loads an account of this size in fresh processes (`cold-open-process.ts`), so that nothing is compiled or in memory
 * before. The snapshot is a file, so that the time lacks that of S3.
 */
export const coldOpen = (messages: number): ColdOpen => {
  const directory = mkdtempSync(join(tmpdir(), 'postrider-bench-'));
  const run = (mode: 'index' | 'request') => JSON.parse(execFileSync(
    process.execPath, [join(import.meta.dirname, 'cold-open-process.ts'), mode, directory, String(messages)], { encoding: 'utf8' },
  )) as unknown;
  try {
    const indexed = run('index') as { rows: ColdOpen['withoutSnapshot']; indexer: ColdOpen['indexer'] };
    return { messages, withoutSnapshot: indexed.rows, indexer: indexed.indexer, withSnapshot: run('request') as ColdOpen['withSnapshot'] };
  } finally {
    rmSync(directory, { recursive: true });
  }
};

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
  /** Maximum additional memory of the process. */
  readonly peak: number;
};
type Reads = { readonly trips: number; readonly readUnits: number };

/** The measurements for one number of messages. */
export type ColdOpen = {
  readonly messages: number;
  /** The first request of a cold JMAP Lambda, which loads a snapshot and the longest log that may follow it. */
  readonly withSnapshot: Operation & Reads;
  /** Loading the account from its rows, without the CPU of making the rows. */
  readonly withoutSnapshot: Operation & Reads;
  /** Writing the snapshot. `octets`: its length. */
  readonly indexer: Operation & { readonly octets: number };
};

/**
 * Measures opening an account of this size in fresh processes (`cold-open-process.ts`), so that no code is compiled and
 * no data is in memory. The snapshot is a file, so the time of S3 is not included.
 */
export const coldOpen = (messages: number): ColdOpen => {
  const directory = mkdtempSync(join(tmpdir(), 'postrider-bench-'));
  const run = (mode: 'index' | 'request') =>
    JSON.parse(
      execFileSync(process.execPath, [join(import.meta.dirname, 'cold-open-process.ts'), mode, directory, String(messages)], { encoding: 'utf8' }),
    ) as unknown;
  try {
    const indexed = run('index') as { rows: ColdOpen['withoutSnapshot']; indexer: ColdOpen['indexer'] };
    return { messages, withoutSnapshot: indexed.rows, indexer: indexed.indexer, withSnapshot: run('request') as ColdOpen['withSnapshot'] };
  } finally {
    rmSync(directory, { recursive: true });
  }
};

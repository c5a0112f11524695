import type { Head } from '../../account-log/head.ts';

/** The newest snapshot of an account, as its head names it. */
type SnapshotName = {
  /** The newest commit in the snapshot. */
  readonly sequence: number;
  /** `logBytes` of the head at the snapshot's newest commit. */
  readonly logBytes: number;
  /** Octets of the file's header. A reader requests the whole header by one range. */
  readonly headerOctets: number;
  /** Octets of the file. */
  readonly octets: number;
  /** Makes the name unique, because a file is never written again. */
  readonly nonce: string;
};

const pattern = /^(\d{12})-(\d{1,15})-(\d{1,10})-(\d{1,12})-([\w-]{1,40})$/;

export const snapshotName = ({ sequence, logBytes, headerOctets, octets, nonce }: SnapshotName): string =>
  `${String(sequence).padStart(12, '0')}-${logBytes}-${headerOctets}-${octets}-${nonce}`;

/** @returns undefined for a name of another form, which a newer release may have written. */
export const parseSnapshotName = (name: string): SnapshotName | undefined => {
  const [, sequence, logBytes, headerOctets, octets, nonce] = pattern.exec(name) ?? [];
  if (nonce === undefined) return undefined;
  return { sequence: Number(sequence), logBytes: Number(logBytes), headerOctets: Number(headerOctets), octets: Number(octets), nonce };
};

/** Maximum octets and maximum commits of log after a snapshot, before the next one is written. */
export type SnapshotBounds = { readonly logBytes: number; readonly commits: number };

/**
 * A snapshot is due when this many octets of log, or this many commits, follow the newest one. A cold Lambda reads that
 * log: 96 KB are 24 read units, about 280 deliveries. A snapshot costs less than a hundredth of 280 deliveries.
 */
export const snapshotBounds: SnapshotBounds = { logBytes: 96 * 1024, commits: 500 };

/** Whether enough log follows the newest snapshot, or the account's first commit. */
export const isSnapshotDue = ({ sequence, logBytes, snapshot }: Head, bounds = snapshotBounds): boolean => {
  const last = snapshot === undefined ? undefined : parseSnapshotName(snapshot);
  return sequence - (last?.sequence ?? 0) >= bounds.commits || logBytes - (last?.logBytes ?? 0) >= bounds.logBytes;
};

import type { Clock } from '../runtime/clock.ts';
import { mapConcurrently } from '../runtime/map-concurrently.ts';
import { tryWrite } from '../storage/retry-on-conflict.ts';
import type { Table } from '../storage/table.ts';
import { updateHead } from './head-writes.ts';
import type { Head, States } from './head.ts';
import { headKey, logKey } from './keys.ts';
import type { LogEntry } from './log-entry.ts';
import { decodeLogEntry, statesAfter } from './log-item.ts';
import type { StoredTypes } from './records/stored-type.ts';

/** Days for which the log is kept. A client that was offline for a month can still call /changes. */
export const logRetentionDays = 31;

/** Maximum commits that /changes reads. A longer log would cost more than a full synchronization. */
export const maxReplay = 20_000;

/** Log items that are read and deleted between two changes of the low-water mark. */
const batchSize = 250;
/** Maximum batches of one run. The next run continues. */
const maxBatches = 20;
/** Maximum concurrent deletes. */
const concurrentDeletes = 25;

type LogTrimmer = { readonly table: Table; readonly types: StoredTypes; readonly clock: Clock };

/** The states at the new low-water mark. Undefined when the states at the old one are unknown. */
const statesAtLowWater = (types: StoredTypes, { lowWater, lowWaterStates }: Head, trimmed: readonly LogEntry[]): States | undefined => {
  const known = lowWaterStates ?? (lowWater === 0 ? {} : undefined);
  return (
    known &&
    trimmed
      .filter(({ sequence }) => sequence > lowWater)
      .reduce((states, entry) => ({ ...statesAfter(types, states, entry), ...unknownStates(types, entry) }), known)
  );
};

/** The states of types that only a newer release knows. */
const unknownStates = (types: StoredTypes, { sequence, changes }: LogEntry): States =>
  Object.fromEntries(
    Object.keys(changes)
      .filter((name) => !types.has(name))
      .map((name) => [name, sequence]),
  );

/**
 * Deletes the oldest part of the log: items that are older than the retention, or from which /changes no longer starts.
 * The low-water mark is raised before its items are deleted, so that no reader takes a log with a gap for a complete
 * one. The trim is idempotent: an interrupted run leaves items below the mark, which the next one deletes.
 * @param upTo the commit of the newest snapshot. Later items stay.
 * @returns the number of deleted items.
 */
export const trimLog = async ({ table, types, clock }: LogTrimmer, accountId: string, head: Head, upTo: number): Promise<number> => {
  const oldest = clock().getTime() - logRetentionDays * 24 * 60 * 60 * 1000;
  let current = head;
  let deleted = 0;
  for (let batch = 0; batch < maxBatches; batch++) {
    const items = await table.query({ pk: headKey(accountId).pk, before: logKey(accountId, upTo + 1).sk, limit: batchSize });
    const entries = items.map((item) => decodeLogEntry(types, item));
    const kept = entries.findIndex(({ sequence, at }) => sequence > current.lowWater && at >= oldest && sequence > head.sequence - maxReplay);
    const trimmed = kept < 0 ? entries : entries.slice(0, kept);
    const lowWater = Math.max(current.lowWater, trimmed.at(-1)?.sequence ?? 0);
    if (lowWater > current.lowWater) {
      const lowWaterStates = statesAtLowWater(types, current, trimmed);
      const set = { lowWater, ...(lowWaterStates && { lowWaterStates }) };
      const isRaised = await tryWrite(table, [updateHead(accountId, { set }, { equals: { lowWater: current.lowWater } })]);
      if (!isRaised) return deleted;
      current = { ...current, lowWater, ...(lowWaterStates && { lowWaterStates }) };
    }
    await mapConcurrently(trimmed, ({ sequence }) => table.write([{ delete: logKey(accountId, sequence) }]), { atOnce: concurrentDeletes });
    deleted += trimmed.length;
    if (trimmed.length < batchSize) return deleted;
  }
  return deleted;
};

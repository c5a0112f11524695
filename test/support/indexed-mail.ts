import { accountOpener } from '../../core/account-index/account-opener.ts';
import type { SnapshotBounds } from '../../core/account-index/snapshot/snapshot-name.ts';
import { decodeHead, type Head } from '../../core/account-log/head.ts';
import { headKey } from '../../core/account-log/keys.ts';
import type { StoredTypes } from '../../core/account-log/records/stored-type.ts';
import type { MailStore } from '../../core/mail/mail-store/mail-store.ts';
import { storedTypes as types } from '../../core/mail/mail-store/stored-types.ts';
import { mailStore } from '../../core/mail/mail-store/table-mail-store.ts';
import type { SnapshotWriter } from '../../core/search/indexing/take-snapshot.ts';
import type { Objects } from '../../core/storage/objects.ts';
import type { Table } from '../../core/storage/table.ts';
import { indexBatch } from '../../lambdas/indexer/index-batch.ts';
import { snapshotStep } from '../../lambdas/indexer/snapshot-step.ts';
import { memoryLog } from '../fakes/memory-log.ts';
import { memoryObjects } from '../fakes/memory-objects.ts';
import { memoryTable } from '../fakes/memory-table.ts';
import { streamedTable } from './table-stream.ts';

type Options = { readonly bounds?: SnapshotBounds };

/**
 * A mail table in memory, its bucket, and the indexer Lambda that reads its stream. Time advances only by `clock.wait`.
 */
export const indexedMail = ({ bounds }: Options = {}) => {
  let now = Date.UTC(2026, 10, 21, 9);
  const clock = Object.assign(() => new Date(now), {
    wait: (days: number) => {
      now += days * 24 * 60 * 60 * 1000;
    },
  });
  const table = streamedTable(memoryTable());
  const objects = memoryObjects(clock);
  const log = memoryLog();
  let nonces = 0;
  /** The snapshot writer of another instance of the indexer. */
  const writer = (overTable: Table = table, overObjects: Objects = objects): SnapshotWriter => ({
    table: overTable,
    objects: overObjects,
    clock,
    newNonce: () => `n${++nonces}`,
    ...(bounds && { bounds }),
    opener: accountOpener({ table: overTable, types, snapshots: { objects: overObjects, log } }),
  });
  const coldIndexer = () => indexBatch({ types, steps: [snapshotStep({ ...writer(), types, log })], log });
  let indexer = coldIndexer();

  return {
    clock,
    table,
    objects,
    log,
    writer,
    /** The store of a cold Lambda, which opens accounts from snapshots. */
    cold: (over: { readonly table?: Table; readonly objects?: Pick<Objects, 'get'>; readonly types?: StoredTypes } = {}): MailStore =>
      mailStore({ table: over.table ?? table, types: over.types ?? types, snapshots: { objects: over.objects ?? objects, log }, clock }),
    /** A store without snapshots, which opens accounts from their records. */
    fromRecords: (over: Table = table): MailStore => mailStore({ table: over, clock }),
    /** Passes the stream's new records to the indexer. @returns the number of failures. */
    async index({ isCold = false } = {}): Promise<number> {
      if (isCold) indexer = coldIndexer();
      const { batchItemFailures } = await indexer({ Records: table.records.splice(0) });
      return batchItemFailures.length;
    },
    head: async (accountId: string): Promise<Head> => decodeHead((await table.get(headKey(accountId)))!),
    snapshotKeys: () => objects.keys().filter((key) => key.startsWith('snapshots/')),
  };
};

export type IndexedMail = ReturnType<typeof indexedMail>;

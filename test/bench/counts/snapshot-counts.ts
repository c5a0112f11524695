import { accountId } from '../../../bench/fixtures/alice.ts';
import { accountOpener } from '../../../core/account-index/account-opener.ts';
import { snapshotBounds } from '../../../core/account-index/snapshot/snapshot-name.ts';
import { storedTypes as types } from '../../../core/mail/mail-store/stored-types.ts';
import { takeSnapshot } from '../../../core/search/indexing/take-snapshot.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { memoryObjects } from '../../fakes/memory-objects.ts';
import { deliverLog } from '../fixtures/cold-account.ts';
import { tablesWithMessages } from '../fixtures/lambdas-in-memory.ts';
import { TableMeter, type TableUsage } from './table-meter.ts';

/** The usage of one snapshot by a cold indexer, and the deliveries between two snapshots. */
type SnapshotCounts = TableUsage & { readonly deliveries: number; readonly objectsRead: number; readonly objectsWritten: number };

/**
 * Measures the second snapshot of an account with this many messages. `objectsWritten` includes the LIST, which has the
 * price of a PUT.
 */
export const countSnapshot = async (messages: number): Promise<SnapshotCounts> => {
  const meter = new TableMeter();
  const { mail } = await tablesWithMessages(messages);
  const bucket = memoryObjects();
  const counts = { objectsRead: 0, objectsWritten: 0 };
  const objects = {
    ...bucket,
    get: (...given: Parameters<typeof bucket.get>) => {
      counts.objectsRead++;
      return bucket.get(...given);
    },
    put: (...given: Parameters<typeof bucket.put>) => {
      counts.objectsWritten++;
      return bucket.put(...given);
    },
    list: (...given: Parameters<typeof bucket.list>) => {
      counts.objectsWritten++;
      return bucket.list(...given);
    },
  };
  const table = meter.watch(mail);
  const coldSnapshot = async () => {
    const opener = accountOpener({ table, types, snapshots: { objects, log: memoryLog() } });
    const head = await takeSnapshot({ table, opener, objects, newNonce: () => 'bench', clock: () => new Date() }, accountId);
    if (!head) throw new Error('no snapshot was due');
    return head.sequence;
  };
  await deliverLog(mail, snapshotBounds.logBytes);
  const first = await coldSnapshot();
  await deliverLog(mail, snapshotBounds.logBytes, first);
  [counts.objectsRead, counts.objectsWritten] = [0, 0];
  let second = first;
  const usage = await meter.measure(async () => {
    second = await coldSnapshot();
  });
  return { ...usage, ...counts, deliveries: second - first };
};

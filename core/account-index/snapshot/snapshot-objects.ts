import type { Attributes } from '../../account-log/item-version.ts';
import type { StoredRecord } from '../../account-log/log-entry.ts';
import { savedAs, type Indexes, type RecordIndex, type RecordStorage, type SavedIndex } from '../../account-log/records/stored-type.ts';
import { objectKeys } from '../../storage/object-keys.ts';
import type { Objects } from '../../storage/objects.ts';
import { recordTypes, type AccountIndex } from '../account-index.ts';
import { encodeSnapshot, readSnapshot, UnusableSnapshot, type SnapshotContent } from './snapshot-file.ts';
import { parseSnapshotName, snapshotName } from './snapshot-name.ts';

/** The form of an index whose type has no other. */
type SavedRecords = SavedIndex & { readonly json: { readonly records: readonly (Attributes & { readonly id: string })[] } };

type Storage = RecordStorage<StoredRecord, RecordIndex>;

/** Records are saved with their codec's attributes, which have a version of their own. */
const saveIndex = ({ codec, snapshots }: Storage, index: RecordIndex, indexes: Indexes): SavedIndex =>
  snapshots?.save(index, indexes) ?? { json: { records: index.all().map((record) => ({ id: record.id, ...codec.encode(record) })) }, arrays: {} };

/** The content of an account's snapshot. */
const snapshotOf = (account: AccountIndex): SnapshotContent => ({
  accountId: account.accountId,
  sequence: account.head.sequence,
  types: Object.fromEntries(recordTypes(account.types).map((type) => [type.name, saveIndex(type.records, account.index(type), account)])),
});

/** Restores the index of a type from a snapshot. */
export const restoreIndex = (storage: Storage, saved: SavedIndex, indexes: Indexes): RecordIndex => {
  if (storage.snapshots) return storage.snapshots.restore(saved, indexes);
  const { records } = savedAs<SavedRecords>(saved).json;
  const builder = storage.indexBuilder();
  builder.add(records.map(({ id, ...attributes }) => storage.codec.decode(id, attributes)));
  return builder.finish(indexes);
};

/** Reads the snapshot with this name. @throws UnusableSnapshot when the account must be loaded from its records. */
export const readSnapshotObject = async (objects: Pick<Objects, 'get'>, accountId: string, name: string): Promise<SnapshotContent> => {
  const parsed = parseSnapshotName(name);
  if (!parsed) throw new UnusableSnapshot('newer');
  const key = objectKeys.snapshot(accountId, name);
  const read = async (start: number, end: number): Promise<Buffer> => {
    let found;
    try {
      found = await objects.get(key, { start, end });
    } catch (error) {
      throw new UnusableSnapshot('unreadable', { cause: error });
    }
    if (!found) throw new UnusableSnapshot('missing');
    if (found.size !== parsed.octets || found.bytes.length !== end - start) throw new UnusableSnapshot('damaged');
    return found.bytes;
  };
  const content = await readSnapshot(read, parsed);
  if (content.accountId !== accountId || content.sequence !== parsed.sequence) throw new UnusableSnapshot('damaged');
  return content;
};

/** Writes a snapshot of the account at its newest commit in memory. @returns its name. */
export const writeSnapshotObject = async (objects: Pick<Objects, 'put'>, account: AccountIndex, nonce: string): Promise<string> => {
  const { bytes, headerOctets } = encodeSnapshot(snapshotOf(account));
  const { sequence, logBytes } = account.head;
  const name = snapshotName({ sequence, logBytes, headerOctets, octets: bytes.length, nonce });
  await objects.put(objectKeys.snapshot(account.accountId, name), bytes);
  return name;
};

/**
 * Milliseconds after which a snapshot that no head names is removed. By then no Lambda reads the snapshot or writes its
 * name.
 */
const graceTime = 60 * 60 * 1000;

/**
 * Removes the snapshots that the head no longer names. The latest snapshot and recent ones are kept, because they may
 * be in use.
 */
export const removeOldSnapshots = async (
  objects: Pick<Objects, 'list' | 'remove'>,
  accountId: string,
  { kept, now }: { readonly kept: readonly string[]; readonly now: Date },
): Promise<void> => {
  const keptKeys = new Set(kept.map((name) => objectKeys.snapshot(accountId, name)));
  const found = await objects.list(objectKeys.snapshot(accountId, ''));
  const old = found.filter(({ key, modified }) => !keptKeys.has(key) && now.getTime() - modified.getTime() > graceTime);
  await objects.remove(old.map(({ key }) => key));
};

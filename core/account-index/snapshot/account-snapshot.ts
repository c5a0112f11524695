import type { Attributes } from '../../account-log/item-version.ts';
import type { StoredRecord } from '../../account-log/log-entry.ts';
import { savedAs, type Indexes, type RecordIndex, type RecordStorage, type SavedIndex } from '../../account-log/records/stored-type.ts';
import { recordTypes, type AccountIndex } from '../account-index.ts';
import type { SnapshotContent } from './snapshot-file.ts';

/** The form of an index whose type has no other. */
type SavedRecords = SavedIndex & { readonly json: { readonly records: readonly (Attributes & { readonly id: string })[] } };

type Storage = RecordStorage<StoredRecord, RecordIndex>;

/** Records are saved with their codec's attributes, which have a version of their own. */
const saveIndex = ({ codec, snapshots }: Storage, index: RecordIndex, indexes: Indexes): SavedIndex =>
  snapshots?.save(index, indexes) ?? { json: { records: index.all().map((record) => ({ id: record.id, ...codec.encode(record) })) }, arrays: {} };

/** The content of an account's snapshot. */
export const snapshotOf = (account: AccountIndex): SnapshotContent => ({
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

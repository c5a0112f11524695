import { capability } from '../../../contract/jmap/core.ts';
import { recordType } from '../../../contract/jmap/record.ts';
import type { StoredRecord } from '../../../core/account-log/log-entry.ts';
import { indexOfRecords, plainStoredType, RecordMap, storedTypeTable, type StoredType } from '../../../core/account-log/records/stored-type.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { storedTypes } from '../../../core/mail/mail-store/stored-types.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { emailId, newEmail } from '../../support/email-fixtures.ts';

const account = 'acc_1';
const note = recordType({
  name: 'Note',
  capability: capability.mail,
  methods: ['get'],
  properties: { id: { type: 'Id' }, text: { type: 'String', default: '' } },
});

/** Stores over one table. Their index of Notes fails `failures` times. */
const storesWithFaultyIndex = () => {
  const table = memoryTable();
  const failures = { count: 0 };
  class FaultyIndex extends RecordMap<StoredRecord> {
    override apply(changes: Parameters<RecordMap<StoredRecord>['apply']>[0]): void {
      if (failures.count > 0) {
        failures.count -= 1;
        throw new Error('the index cannot apply this');
      }
      super.apply(changes);
    }
  }
  const plain = plainStoredType(note);
  const faulty: StoredType = { ...plain, records: { ...plain.records, indexBuilder: () => indexOfRecords((records) => new FaultyIndex(records)) } };
  const types = storedTypeTable([...storedTypes.values(), faulty]);
  return { failures, store: mailStore({ table, types }), other: mailStore({ table, types }) };
};

describe('an index that failed while it was applying a commit', () => {
  test('is dropped: the same open loads the account again, and later opens succeed', async () => {
    const { failures, store, other } = storesWithFaultyIndex();
    await store.createAccount(account);
    await store.open(account);
    await other.deliver(account, newEmail(1));
    failures.count = 1;
    expect(emailsOf((await store.open(account))!).ids()).toEqual([emailId(1)]);
    await other.deliver(account, newEmail(2));
    expect(emailsOf((await store.open(account))!).size).toBe(2);
  });

  test('does not fail the commit, which is already written: its view is loaded again', async () => {
    const { failures, store } = storesWithFaultyIndex();
    await store.createAccount(account);
    const view = (await store.open(account))!;
    failures.count = 1;
    const after = await store.commit(view, () => ({ records: { Note: { put: [{ id: 'N1' }] } } }));
    expect([after.sequence, after.index({ name: 'Note' }).ids()]).toEqual([view.sequence + 1, ['N1']]);
    expect((await store.open(account))!.index({ name: 'Note' }).ids()).toEqual(['N1']);
  });
});

import type { AccountView } from '../../core/account-index/account-view.ts';
import type { StoredType } from '../../core/account-log/records/stored-type.ts';
import { emailType } from '../../core/mail/email/email-type.ts';
import type { FoundRecords, MailStore } from '../../core/mail/mail-store/mail-store.ts';
import { ownQuotaOf, quotaType, type QuotaRecord } from '../../core/mail/quota/quota-type.ts';
import type { Table, Write } from '../../core/storage/table.ts';
import { newEmail } from '../support/email-fixtures.ts';
import { storesPerTest, type MakeStores } from './stores-per-test.ts';

const type = quotaType as unknown as StoredType;
const named = (accountId: string, id: 'octets' | 'count' = 'octets') => ({ accountId, type, id });
const limitIn = (found: FoundRecords, accountId: string): number | undefined => found.get(accountId, quotaType, 'octets')?.hardLimit;
const limits = (accountId: string, ...put: QuotaRecord[]) => ({ accounts: { [accountId]: { Quota: { put } } } });

/** The behaviour of every {@link MailStore}'s `commitRecords`, with Quota records. */
export const recordCommitSuite = (makeStores: MakeStores, makeTable: () => Promise<Table> | Table): void => {
  const { another, store } = storesPerTest(makeStores);
  const open = async (accountId = 'acc_1', from = store): Promise<AccountView> => (await from.open(accountId))!;
  const stored = async (accountId = 'acc_1') =>
    ownQuotaOf(await open(accountId, another()))
      .all()
      .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const increment = (from: MailStore) =>
    from.commitRecords([named('acc_1')], (found) => limits('acc_1', { id: 'octets', hardLimit: (limitIn(found, 'acc_1') ?? 0) + 1 }));

  describe('a commit of named records', () => {
    it('creates, updates and destroys them, each as one commit that /changes reports', async () => {
      const before = await open();
      expect(
        await another().commitRecords([named('acc_1'), named('acc_1', 'count')], (found) => {
          expect([found.hasAccount('acc_1'), limitIn(found, 'acc_1')]).toEqual([true, undefined]);
          return limits('acc_1', { id: 'octets', hardLimit: 10 }, { id: 'count', hardLimit: 2 });
        }),
      ).toBe('committed');
      await another().commitRecords([named('acc_1'), named('acc_1', 'count')], (found) => {
        expect(limitIn(found, 'acc_1')).toBe(10);
        return { accounts: { acc_1: { Quota: { put: [{ id: 'octets', hardLimit: 11 } as QuotaRecord], destroy: ['count'] } } } };
      });
      expect(await stored()).toEqual([{ id: 'octets', hardLimit: 11 }]);
      const after = await open();
      expect(ownQuotaOf(after).all()).toEqual([{ id: 'octets', hardLimit: 11 }]);
      expect(after.sequence).toBe(before.sequence + 2);
      expect((await store.changes(after, 'Quota', before.state('Quota')))!.updated.toSorted()).toEqual(['count', 'octets']);
      expect(after.state('Email')).toBe(before.state('Email'));
      expect((await store.quota('acc_1'))!.octets.hardLimit).toBe(11);
    });

    it('changes nothing when the plan changes no record', async () => {
      await increment(store);
      const { sequence } = await open();
      expect(await store.commitRecords([named('acc_1')], () => undefined)).toBe('unchanged');
      expect(await store.commitRecords([named('acc_1')], () => limits('acc_1', { id: 'octets', hardLimit: 1 }))).toBe('unchanged');
      expect(await store.commitRecords([named('acc_1', 'count')], () => ({ accounts: { acc_1: { Quota: { destroy: ['count'] } } } }))).toBe('unchanged');
      expect((await open()).sequence).toBe(sequence);
    });

    it('is one transaction with its additional writes', async () => {
      const elsewhere = await makeTable();
      const note: Write = { put: { pk: 'note', sk: 'a' }, if: { absent: true }, inTable: elsewhere.reference };
      const other: Write = { put: { pk: 'note', sk: 'b' }, inTable: elsewhere.reference };
      const put = (hardLimit: number, additionalWrites: readonly Write[]) =>
        store.commitRecords([named('acc_1')], () => ({ ...limits('acc_1', { id: 'octets', hardLimit }), additionalWrites }));
      expect(await put(1, [note])).toBe('committed');
      await expect(put(2, [other, note])).rejects.toMatchObject({ name: 'WriteRefused', failed: [1] });
      expect([await stored(), await elsewhere.get({ pk: 'note', sk: 'a' }), await elsewhere.get({ pk: 'note', sk: 'b' })]).toEqual([
        [{ id: 'octets', hardLimit: 1 }],
        { pk: 'note', sk: 'a' },
        undefined,
      ]);
      await expect(put(1, [other])).rejects.toThrow('changes no record');
    });

    it('changes several accounts together', async () => {
      await store.createAccount('acc_2');
      const { sequence } = await open('acc_2');
      expect(
        await store.commitRecords([named('acc_1'), named('acc_2')], () => ({
          accounts: { ...limits('acc_1', { id: 'octets', hardLimit: 3 }).accounts, ...limits('acc_2', { id: 'octets', hardLimit: 4 }).accounts },
        })),
      ).toBe('committed');
      expect([await stored('acc_1'), await stored('acc_2'), (await open('acc_2')).sequence]).toEqual([
        [{ id: 'octets', hardLimit: 3 }],
        [{ id: 'octets', hardLimit: 4 }],
        sequence + 1,
      ]);
    });

    it('shows an absent account to the plan, and cannot change it', async () => {
      await store.commitRecords([named('acc_none')], (found) => {
        expect([found.hasAccount('acc_none'), limitIn(found, 'acc_none')]).toEqual([false, undefined]);
        return undefined;
      });
      await expect(store.commitRecords([named('acc_none')], () => limits('acc_none', { id: 'octets', hardLimit: 1 }))).rejects.toThrow('does not exist');
      expect(await store.open('acc_none')).toBeUndefined();
    });

    it('refuses records that were not named, and types with rules over several records', async () => {
      await expect(store.commitRecords([], () => limits('acc_1', { id: 'octets', hardLimit: 1 }))).rejects.toThrow('does not exist');
      await expect(store.commitRecords([named('acc_1', 'count')], () => limits('acc_1', { id: 'octets', hardLimit: 1 }))).rejects.toThrow(
        'not among the named records',
      );
      await store.deliver('acc_1', newEmail(1));
      const { id } = newEmail(1).content;
      await expect(
        store.commitRecords([{ accountId: 'acc_1', type: emailType, id }], () => ({ accounts: { acc_1: { Email: { destroy: [id] } } } })),
      ).rejects.toThrow("needs the account's index");
    });

    it('loses no change when several Lambdas commit, deliver and open at once', async () => {
      const stores = Array.from({ length: 4 }, another);
      await Promise.all(stores.flatMap((each, index) => [increment(each), each.deliver('acc_1', newEmail(index)), increment(each), open('acc_1', each)]));
      expect(await stored()).toEqual([{ id: 'octets', hardLimit: 8 }]);
      for (const each of stores) expect(ownQuotaOf(await open('acc_1', each)).get('octets')!.hardLimit).toBe(8);
    });
  });
};

import { capability } from '../../../contract/jmap/core.ts';
import { recordType } from '../../../contract/jmap/record.ts';
import { headKey, logKey } from '../../../core/account-log/keys.ts';
import { logRetentionDays, trimLog } from '../../../core/account-log/log-trim.ts';
import { plainStoredType, storedTypeTable } from '../../../core/account-log/records/stored-type.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { storedTypes as types } from '../../../core/mail/mail-store/stored-types.ts';
import { emailId, mailCommit, newEmail, withKeywords } from '../../support/email-fixtures.ts';
import { failingTable } from '../../support/failing-table.ts';
import { indexedMail, type IndexedMail } from '../../support/indexed-mail.ts';

const account = 'acc_1';

/** An account with an Email of each of these ages in days, in this order. Commit 2 creates the first Email. */
const mailOfAges = async (...days: number[]): Promise<IndexedMail> => {
  const mail = indexedMail({ bounds: { commits: 1, logBytes: 1_000_000 } });
  const store = mail.fromRecords();
  mail.clock.wait(-days[0]!);
  await store.createAccount(account);
  for (const [index, age] of days.entries()) {
    await store.deliver(account, newEmail(index + 1));
    mail.clock.wait(age - (days[index + 1] ?? 0));
  }
  return mail;
};

const logSequences = async ({ table }: IndexedMail) =>
  (await table.query({ pk: headKey(account).pk, before: headKey(account).sk })).map(({ sk }) => Number(sk));

describe('the log of an account', () => {
  test('is trimmed by the indexer once its items are older than the retention', async () => {
    const mail = await mailOfAges(90, 60, logRetentionDays + 1, logRetentionDays - 1, 3, 0);
    await mail.index();
    expect(await mail.head(account)).toMatchObject({ lowWater: 4, sequence: 7 });
    expect(await logSequences(mail)).toEqual([5, 6, 7]);
  });

  test('keeps every item after the newest snapshot, however old it is', async () => {
    const mail = await mailOfAges(90, 60, 50, 40);
    expect(await trimLog({ ...mail, types }, account, await mail.head(account), 3)).toBe(3);
    expect(await mail.head(account)).toMatchObject({ lowWater: 3 });
    expect(await logSequences(mail)).toEqual([4, 5]);
    expect(emailsOf((await mail.cold().open(account))!).size).toBe(4);
  });

  test('is trimmed completely by the run after an interrupted one', async () => {
    for (let writes = 0; writes < 4; writes++) {
      const mail = await mailOfAges(90, 60, 50, 0);
      const table = failingTable(mail.table);
      table.endProcessAtWrite(writes);
      const head = await mail.head(account);
      await expect(trimLog({ clock: mail.clock, table, types }, account, head, 5)).rejects.toThrow('write');
      const warm = mail.fromRecords();
      expect(emailsOf((await warm.open(account, ['Email-1']))!).size).toBe(4);
      await trimLog({ ...mail, types }, account, await mail.head(account), 5);
      expect(await logSequences(mail)).toEqual([5]);
      expect(await mail.head(account)).toMatchObject({ lowWater: 4 });
    }
  });

  test('is trimmed in several batches when it is long', async () => {
    const mail = await mailOfAges(...Array.from({ length: 600 }, () => 50));
    expect(await trimLog({ ...mail, types }, account, await mail.head(account), 590)).toBe(590);
    expect(await logSequences(mail)).toEqual(Array.from({ length: 11 }, (_, i) => 591 + i));
  });
});

describe('/changes of a trimmed log', () => {
  // @requirement 8620 §5.2 changes-30-days
  test('is complete for a client that was offline for a month, and undefined after a longer time', async () => {
    const mail = await mailOfAges(90, 60, 32, 30, 3, 0);
    await mail.index();
    const store = mail.cold();
    const view = (await store.open(account))!;
    for (const type of ['Email', 'Mailbox', 'Thread']) {
      for (const early of [0, 1, 2, 3]) expect(await store.changes(view, type, `${type}-${early}`)).toBeUndefined();
    }
    expect((await store.changes(view, 'Email', 'Email-4'))!.created).toEqual([4, 5, 6].map(emailId));
  });

  test('is complete for a state older than the log, when its type did not change between the state and the log', async () => {
    const mail = await mailOfAges(90, 80);
    const store = mail.fromRecords();
    const commit =
      (...keywords: string[]) =>
      async () => {
        const view = (await store.open(account))!;
        await store.commit(view, (newest) => mailCommit({ updateEmails: [withKeywords(emailsOf(newest).get(emailId(1))!, ...keywords)] }));
      };
    mail.clock.wait(-60);
    for (const keyword of ['one', 'two', 'three']) await commit(keyword)();
    mail.clock.wait(60);
    await commit('four')();
    await mail.index();
    expect(await mail.head(account)).toMatchObject({ lowWater: 6, lowWaterStates: { Email: 6, Thread: 3, EmailDelivery: 3, Mailbox: 3, Quota: 3 } });
    await store.deliver(account, newEmail(3));
    const cold = mail.cold();
    const view = (await cold.open(account, ['Thread-3']))!;
    expect((await cold.changes(view, 'Thread', 'Thread-3'))!.created).toHaveLength(1);
    expect((await cold.changes(view, 'Mailbox', 'Mailbox-3'))!.updated).toHaveLength(1);
    expect(await cold.changes(view, 'Thread', 'Thread-2')).toBeUndefined();
    expect(await cold.changes(view, 'Email', 'Email-3')).toBeUndefined();
    expect((await cold.changes(view, 'Email', 'Email-6'))!.updated).toEqual([emailId(1)]);
  });

  test('is undefined for an old state of a type that the indexer did not know', async () => {
    const mail = await mailOfAges(90);
    const note = plainStoredType(recordType({ name: 'Note', capability: capability.mail, methods: ['get'], properties: { id: { type: 'Id' } } }));
    const withNotes = storedTypeTable([...types.values(), note]);
    const store = mail.cold({ types: withNotes });
    const add = async (id: string) => store.commit((await store.open(account))!, () => ({ records: { Note: { put: [{ id }] } } }));
    mail.clock.wait(-60);
    await add('N1');
    mail.clock.wait(60);
    await add('N2');
    await mail.index();
    expect(await mail.head(account)).toMatchObject({ lowWater: 3, lowWaterStates: { Email: 2, Note: 3 } });
    const view = (await store.open(account))!;
    expect(await store.changes(view, 'Note', 'Note-0')).toBeUndefined();
    expect((await store.changes(view, 'Note', 'Note-3'))!.created).toEqual(['N2']);
  });

  // @pitfall changes older-than-log
  test('is never an empty list for a state that is older than the log', async () => {
    const mail = await mailOfAges(90, 60, 50, 0);
    await mail.index();
    expect(await mail.table.get(logKey(account, 3))).toBeUndefined();
    for (const store of [mail.cold(), mail.fromRecords()]) {
      for (const since of [[], ['Email-2']]) {
        const view = (await store.open(account, since))!;
        expect(await store.changes(view, 'Email', 'Email-2')).toBeUndefined();
      }
    }
  });
});

import * as fc from 'fast-check';
import { RecordMap, type Indexes } from '../../../../../core/account-log/records/stored-type.ts';
import type { EmailRow } from '../../../../../core/mail/email/email-content.ts';
import { EmailColumns } from '../../../../../core/mail/email/index/email-columns.ts';
import { EmailIndex } from '../../../../../core/mail/email/index/email-index.ts';
import { mailboxStorage, type MailboxRecord } from '../../../../../core/mail/mailbox/mailbox-record.ts';
import { assertProperty } from '../../../../support/assert-property.ts';
import { emailId } from '../../../../support/email-fixtures.ts';
import { recountMailboxes } from '../../../../support/replay-mail-changes.ts';

const mailboxIds = ['Finbox', 'Farchive', 'Ftrash', 'Fother'];
const mailboxes = (trashId: string | undefined): MailboxRecord[] =>
  mailboxIds.map((id) => ({ id, name: id, parentId: null, role: id === trashId ? 'trash' : null, sortOrder: 0, isSubscribed: true }));
const row = (number: number, more: Partial<EmailRow> = {}): EmailRow => ({
  id: emailId(number),
  threadId: `T${'0'.repeat(22)}`,
  mailboxIds: ['Finbox'],
  keywords: [],
  receivedAt: number,
  size: 1,
  ...more,
});

/** The indexes of an account in the form that hooks receive. */
const indexesOf = (emails: EmailIndex, trashId: string | undefined) => {
  const records = new RecordMap(mailboxes(trashId));
  return { index: (type: { name: string }) => (type.name === mailboxStorage.name ? records : emails) } as unknown as Indexes;
};
const created = (rows: readonly EmailRow[]) => ({ created: rows, updated: [], destroyed: [] });

type Step = { readonly thread: number; readonly email: number; readonly mailboxes: readonly string[]; readonly seen: boolean; readonly destroy: boolean };
const step: fc.Arbitrary<Step> = fc.record({
  thread: fc.nat(2),
  email: fc.nat(40),
  mailboxes: fc.uniqueArray(fc.constantFrom(...mailboxIds), { minLength: 1, maxLength: 3 }),
  seen: fc.boolean(),
  destroy: fc.boolean(),
});
/** Random commits of some steps each. A number makes another Mailbox the trash. */
const history = fc.array(
  fc.oneof({ weight: 12, arbitrary: fc.array(step, { minLength: 1, maxLength: 12 }) }, { weight: 1, arbitrary: fc.nat(mailboxIds.length) }),
  { maxLength: 40, size: 'max' },
);

/** Applies the steps as one commit: absent Emails are created, others updated or destroyed. */
const applySteps = (index: EmailIndex, steps: readonly Step[], indexes: Indexes) => {
  const byId = new Map(steps.map((each) => [`${each.thread}${String(each.email).padStart(3, '0')}`, each]));
  const rows = [...byId].map(([name, each]) => ({
    ...each,
    row: row(Number(name), {
      id: emailId(name),
      threadId: `T${String(each.thread).padStart(22, '0')}`,
      mailboxIds: each.mailboxes.toSorted(),
      keywords: each.seen ? ['$seen'] : [],
      size: 1 + 7919 * Number(name),
    }),
  }));
  index.apply(
    {
      created: rows.filter((each) => !index.has(each.row.id)).map((each) => each.row),
      updated: rows.filter((each) => index.has(each.row.id) && !each.destroy).map((each) => ({ record: each.row })),
      destroyed: rows.filter((each) => index.has(each.row.id) && each.destroy).map((each) => ({ id: each.row.id })),
    },
    indexes,
  );
};

describe('the counters of a Mailbox in random histories', () => {
  // @requirement 8621 §2 mailbox-trash
  test('equal those counted from all Emails, for Threads of few and of many Emails', () => {
    assertProperty(
      fc.property(history, fc.constantFrom(1, 3, 8, undefined), (commits, smallThread) => {
        let trashId: string | undefined = 'Ftrash';
        const index = EmailIndex.of([], trashId, smallThread);
        for (const commit of commits) {
          if (typeof commit === 'number') trashId = mailboxIds[commit];
          const indexes = indexesOf(index, trashId);
          applySteps(index, typeof commit === 'number' ? [] : commit, indexes);
          const recounted = recountMailboxes({ ...indexes, accountId: 'acc_1', searchManifest: undefined, sending: {}, sequence: 1, state: () => '' });
          expect(new Map(mailboxIds.map((id) => [id, index.counters(id)]))).toEqual(recounted);
          const loaded = EmailIndex.of(index.all(), trashId, smallThread);
          expect(new Map(mailboxIds.map((id) => [id, loaded.counters(id)]))).toEqual(recounted);
        }
      }),
      { numRuns: 150 },
    );
  });

  test('depend only on the Mailboxes of a Thread and on its size', () => {
    assertProperty(
      fc.property(history, fc.constantFrom(1, 3, 8), (commits, smallThread) => {
        const index = EmailIndex.of([], 'Ftrash', smallThread);
        for (const commit of commits) if (typeof commit !== 'number') applySteps(index, commit, indexesOf(index, 'Ftrash'));
        for (const threadId of [0, 1, 2].map((thread) => `T${String(thread).padStart(22, '0')}`)) {
          const rows = index.emailsOfThread(threadId);
          expect(index.threadSize(threadId)).toBe(rows.length);
          expect([...index.mailboxesOfThread(threadId)].toSorted()).toEqual([...new Set(rows.flatMap((each) => each.mailboxIds))].toSorted());
        }
      }),
      { numRuns: 100 },
    );
  });
});

test('the octets of an account are the sum of the sizes of its Emails after any commits, and after it is loaded again', () => {
  assertProperty(
    fc.property(history, (commits) => {
      const index = EmailIndex.of([], undefined);
      for (const commit of commits) {
        if (typeof commit !== 'number') applySteps(index, commit, indexesOf(index, undefined));
        const recounted = index.all().reduce((sum, { size }) => sum + size, 0);
        expect([index.octets, EmailIndex.of(index.all(), undefined).octets]).toEqual([recounted, recounted]);
      }
    }),
    { numRuns: 30 },
  );
});

describe('a delivery into a Thread', () => {
  afterEach(() => jest.restoreAllMocks());

  /**
   * The number of Emails that are read for a delivery into a Thread of this size, including the events of
   * Mailbox/changes and Thread/changes.
   */
  const looksOfDelivery = (size: number): number => {
    const index = EmailIndex.of(
      Array.from({ length: size }, (_, number) => row(number)),
      'Ftrash',
    );
    const indexes = indexesOf(index, 'Ftrash');
    index.apply(created([row(size)]), indexes);
    const looks = ['isUnread', 'mailboxIds', 'row'].map((name) => jest.spyOn(EmailColumns.prototype, name as 'row').mockClear());
    index.apply(created([row(size + 1)]), indexes);
    index.apply({ created: [], updated: [{ record: row(5, { keywords: ['$seen'] }) }], destroyed: [] }, indexes);
    index.threadSize(row(0).threadId);
    index.mailboxesOfThread(row(0).threadId);
    return looks.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
  };

  test('costs the same, whether the Thread has 100 or 20,000 Emails', () => {
    const [small, large] = [looksOfDelivery(100), looksOfDelivery(20_000)];
    expect(large).toBe(small);
    expect(large).toBeLessThan(20);
  });
});

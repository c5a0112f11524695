import * as fc from 'fast-check';
import { RecordMap, type Indexes } from '../../../../../core/account-log/records/stored-type.ts';
import type { EmailRow } from '../../../../../core/mail/email/email-content.ts';
import { EmailColumns } from '../../../../../core/mail/email/index/email-columns.ts';
import type { EmailFilter } from '../../../../../core/mail/email/index/email-filter.ts';
import { EmailIndex } from '../../../../../core/mail/email/index/email-index.ts';
import type { EmailSort } from '../../../../../core/mail/email/index/ordered-emails.ts';
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

const keywords = ['$seen', '$flagged', 'work'];
const keyword = fc.constantFrom(...keywords, 'never');

/** Emails with few different Threads, dates and sizes, so that many are equal. */
const rows: fc.Arbitrary<EmailRow[]> = fc
  .array(fc.record({ thread: fc.nat(4), keywords: fc.subarray(keywords), receivedAt: fc.nat(3), size: fc.nat(2) }), { maxLength: 14 })
  .map((all) => all.map(({ thread, ...row }, i) => ({ ...row, id: emailId((i * 5) % 14), threadId: `T${thread}`, mailboxIds: ['F1'] })));

const condition: fc.Arbitrary<EmailFilter> = fc.record(
  { hasKeyword: keyword, notKeyword: keyword, allInThreadHaveKeyword: keyword, someInThreadHaveKeyword: keyword, noneInThreadHaveKeyword: keyword },
  { requiredKeys: [] },
);
const filter: fc.Arbitrary<EmailFilter> = fc.oneof(
  condition,
  fc.record({ operator: fc.constantFrom('AND' as const, 'OR' as const, 'NOT' as const), conditions: fc.array(condition, { maxLength: 3 }) }),
);
const sorts: fc.Arbitrary<EmailSort[]> = fc.array(
  fc.oneof(
    fc.record({ property: fc.constantFrom('receivedAt' as const, 'size' as const), isAscending: fc.boolean() }),
    fc.record({
      property: fc.constantFrom('hasKeyword' as const, 'allInThreadHaveKeyword' as const, 'someInThreadHaveKeyword' as const),
      keyword,
      isAscending: fc.boolean(),
    }),
  ),
  { maxLength: 4 },
);

/** The same query, written directly after RFC 8621 §4.4.1 and §4.4.2: for each Email, all Emails are examined. */
const plainQuery = (all: readonly EmailRow[], wanted: EmailFilter, sort: readonly EmailSort[], collapse: boolean): string[] => {
  const threadOf = ({ threadId }: EmailRow) => all.filter((row) => row.threadId === threadId);
  const has = (row: EmailRow, name: string | undefined) => row.keywords.includes(name!);
  const matches = (row: EmailRow, each: EmailFilter): boolean => {
    if ('operator' in each) {
      const results = each.conditions.map((part) => matches(row, part));
      return { AND: results.every(Boolean), OR: results.some(Boolean), NOT: !results.some(Boolean) }[each.operator];
    }
    return (
      (each.hasKeyword === undefined || has(row, each.hasKeyword)) &&
      (each.notKeyword === undefined || !has(row, each.notKeyword)) &&
      (each.allInThreadHaveKeyword === undefined || threadOf(row).every((other) => has(other, each.allInThreadHaveKeyword))) &&
      (each.someInThreadHaveKeyword === undefined || threadOf(row).some((other) => has(other, each.someInThreadHaveKeyword))) &&
      (each.noneInThreadHaveKeyword === undefined || !threadOf(row).some((other) => has(other, each.noneInThreadHaveKeyword)))
    );
  };
  const valueOf = (row: EmailRow, by: EmailSort): number => {
    if (!('keyword' in by)) return row[by.property as 'receivedAt' | 'size'];
    if (by.property === 'hasKeyword') return Number(has(row, by.keyword));
    return Number(
      by.property === 'allInThreadHaveKeyword' ? threadOf(row).every((other) => has(other, by.keyword)) : threadOf(row).some((other) => has(other, by.keyword)),
    );
  };
  const effective: readonly EmailSort[] = sort.length > 0 ? sort : [{ property: 'receivedAt', isAscending: false }];
  const sorted = all
    .filter((row) => matches(row, wanted))
    .toSorted((one, other) => {
      for (const by of effective) {
        const difference = valueOf(one, by) - valueOf(other, by);
        if (difference !== 0) return by.isAscending ? difference : -difference;
      }
      return one.id < other.id ? -1 : 1;
    });
  return sorted.filter((row, i) => !collapse || sorted.findIndex(({ threadId }) => threadId === row.threadId) === i).map(({ id }) => id);
};

describe('an Email query by keywords of Emails and Threads', () => {
  test('has the same results as a comparison of each Email with all others, also after changes', () => {
    assertProperty(
      fc.property(rows, rows, filter, sorts, fc.boolean(), (before, after, wanted, sort, collapse) => {
        const index = EmailIndex.of(before, undefined);
        expect([...index.query(wanted, sort, collapse)]).toEqual(plainQuery(before, wanted, sort, collapse));
        // The rows before and after have the same ids, but an Email never changes its Thread, date and size.
        const kept = after.map((row) => {
          const old = before.find(({ id }) => id === row.id);
          return old ? { ...old, keywords: row.keywords } : row;
        });
        const keptIds = new Set(kept.map(({ id }) => id));
        index.apply(
          {
            created: kept.filter(({ id }) => !index.has(id)),
            updated: kept.filter(({ id }) => index.has(id)).map((record) => ({ record })),
            destroyed: before.filter(({ id }) => !keptIds.has(id)),
          },
          { index: () => ({ all: () => [] }) } as never,
        );
        expect([...index.query(wanted, sort, collapse)]).toEqual(plainQuery(kept, wanted, sort, collapse));
      }),
      { numRuns: 200 },
    );
  });
});

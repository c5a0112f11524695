import * as fc from 'fast-check';
import type { EmailRow } from '../../../../../core/mail/email/email-content.ts';
import type { EmailFilter } from '../../../../../core/mail/email/index/email-filter.ts';
import { EmailIndex } from '../../../../../core/mail/email/index/email-index.ts';
import type { EmailSort } from '../../../../../core/mail/email/index/ordered-emails.ts';
import { assertProperty } from '../../../../support/assert-property.ts';
import { emailId } from '../../../../support/email-fixtures.ts';

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

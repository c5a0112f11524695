import { unadvertisedLimits } from '../../../../contract/jmap/core.ts';
import { jmapDeployment, type JmapDeployment, type Json } from '../jmap-deployment.ts';

const minute = 60_000;
const start = Date.UTC(2026, 10, 21, 8, 0);
const at = (index: number) => new Date(start + index * minute).toISOString().replace('.000', '');

/**
 * m0 to m4 arrive a minute apart; m5 arrives with m4. m1 and m3 reply to m0, m2 is junk, and m3 has the keywords $seen
 * and $flagged.
 */
describe('Email/query', () => {
  let deployment: JmapDeployment;
  let roles: Record<string, string>;
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    deployment = await jmapDeployment();
    roles = await deployment.roles();
    const reply = { references: 'm0', subject: 'Re: Subject of m0' };
    ids['m0'] = await deployment.deliver({ id: 'm0', receivedAt: start });
    ids['m1'] = await deployment.deliver({ id: 'm1', receivedAt: start + minute, ...reply });
    ids['m2'] = await deployment.deliver({ id: 'm2', receivedAt: start + 2 * minute, isJunk: true });
    ids['m3'] = await deployment.deliver({ id: 'm3', receivedAt: start + 3 * minute, keywords: ['$seen', '$flagged'], ...reply });
    const [x, y] = [
      await deployment.deliver({ id: 'm4', receivedAt: start + 4 * minute }),
      await deployment.deliver({ id: 'm5', receivedAt: start + 4 * minute, raw: `Subject: big\n\n${'x'.repeat(5000)}` }),
    ];
    [ids['m4'], ids['m5']] = [x, y].sort() as [string, string];
  });
  const query = (args: Json = {}) => deployment.call('Email/query', args);
  const namesOf = async (args: Json = {}): Promise<string[]> => {
    const { ids: found } = await query(args);
    return found.map((id: string) => Object.keys(ids).find((name) => ids[name] === id));
  };
  const oldestFirst = [{ property: 'receivedAt' }];
  const all = ['m0', 'm1', 'm2', 'm3', 'm4', 'm5'];

  // @requirement 8620 §5.5 query-null-filter
  // @pitfall query null-arguments
  test('returns all Emails, newest first, without a filter and a sort, and when both are null', async () => {
    expect(await namesOf()).toEqual(['m4', 'm5', 'm3', 'm2', 'm1', 'm0']);
    expect(await namesOf({ filter: null, sort: null })).toEqual(await namesOf({ filter: {}, sort: [] }));
  });

  // @requirement 8620 §5.5 query-ascending-default
  // @requirement 8620 §5.5 query-sort-stable
  // @requirement 8621 §4.4.2 query-sort-received
  // @pitfall query ascending
  // @pitfall query equal-keys
  test('sorts in ascending order by default, and Emails with equal values by id', async () => {
    expect(await namesOf({ sort: oldestFirst })).toEqual(all);
    expect(await namesOf({ sort: [{ property: 'receivedAt', isAscending: false }] })).toEqual(['m4', 'm5', 'm3', 'm2', 'm1', 'm0']);
  });

  // @requirement 8621 §4.4.2 query-sorts
  test('sorts by size, and by sentAt then receivedAt', async () => {
    const { ids: bySize } = await query({ sort: [{ property: 'size', isAscending: false }] });
    const { list } = await deployment.call('Email/get', { ids: bySize, properties: ['size'] });
    const sizes = list.map(({ size }: Json) => size);
    expect(sizes).toEqual(sizes.toSorted((one: number, other: number) => other - one));
    expect((await query({ sort: [{ property: 'sentAt' }, { property: 'receivedAt' }] }))['ids']).toHaveLength(6);
  });

  // @requirement 8620 §5.5 query-operators
  // @requirement 8621 §4.4.1 query-in-mailbox
  // @requirement 8621 §4.4.1 query-dates
  // @requirement 8621 §4.4.1 query-sizes
  // @requirement 8621 §4.4.1 query-keywords
  // @requirement 8621 §4.4.1 query-thread-keywords
  // @requirement 8621 §4.4.1 query-empty-condition
  test.each<[string, () => Json, string[]]>([
    ['inMailbox', () => ({ inMailbox: roles['junk'] }), ['m2']],
    ['inMailbox of an unknown mailbox', () => ({ inMailbox: 'Fnope' }), []],
    ['inMailboxOtherThan', () => ({ inMailboxOtherThan: [roles['inbox']] }), ['m2']],
    ['hasKeyword, in any case', () => ({ hasKeyword: '$Seen' }), ['m3']],
    ['notKeyword', () => ({ notKeyword: '$seen' }), ['m0', 'm1', 'm2', 'm4', 'm5']],
    ['a keyword of no Email', () => ({ hasKeyword: 'never' }), []],
    ['someInThreadHaveKeyword, in any case', () => ({ someInThreadHaveKeyword: '$SEEN' }), ['m0', 'm1', 'm3']],
    ['noneInThreadHaveKeyword', () => ({ noneInThreadHaveKeyword: '$seen' }), ['m2', 'm4', 'm5']],
    ['allInThreadHaveKeyword, not of one among several', () => ({ allInThreadHaveKeyword: '$seen' }), []],
    [
      'keywords of threads within operators',
      () => ({ operator: 'NOT', conditions: [{ someInThreadHaveKeyword: '$seen' }, { inMailbox: roles['junk'] }] }),
      ['m4', 'm5'],
    ],
    // @pitfall query after
    ['after, inclusive', () => ({ after: at(3) }), ['m3', 'm4', 'm5']],
    // @pitfall query before
    ['before, exclusive', () => ({ before: at(3) }), ['m0', 'm1', 'm2']],
    ['after and before', () => ({ after: at(1), before: at(3) }), ['m1', 'm2']],
    ['minSize', () => ({ minSize: 5000 }), ['m5']],
    ['maxSize', () => ({ maxSize: 5000 }), ['m0', 'm1', 'm2', 'm3', 'm4']],
    ['several conditions of one object', () => ({ inMailbox: roles['inbox'], notKeyword: '$seen', before: at(4) }), ['m0', 'm1']],
    ['OR', () => ({ operator: 'OR', conditions: [{ inMailbox: roles['junk'] }, { hasKeyword: '$flagged' }] }), ['m2', 'm3']],
    [
      'NOT of several: none of them',
      () => ({ operator: 'NOT', conditions: [{ inMailbox: roles['junk'] }, { hasKeyword: '$flagged' }] }),
      ['m0', 'm1', 'm4', 'm5'],
    ],
    [
      'AND of OR and NOT',
      () => ({
        operator: 'AND',
        conditions: [
          { operator: 'OR', conditions: [{ before: at(2) }, { after: at(4) }] },
          { operator: 'NOT', conditions: [{ minSize: 5000 }] },
        ],
      }),
      ['m0', 'm1', 'm4'],
    ],
    // @pitfall query nested-operators
    [
      'NOT of OR of ANDs, each with inMailbox',
      () => ({
        operator: 'NOT',
        conditions: [
          {
            operator: 'OR',
            conditions: [
              { operator: 'AND', conditions: [{ inMailbox: roles['inbox'] }, { before: at(1) }] },
              { operator: 'AND', conditions: [{ inMailbox: roles['junk'] }, { notKeyword: '$flagged' }] },
            ],
          },
        ],
      }),
      ['m1', 'm3', 'm4', 'm5'],
    ],
  ])('filters by %s', async (_what, filter, names) => {
    const sorted = (await namesOf({ filter: filter() })).sort();
    const isBig = (name: string) => name === 'm4' || name === 'm5';
    expect(sorted.map((name) => (isBig(name) ? 'new' : name))).toEqual(names.map((name) => (isBig(name) ? 'new' : name)));
    expect((await query({ filter: filter(), calculateTotal: true }))['total']).toBe(names.length);
  });

  const byKeyword = (property: string, isAscending: boolean) => [{ property, keyword: '$Flagged', isAscending }, ...oldestFirst];
  test('sorts by hasKeyword: Emails without the keyword first in ascending order', async () => {
    expect(await namesOf({ sort: byKeyword('hasKeyword', true) })).toEqual(['m0', 'm1', 'm2', 'm4', 'm5', 'm3']);
    expect(await namesOf({ sort: byKeyword('hasKeyword', false) })).toEqual(['m3', 'm0', 'm1', 'm2', 'm4', 'm5']);
    expect((await query({ sort: [{ property: 'hasKeyword', keyword: '$flagged' }] }))['ids']).toEqual([
      ...['m0', 'm1', 'm2', 'm4', 'm5'].map((name) => ids[name]!).sort(),
      ids['m3'],
    ]);
  });

  // @requirement 8621 §4.4.2 query-sort-keywords
  test('sorts by someInThreadHaveKeyword and allInThreadHaveKeyword, whichever Email of the thread has the keyword', async () => {
    expect(await namesOf({ sort: byKeyword('someInThreadHaveKeyword', false) })).toEqual(['m0', 'm1', 'm3', 'm2', 'm4', 'm5']);
    expect(await namesOf({ sort: byKeyword('allInThreadHaveKeyword', false) })).toEqual(all);
    expect(await namesOf({ sort: byKeyword('someInThreadHaveKeyword', false), collapseThreads: true })).toEqual(['m0', 'm2', 'm4', 'm5']);
  });

  test('sorts by two keywords, and by a keyword after a date', async () => {
    const flagged = { property: 'hasKeyword', keyword: '$flagged', isAscending: false };
    const seenThreads = { property: 'someInThreadHaveKeyword', keyword: '$seen' };
    expect(await namesOf({ sort: [seenThreads, flagged, ...oldestFirst] })).toEqual(['m2', 'm4', 'm5', 'm3', 'm0', 'm1']);
    expect(await namesOf({ sort: [...oldestFirst, flagged] })).toEqual(all);
  });

  // @requirement 8621 §4.4.3 query-collapse
  test('collapseThreads returns the first Email of each thread in the sort order; total counts those', async () => {
    expect(await namesOf({ collapseThreads: true })).toEqual(['m4', 'm5', 'm3', 'm2']);
    expect(await namesOf({ collapseThreads: true, sort: oldestFirst })).toEqual(['m0', 'm2', 'm4', 'm5']);
    expect(await query({ collapseThreads: true, calculateTotal: true, position: 1, limit: 2 })).toMatchObject({ total: 4, position: 1 });
  });

  // @requirement 8620 §5.5 query-negative-position
  // @requirement 8620 §5.5 query-position-beyond
  test.each<[string, Json, string[], number]>([
    ['position', { position: 2 }, ['m2', 'm3', 'm4', 'm5'], 2],
    ['position and limit', { position: 1, limit: 2 }, ['m1', 'm2'], 1],
    ['position past the end', { position: 9 }, [], 9],
    // @pitfall query negative-position
    ['a negative position, from the end', { position: -2 }, ['m4', 'm5'], 4],
    ['a negative position before the beginning', { position: -99, limit: 1 }, ['m0'], 0],
    ['limit 0', { limit: 0 }, [], 0],
  ])('returns the window of %s', async (_what, args, names, position) => {
    const window = await query({ sort: oldestFirst, ...args });
    expect(window['ids'].map((id: string) => Object.keys(ids).find((name) => ids[name] === id))).toEqual(names);
    expect(window['position']).toBe(position);
  });

  // @requirement 8620 §5.5 query-anchor
  test('an anchor takes precedence over position', async () => {
    const anchored = (args: Json) => query({ sort: oldestFirst, anchor: ids['m3'], position: 99, limit: 2, ...args });
    expect(await anchored({})).toMatchObject({ position: 3, ids: [ids['m3'], ids['m4']] });
    expect(await anchored({ anchorOffset: -1 })).toMatchObject({ position: 2, ids: [ids['m2'], ids['m3']] });
    expect(await anchored({ anchorOffset: -9 })).toMatchObject({ position: 0, ids: [ids['m0'], ids['m1']] });
    expect(await anchored({ anchorOffset: 1 })).toMatchObject({ position: 4, ids: [ids['m4'], ids['m5']] });
  });

  // @pitfall query collapsed-counts
  test('an anchor, a position and the total are counted after collapsing', async () => {
    const collapsed = { sort: oldestFirst, collapseThreads: true, calculateTotal: true, limit: 1 };
    expect(await query({ ...collapsed, anchor: ids['m2'] })).toMatchObject({ position: 1, ids: [ids['m2']], total: 4 });
    expect(await query({ ...collapsed, anchor: ids['m2'], anchorOffset: 1 })).toMatchObject({ position: 2, ids: [ids['m4']] });
    expect(await query({ ...collapsed, position: -1 })).toMatchObject({ position: 3, ids: [ids['m5']] });
  });

  test('ignores anchorOffset without an anchor', async () => {
    expect(await query({ sort: oldestFirst, anchorOffset: 3, limit: 1 })).toMatchObject({ position: 0, ids: [ids['m0']] });
  });

  // @requirement 8620 §5.5 query-anchor-not-found
  test('fails with anchorNotFound for an anchor that the filter or collapseThreads excludes', async () => {
    expect(await query({ anchor: ids['m2'], filter: { inMailbox: roles['inbox'] } })).toMatchObject({ type: 'anchorNotFound' });
    expect(await query({ anchor: ids['m0'], collapseThreads: true })).toMatchObject({ type: 'anchorNotFound' });
  });

  // @requirement 8620 §5.5 query-limit-returned
  // @pitfall query lowered-limit
  test('returns limit when the server set one: without a limit, and for one above its own', async () => {
    expect(await query({ limit: unadvertisedLimits.maxIdsInQuery + 1 })).toMatchObject({ limit: unadvertisedLimits.maxIdsInQuery });
    expect(await query()).toMatchObject({ limit: unadvertisedLimits.maxIdsInQuery });
    expect(await query({ limit: 2 })).not.toHaveProperty('limit');
  });

  // @requirement 8620 §5.5 query-total
  // @requirement 8620 §5.5 query-state
  test('returns total only with calculateTotal; queryState is the state of Email', async () => {
    const { state } = await deployment.call('Email/get', { ids: [] });
    expect(await query()).toEqual({
      accountId: 'acc_alice',
      queryState: state,
      canCalculateChanges: true,
      position: 0,
      ids: expect.any(Array) as string[],
      limit: unadvertisedLimits.maxIdsInQuery,
    });
    expect((await query({ calculateTotal: true }))['total']).toBe(6);
  });

  // @requirement 8620 §5.5 query-unsupported-sort
  // @requirement 8620 §5.5 query-unsupported-filter
  // @requirement 8620 §5.5 query-negative-limit
  // @requirement 8620 §1.3 int-range
  test.each<[string, Json, string]>([
    // @pitfall query unsupported-filter
    ['an unknown condition', { filter: { colour: 'red' } }, 'unsupportedFilter'],
    ['the condition constructor', { filter: { constructor: 'x' } }, 'unsupportedFilter'],
    // @pitfall query unsupported-filter
    ['an unknown condition within an operator', { filter: { operator: 'AND', conditions: [{}, { nope: 1 }] } }, 'unsupportedFilter'],
    ['a date without zone', { filter: { after: '2026-11-21T08:00:00' } }, 'invalidArguments'],
    ['a date that does not exist', { filter: { after: '2026-13-41T08:00:00Z' } }, 'invalidArguments'],
    ['an operator with another property', { filter: { operator: 'AND', conditions: [], inMailbox: 'x' } }, 'invalidArguments'],
    ['a filter in a list', { filter: [{}] }, 'invalidArguments'],
    // @pitfall query unsupported-sort
    ['an unknown sort', { sort: [{ property: 'colour' }] }, 'unsupportedSort'],
    ['a sort by a keyword without the keyword', { sort: [{ property: 'hasKeyword' }] }, 'invalidArguments'],
    ['a sort by a keyword that is no string', { sort: [{ property: 'someInThreadHaveKeyword', keyword: 1 }] }, 'invalidArguments'],
    ['a sort by noneInThreadHaveKeyword', { sort: [{ property: 'noneInThreadHaveKeyword', keyword: 'x' }] }, 'unsupportedSort'],
    ['a negative limit', { limit: -1 }, 'invalidArguments'],
    ['a fractional position', { position: 1.5 }, 'invalidArguments'],
    ['collapseThreads that is no boolean', { collapseThreads: 'yes' }, 'invalidArguments'],
  ])('refuses %s', async (_what, args, type) => {
    expect(await query(args)).toMatchObject({ type });
  });
});

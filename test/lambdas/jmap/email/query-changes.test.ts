import { headKey, logKey } from '../../../../core/account-log/keys.ts';
import { perTest } from '../../../support/per-test.ts';
import { jmapDeployment, jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

const minute = 60_000;
const start = Date.UTC(2026, 10, 21, 8);
const oldestFirst = [{ property: 'receivedAt' }];

describe('Email/queryChanges', () => {
  const deployment = jmapDeploymentPerTest();
  const roles = perTest(() => deployment.roles());
  let messages: number;
  /** Delivers the next message, a minute after the previous one. Messages with `thread` are in one Thread. */
  const deliver = (options: { thread?: string; keywords?: string[]; minutes?: number } = {}) =>
    deployment.deliver({
      id: `m${++messages}`,
      receivedAt: start + (options.minutes ?? messages) * minute,
      keywords: options.keywords ?? [],
      ...(options.thread && { references: options.thread, subject: 'Re: Plan' }),
    });
  beforeEach(() => {
    messages = 0;
  });
  const update = async (patches: Json) => {
    expect(await deployment.call('Email/set', { update: patches })).toMatchObject({ notUpdated: null });
  };
  const destroy = (...ids: string[]) => deployment.call('Email/set', { destroy: ids });
  /** Performs the query, the action, and then /queryChanges with the same arguments. */
  const changesOf = async (args: Json, act: () => Promise<unknown>, more: Json = {}) => {
    const { queryState } = await deployment.call('Email/query', args);
    await act();
    return deployment.call('Email/queryChanges', { ...args, sinceQueryState: queryState, ...more });
  };
  const inInbox = () => ({ filter: { inMailbox: roles['inbox'] }, sort: oldestFirst });

  // @requirement 8620 §5.6 query-changes-total
  test('returns nothing, and the total if it is requested, when nothing changed', async () => {
    await deliver();
    const { state } = await deployment.call('Email/get', { ids: [] });
    expect(await changesOf({}, async () => {})).toEqual({ accountId: 'acc_alice', oldQueryState: state, newQueryState: state, removed: [], added: [] });
    expect(await changesOf({}, async () => {}, { calculateTotal: true })).toMatchObject({ total: 1 });
  });

  // @requirement 8620 §5.6 query-changes-added
  test('has a delivered Email in added with its index, and not in removed', async () => {
    await deliver();
    let second = '';
    const changes = await changesOf(
      {},
      async () => {
        second = await deliver();
      },
      { calculateTotal: true },
    );
    const { state } = await deployment.call('Email/get', { ids: [] });
    expect(changes).toMatchObject({ newQueryState: state, removed: [], added: [{ id: second, index: 0 }], total: 2 });
  });

  test('has a destroyed Email in removed, and omits one that was created and destroyed', async () => {
    const ids = [await deliver(), await deliver()];
    expect(await changesOf({}, () => destroy(ids[0]!))).toMatchObject({ removed: [ids[0]], added: [] });
    expect(await changesOf({}, async () => destroy(await deliver()))).toMatchObject({ removed: [], added: [] });
  });

  // @requirement 8620 §5.6 query-changes-mutable
  // @pitfall query may-have-moved
  test('has an Email that may have moved in removed, and also in added if it matches', async () => {
    const ids = [await deliver(), await deliver(), await deliver()];
    const unread = { filter: { inMailbox: roles['inbox'], notKeyword: '$seen' }, sort: oldestFirst };
    expect(await changesOf(unread, () => update({ [ids[0]!]: { 'keywords/$seen': true }, [ids[1]!]: { 'keywords/$flagged': true } }))).toMatchObject({
      removed: expect.arrayContaining([ids[0], ids[1]]),
      added: [{ id: ids[1], index: 0 }],
    });
    expect(await changesOf(inInbox(), () => update({ [ids[1]!]: { mailboxIds: { [roles['archive']!]: true } } }))).toMatchObject({
      removed: [ids[1]],
      added: [],
    });
    expect(await changesOf(inInbox(), () => update({ [ids[1]!]: { mailboxIds: { [roles['inbox']!]: true } } }))).toMatchObject({
      removed: [ids[1]],
      added: [{ id: ids[1], index: 1 }],
    });
  });

  test('omits Emails whose changed properties do not affect the results', async () => {
    const id = await deliver();
    const mark = () => update({ [id]: { 'keywords/$seen': true, 'keywords/$flagged': true } });
    const unmark = () => update({ [id]: { keywords: {} } });
    expect(await changesOf(inInbox(), mark)).toMatchObject({ removed: [], added: [] });
    expect(await changesOf({ ...inInbox(), collapseThreads: true }, unmark)).toMatchObject({ removed: [], added: [] });
    expect(await changesOf({ filter: { minSize: 1 } }, mark)).toMatchObject({ removed: [], added: [] });
    expect(await changesOf({ filter: { hasKeyword: '$seen' } }, unmark)).toMatchObject({ removed: [id], added: [] });
  });

  test('with collapseThreads has the Emails of changed threads, because another one may be the first match', async () => {
    const first = await deliver({ thread: 'plan' });
    const other = await deliver();
    const latest = await deliver({ thread: 'plan' });
    const collapsed = { sort: [{ property: 'receivedAt', isAscending: false }], collapseThreads: true };
    const changes = await changesOf(collapsed, () => destroy(latest));
    expect(changes).toMatchObject({ removed: expect.arrayContaining([latest]), added: [{ id: first, index: 1 }] });
    expect(changes['removed']).not.toContain(other);
  });

  test('with keywords of threads has the other Emails of the thread', async () => {
    const [first, other, second] = [await deliver({ thread: 'plan' }), await deliver(), await deliver({ thread: 'plan' })];
    const flaggedThreads = { filter: { someInThreadHaveKeyword: '$flagged' }, sort: oldestFirst };
    expect(await changesOf(flaggedThreads, () => update({ [second]: { 'keywords/$flagged': true } }))).toMatchObject({
      added: [
        { id: first, index: 0 },
        { id: second, index: 1 },
      ],
    });
    const flaggedFirst = { sort: [{ property: 'someInThreadHaveKeyword', keyword: '$flagged', isAscending: false }, ...oldestFirst] };
    const changes = await changesOf(flaggedFirst, () => update({ [second]: { 'keywords/$flagged': null } }));
    expect(changes).toMatchObject({
      removed: expect.arrayContaining([first, second]),
      added: [
        { id: first, index: 0 },
        { id: second, index: 2 },
      ],
    });
    expect(changes['removed']).not.toContain(other);
  });

  describe('with upToId', () => {
    let ids: string[];
    beforeEach(async () => {
      ids = [await deliver(), await deliver(), await deliver(), await deliver()];
    });
    const addAndDestroy = async () => {
      await deliver({ minutes: 0 });
      await deliver({ minutes: 9 });
      await destroy(ids[3]!);
    };

    // @requirement 8620 §5.6 query-changes-up-to-id
    test('omits additions after it when the filter and the sort are by immutable properties', async () => {
      const changes = await changesOf({ sort: oldestFirst }, addAndDestroy, { upToId: ids[1] });
      expect(changes['added']).toEqual([{ id: expect.any(String) as string, index: 0 }]);
      expect((await changesOf({ filter: { after: new Date(start).toISOString() } }, () => deliver({ minutes: 1 }), { upToId: ids[1] }))['added']).toEqual([]);
    });

    test('is ignored when the filter or the sort is by a mutable property, and when it is not among the results', async () => {
      for (const args of [inInbox(), { sort: [{ property: 'hasKeyword', keyword: 'x' }] }]) {
        expect((await changesOf(args, addAndDestroy, { upToId: ids[1] }))['added']).toHaveLength(2);
      }
      expect((await changesOf({ sort: oldestFirst }, addAndDestroy, { upToId: 'Mnone' }))['added']).toHaveLength(2);
    });
  });

  // @requirement 8620 §5.6 query-changes-too-many
  test('fails with tooManyChanges when removed and added have more than maxChanges ids together', async () => {
    const id = await deliver();
    const move = () => update({ [id]: { mailboxIds: { [roles['inbox']!]: true, [roles['archive']!]: true } } });
    const back = () => update({ [id]: { mailboxIds: { [roles['inbox']!]: true } } });
    expect(await changesOf(inInbox(), move, { maxChanges: 1 })).toMatchObject({ type: 'tooManyChanges' });
    expect(await changesOf(inInbox(), back, { maxChanges: 2 })).toMatchObject({ removed: [id], added: [{ id, index: 0 }] });
    expect(await changesOf(inInbox(), async () => {}, { maxChanges: 0 })).toMatchObject({ removed: [], added: [] });
  });

  test.each(['Email', '', 'Email-', 'Email-999', 'Mailbox-1', 'Email-1.M1', 'x', `Email-${'9'.repeat(40)}`])(
    'fails with cannotCalculateChanges for the invalid state "%s"',
    async (sinceQueryState) => {
      await deliver();
      expect(await deployment.call('Email/queryChanges', { sinceQueryState })).toMatchObject({ type: 'cannotCalculateChanges' });
    },
  );

  // @requirement 8620 §5.6 query-changes-cannot-calculate
  test('fails with cannotCalculateChanges for a state older than the log, and never for the state of the latest query', async () => {
    await deliver();
    const { queryState: old } = await deployment.call('Email/query');
    await deliver();
    const { queryState } = await deployment.call('Email/query');
    await deployment.call('Mailbox/set', { create: { m: { name: 'New' } } });
    await deployment.mail.write([{ update: headKey('acc_alice'), set: { lowWater: 3, lowWaterStates: { Email: 3 } } }]);
    for (const sequence of [1, 2, 3]) await deployment.mail.write([{ delete: logKey('acc_alice', sequence) }]);
    const cold = await jmapDeployment({ mail: deployment.mail, directory: deployment.directory });
    expect(await cold.call('Email/queryChanges', { sinceQueryState: old })).toMatchObject({ type: 'cannotCalculateChanges' });
    expect(await cold.call('Email/queryChanges', { sinceQueryState: queryState })).toMatchObject({ removed: [], added: [] });
  });

  // @pitfall query changes-arguments
  test('takes the filter, the sort and collapseThreads of Email/query', async () => {
    const { queryState: sinceQueryState } = await deployment.call('Email/query');
    const refused = async (args: Json) => (await deployment.call('Email/queryChanges', { sinceQueryState, ...args }))['type'] as string;
    expect(await refused({ filter: { colour: 'red' } })).toBe('unsupportedFilter');
    expect(await refused({ sort: [{ property: 'colour' }] })).toBe('unsupportedSort');
    expect(await refused({ collapseThreads: 'yes' })).toBe('invalidArguments');
    expect(await refused({ sinceQueryState: undefined })).toBe('invalidArguments');
    expect(await refused({ position: 1 })).toBe('invalidArguments');
    expect(await refused({ filter: null, sort: null, upToId: null, maxChanges: null })).toBeUndefined();
  });

  test('reads the log since the state in the same round trip as the account', async () => {
    const { queryState } = await deployment.call('Email/query');
    await deliver();
    const cold = await jmapDeployment({ mail: deployment.mail, directory: deployment.directory });
    await cold.call('Email/query');
    const trips = await cold.tripsOf(() => cold.call('Email/queryChanges', { sinceQueryState: queryState }));
    expect(trips).toBe(await cold.tripsOf(() => cold.call('Email/query')));
  });
});

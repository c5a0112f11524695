import * as fc from 'fast-check';
import { assertProperty } from '../../../support/assert-property.ts';
import { replayQueryChanges, type QueryChanges } from '../../../support/replay-query-changes.ts';
import { jmapDeployment, type JmapDeployment, type Json } from '../jmap-deployment.ts';

const minute = 60_000;
const start = Date.UTC(2026, 10, 21, 8);
const keywords = ['$seen', '$flagged', 'work'];

/** A task of a client, or a delivery. `pick` chooses among the records that exist at that time. */
type Event =
  | { readonly do: 'deliver'; readonly thread: number; readonly minutes: number; readonly isJunk: boolean; readonly keywords: readonly string[] }
  | { readonly do: 'mark'; readonly pick: number; readonly keywords: readonly string[] }
  | { readonly do: 'move' | 'destroy' | 'create and destroy'; readonly pick: number }
  | { readonly do: 'create mailbox' | 'rename' | 'reparent' | 'reorder' | 'destroy mailbox' | 'swap roles' | 'subscribe'; readonly pick: number }
  | { readonly do: 'remember'; readonly cached: number };

const pick = fc.nat(1000);
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('deliver' as const), thread: fc.nat(3), minutes: fc.nat(5), isJunk: fc.boolean(), keywords: fc.subarray(keywords) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('mark' as const), pick, keywords: fc.subarray(keywords) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('move' as const, 'destroy' as const, 'create and destroy' as const), pick }) },
  {
    weight: 5,
    arbitrary: fc.record({
      pick,
      do: fc.constantFrom(
        'create mailbox' as const,
        'rename' as const,
        'reparent' as const,
        'reorder' as const,
        'destroy mailbox' as const,
        'swap roles' as const,
        'subscribe' as const,
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remember' as const), cached: fc.oneof(fc.constant(1000), fc.nat(4)) }) },
);

const operatorsOver = (condition: fc.Arbitrary<Json>): fc.Arbitrary<Json | null> =>
  fc.oneof(fc.constant(null), condition, fc.record({ operator: fc.constantFrom('AND', 'OR', 'NOT'), conditions: fc.array(condition, { maxLength: 2 }) }));
const keyword = fc.constantFrom(...keywords);
const emailCondition = fc.oneof(
  fc.record({ inMailbox: fc.constantFrom('inbox', 'archive', 'junk') }),
  fc.record({ inMailboxOtherThan: fc.constant(['inbox']) }),
  fc.record({ subject: fc.constantFrom('plan', 'trip') }),
  fc.record({ after: fc.constant(new Date(start + 2 * minute).toISOString()) }),
  ...['hasKeyword', 'notKeyword', 'allInThreadHaveKeyword', 'someInThreadHaveKeyword', 'noneInThreadHaveKeyword'].map((name) => fc.record({ [name]: keyword })),
) as fc.Arbitrary<Json>;
const emailSort = fc.array(
  fc.oneof(
    fc.record({ property: fc.constantFrom('receivedAt', 'size', 'sentAt', 'subject'), isAscending: fc.boolean() }),
    fc.record({ property: fc.constantFrom('hasKeyword', 'allInThreadHaveKeyword', 'someInThreadHaveKeyword'), keyword, isAscending: fc.boolean() }),
  ),
  { maxLength: 2 },
);
const mailboxCondition = fc.oneof(
  fc.record({ parentId: fc.constantFrom(null, 'archive') }),
  fc.record({ name: fc.constantFrom('a', 'I') }),
  fc.record({ role: fc.constantFrom(null, 'archive') }),
  fc.record({ hasAnyRole: fc.boolean() }),
  fc.record({ isSubscribed: fc.boolean() }),
) as fc.Arbitrary<Json>;
const mailboxSort = fc.array(fc.record({ property: fc.constantFrom('name', 'sortOrder'), isAscending: fc.boolean() }), { maxLength: 2 });

type Query = { readonly type: 'Email' | 'Mailbox'; readonly args: Json; readonly token: 'alice' | 'bob' };
const query: fc.Arbitrary<Query> = fc.oneof(
  fc.record({
    type: fc.constant('Email' as const),
    token: fc.constant('alice' as const),
    args: fc.record({ filter: operatorsOver(emailCondition), sort: emailSort, collapseThreads: fc.boolean() }),
  }),
  fc.record({
    type: fc.constant('Mailbox' as const),
    token: fc.constantFrom('alice' as const, 'bob' as const),
    args: fc.record({ filter: operatorsOver(mailboxCondition), sort: mailboxSort, sortAsTree: fc.boolean(), filterAsTree: fc.boolean() }),
  }),
);

/** The ids that a client remembers of a query: the first results, or all. */
type Remembered = { readonly query: Query; readonly queryState: string; readonly ids: readonly string[]; readonly isWhole: boolean };

/** The filter with the ids of mailboxes in place of their roles. */
const withMailboxIds = (filter: Json | null, roles: Record<string, string>): Json | null =>
  JSON.parse(JSON.stringify(filter), (name, value: unknown) => {
    if (name === 'inMailbox' || name === 'parentId') return roles[value as string] ?? value;
    return name === 'inMailboxOtherThan' ? (value as string[]).map((role) => roles[role]) : value;
  }) as Json | null;

/** Plays a history in a new deployment. */
const player = async (queries: readonly Query[]) => {
  const deployment = await jmapDeployment();
  const roles = await deployment.roles();
  const resolved = queries.map((each) => ({ ...each, args: { ...each.args, filter: withMailboxIds(each.args['filter'] as Json, roles) } }));
  const remembered: Remembered[] = [];
  let count = 0;
  const listOf = async (type: string): Promise<Json[]> => (await deployment.call(`${type}/get`, { ids: null }))['list'] as Json[];
  const chosen = async (type: string, number: number): Promise<Json | undefined> => {
    const list = (await listOf(type)).toSorted((one, other) => (one['id'] < other['id'] ? -1 : 1));
    return list[number % Math.max(1, list.length)];
  };
  const update = async (type: string, id: string, patch: Json) => deployment.call(`${type}/set`, { update: { [id]: patch } });
  const deliver = ({ thread = 0, minutes = 0, ...options }: Json) =>
    deployment.deliver({
      id: `m${++count}`,
      subject: ['Plan', 'Trip'][(thread as number) % 2],
      references: `thread${thread}`,
      receivedAt: start + (minutes as number) * minute,
      ...options,
    });

  const changeEmail = async (change: Extract<Event, { pick: number }>) => {
    if (change.do === 'create and destroy') {
      await deployment.call('Email/set', { destroy: [await deliver({})] });
      return;
    }
    const { id } = (await chosen('Email', change.pick)) ?? {};
    if (id === undefined) return;
    if (change.do === 'mark') await update('Email', id, { keywords: Object.fromEntries(change.keywords.map((each) => [each, true])) });
    else if (change.do === 'destroy') await deployment.call('Email/set', { destroy: [id] });
    else await update('Email', id, { mailboxIds: { [(await chosen('Mailbox', change.pick * 7))!['id']]: true } });
  };
  const changeMailbox = async (change: Extract<Event, { pick: number }>) => {
    const [one, other] = [(await chosen('Mailbox', change.pick))!, (await chosen('Mailbox', change.pick * 3 + 1))!];
    const name = `${'abI'[change.pick % 3]}${++count}`;
    if (change.do === 'create mailbox') {
      await deployment.call('Mailbox/set', { create: { m: { name, parentId: change.pick % 4 === 0 ? null : one['id'], sortOrder: change.pick % 9 } } });
    } else if (change.do === 'rename') await update('Mailbox', one['id'], { name });
    else if (change.do === 'reparent') await update('Mailbox', one['id'], { parentId: change.pick % 4 === 0 ? null : other['id'] });
    else if (change.do === 'reorder') await update('Mailbox', one['id'], { sortOrder: change.pick % 9 });
    else if (change.do === 'destroy mailbox') await deployment.call('Mailbox/set', { destroy: [one['id']], onDestroyRemoveEmails: true });
    else if (change.do === 'swap roles') {
      await deployment.call('Mailbox/set', { update: { [one['id']]: { role: other['role'] }, [other['id']]: { role: one['role'] } } });
    } else
      await deployment.call('Mailbox/set', { update: { [one['id']]: { isSubscribed: change.pick % 2 === 0 } } }, { token: change.pick % 3 ? 'alice' : 'bob' });
  };
  const results = async ({ type, args, token }: Query) => deployment.call(`${type}/query`, { ...args, calculateTotal: true }, { token });

  return {
    deployment,
    remembered,
    results,
    async play(event: Event): Promise<void> {
      if (event.do === 'deliver') await deliver(event);
      else if (event.do === 'remember') {
        for (const each of resolved) {
          const { queryState, ids, canCalculateChanges } = await results(each);
          expect(canCalculateChanges).toBe(true);
          remembered.push({ query: each, queryState, ids: ids.slice(0, event.cached), isWhole: event.cached >= ids.length });
        }
      } else if (event.do === 'mark' || event.do === 'move' || event.do === 'destroy' || event.do === 'create and destroy') await changeEmail(event);
      else await changeMailbox(event);
    },
  };
};

const isByImmutableProperties = ({ type, args }: Query) => type === 'Email' && !/Keyword|Mailbox/.test(JSON.stringify([args['filter'], args['sort']]));

/** Checks that the client's ids after /queryChanges are the new results, or their beginning. */
const verify = async ({ deployment, results }: { deployment: JmapDeployment; results: (query: Query) => Promise<Json> }, known: Remembered) => {
  const {
    query: { type, args, token },
    queryState,
    ids,
    isWhole,
  } = known;
  const now = await results(known.query);
  const upToId = isWhole ? null : (ids.at(-1) ?? null);
  const changes = await deployment.call(`${type}/queryChanges`, { ...args, sinceQueryState: queryState, upToId, calculateTotal: true }, { token });
  expect(changes).toMatchObject({ oldQueryState: queryState, newQueryState: now['queryState'], total: now['total'] });
  const replayed = replayQueryChanges(ids, changes as QueryChanges);
  expect(replayed).toEqual(isWhole ? now['ids'] : now['ids'].slice(0, replayed.length));
  // The place of an Email by immutable properties never changes, so the client keeps all up to `upToId`.
  if (upToId !== null && now['ids'].includes(upToId) && isByImmutableProperties(known.query)) expect(replayed).toContain(upToId);
};

describe('/queryChanges after random histories', () => {
  // @requirement 8620 §5.6 query-changes-replay
  // @requirement 8621 §4.5 query-changes-collapse
  // @requirement 8620 §5.6 query-changes-removed
  test('turns the earlier results of a query into the current ones, for any filter, sort and arguments', async () => {
    await assertProperty(
      fc.asyncProperty(
        fc.array(query, { minLength: 6, maxLength: 6 }),
        fc.array(event, { minLength: 10, maxLength: 40, size: 'max' }),
        async (queries, events) => {
          const history = await player(queries);
          for (const each of events) await history.play(each);
          for (const known of history.remembered) await verify(history, known);
          expect(history.deployment.logged).toEqual([]);
        },
      ),
      { numRuns: Number(process.env['QUERY_HISTORIES'] ?? 20) },
    );
  });
});

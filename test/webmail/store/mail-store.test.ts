import { setImmediate } from 'node:timers/promises';
import { createRequests } from '../../../webmail/jmap/requests.ts';
import type { Session } from '../../../webmail/jmap/types.ts';
import { mailboxList, type ListQuery } from '../../../webmail/store/list-query.ts';
import { createMailStore, type MailStore } from '../../../webmail/store/mail-store.ts';
import { destroyed } from '../../../webmail/store/pending-changes.ts';
import type { Snapshot } from '../../../webmail/store/snapshot.ts';
import { jmapDeployment, type JmapDeployment } from '../../lambdas/jmap/jmap-deployment.ts';
import { timesAsMany } from '../../support/test-seed.ts';

/** What the network does to the next requests: nothing, or what a test asks for. */
type Network = {
  fault: (() => 'lost request' | 'lost response' | 'busy' | 'refused' | undefined) | undefined;
  /** Whether the server can calculate changes. */
  hasChanges: boolean;
  /** Holds the next response back. */
  hold?: Promise<void> | undefined;
  requests: number;
  /** Requests that change Emails. */
  changes: number;
};

type Invocation = [name: string, args: Record<string, unknown>, id: string];

/** The answer of a server that can never calculate changes (RFC 8620 §5.2, §5.6). */
const withoutChanges = (request: string, answer: string): string => {
  const { methodCalls } = JSON.parse(request) as { methodCalls: Invocation[] };
  const errors = new Map<string, string>();
  for (const [name, args, id] of methodCalls) {
    const references = Object.values(args).map((value) => (value as { resultOf?: string } | null)?.resultOf ?? '');
    if (/[cC]hanges$/.test(name)) errors.set(id, 'cannotCalculateChanges');
    else if (references.some((of) => errors.has(of))) errors.set(id, 'invalidResultReference');
  }
  const { methodResponses, ...rest } = JSON.parse(answer) as { methodResponses: Invocation[] };
  const changed = methodResponses.map(([name, args, id]) => {
    if (errors.has(id)) return ['error', { type: errors.get(id) }, id];
    return [name, name === 'Email/query' ? { ...args, canCalculateChanges: false } : args, id];
  });
  return JSON.stringify({ ...rest, methodResponses: changed });
};

const sessionOf = async (server: JmapDeployment): Promise<Session> => JSON.parse((await server.http('GET', '/.well-known/jmap')).body!) as Session;

/** A client of the real JMAP API, whose network can fail. */
const clientOf = async (server: JmapDeployment, network: Network, before?: Snapshot): Promise<MailStore> => {
  const session = await sessionOf(server);
  const requests = createRequests({
    session: () => session,
    accessToken: async () => 'alice',
    onConnection: () => undefined,
    wait: async () => setImmediate(),
    fetch: async (_, { body }) => {
      network.requests += 1;
      if (body.includes('"Email/set"')) network.changes += 1;
      const fault = network.fault?.();
      if (fault === 'lost request') throw new TypeError('fetch failed');
      if (fault === 'busy') return new Response('{}', { status: 503, headers: { 'retry-after': '1' } });
      if (fault === 'refused') return new Response('{"detail":"refused"}', { status: 400 });
      const response = await server.http('POST', '/jmap', { body });
      const held = network.hold;
      network.hold = undefined;
      await held;
      if (fault === 'lost response') throw new TypeError('fetch failed');
      return new Response(network.hasChanges ? response.body : withoutChanges(body, response.body!), { status: response.statusCode! });
    },
  });
  return createMailStore({ accountId: 'acc_alice', requests, wait: async () => setImmediate(), maxObjectsInSet: 5, before });
};

const start = async (server?: JmapDeployment, before?: Snapshot) => {
  const deployment = server ?? (await jmapDeployment());
  const network: Network = { fault: undefined, hasChanges: true, requests: 0, changes: 0 };
  const { inbox } = await deployment.roles();
  return { server: deployment, network, store: await clientOf(deployment, network, before), query: mailboxList(inbox!), inbox: inbox! };
};

/** What a list shows: conversations in their order with what changes of them, and the counts of mailboxes. */
const shownIn = (store: MailStore, query: ListQuery) => ({
  list: store.list(query).ids.map((id) => {
    const email = id === undefined ? undefined : store.email(id);
    const thread = email && store.thread(email.threadId);
    return thread?.emailIds.map((each) => [
      each,
      Object.keys(store.email(each)?.keywords ?? {}).sort(),
      Object.keys(store.email(each)?.mailboxIds ?? {}).sort(),
    ]);
  }),
  counts: store.mailboxes().map(({ id, totalEmails, unreadEmails }) => [id, totalEmails, unreadEmails]),
});

describe('the mail store', () => {
  test('opens a mailbox in one request, with every message of the shown conversations', async () => {
    const { server, network, store, query } = await start();
    await server.deliver({ id: 'first', receivedAt: 1000 });
    await server.deliver({ id: 'second', references: 'first', subject: 'Re: Subject of first', receivedAt: 2000 });
    await server.deliver({ id: 'third', receivedAt: 3000 });
    await store.open(query);
    expect(network.requests).toBe(1);
    expect(shownIn(store, query).list.map((emails) => emails?.length)).toEqual([1, 2]);
  });

  test('loads the mailboxes alone, and asks for no changes before anything is loaded', async () => {
    const { network, store } = await start();
    await Promise.all([store.refresh(), store.loadRange(mailboxList('any'), 0, 20)]);
    await store.refresh();
    expect(network.requests).toBe(0);
    await store.open();
    expect([network.requests, store.mailboxes().length > 0]).toEqual([1, true]);
  });

  test('shows a change at once, and keeps it shown until the server has made it', async () => {
    const { server, store, query, inbox } = await start();
    const id = await server.deliver();
    await store.open(query);
    const seen = (): boolean | undefined => store.email(id)?.keywords['$seen'];
    const unread = (): number | undefined => store.mailboxes().find((mailbox) => mailbox.id === inbox)?.unreadEmails;
    const history: unknown[] = [];
    store.subscribe(() => history.push([seen(), unread()]));
    const sent = store.change(new Map([[id, { 'keywords/$seen': true }]]));
    expect([seen(), unread()]).toEqual([true, 0]);
    await sent;
    expect(history.every((each) => JSON.stringify(each) === '[true,0]')).toBe(true);
    expect((await server.call('Email/get', { ids: [id], properties: ['keywords'] }))['list']).toMatchObject([{ keywords: { $seen: true } }]);
  });

  test('takes back a change that the server refuses, and says why', async () => {
    const { server, store, query } = await start();
    const id = await server.deliver();
    await store.open(query);
    await server.call('Email/set', { destroy: [id] });
    const refusal = await store.change(new Map([[id, { 'keywords/$seen': true }]]));
    expect(refusal).toMatchObject({ ids: [id] });
    expect(store.email(id)?.keywords).toEqual({});
    await store.refresh();
    expect(store.email(id)).toBeUndefined();
    expect(store.list(query).ids).toEqual([]);
  });

  test('takes what is moved away from the list at once, and shows it there no more before the results say so', async () => {
    const { server, store, query, inbox } = await start();
    const { archive } = await server.roles();
    const ids = [await server.deliver({ receivedAt: 1000 }), await server.deliver({ receivedAt: 2000 }), await server.deliver({ receivedAt: 3000 })];
    await store.open(query);
    const shownIds: (readonly unknown[])[] = [];
    store.subscribe(() => shownIds.push(store.list(query).ids));
    const move = { [`mailboxIds/${inbox}`]: null, [`mailboxIds/${archive}`]: true };
    await store.change(new Map([[ids[1]!, move]]));
    await store.refresh();
    expect(shownIds.length).toBeGreaterThan(2);
    expect(shownIds.filter((each) => JSON.stringify(each) !== JSON.stringify([ids[2], ids[0]]))).toEqual([]);
    await store.open(mailboxList(archive!));
    expect(store.list(mailboxList(archive!)).ids).toEqual([ids[1]]);
  });

  test.each(['a mailbox', 'a search', 'a list without known changes'])('%s shows at once what an undo brings back, and where it was', async (kind) => {
    const { server, network, store, query, inbox } = await start();
    const { trash } = await server.roles();
    network.hasChanges = kind !== 'a list without known changes';
    const ids: string[] = [];
    // Two have the same date.
    for (const minute of [1, 2, 3, 3, 4, 5]) ids.push(await server.deliver({ receivedAt: Date.UTC(2026, 10, 20, 0, minute) }));
    const list: ListQuery = kind === 'a search' ? { filter: { inMailboxOtherThan: [trash!], hasAttachment: false }, isSearch: true } : query;
    await store.open(list);
    const all = store.list(list).ids;
    const [first, second] = [all[2]!, all[5]!];
    const away = { [`mailboxIds/${inbox}`]: null, [`mailboxIds/${trash}`]: true };
    const lists: (readonly unknown[])[] = [];
    store.subscribe(() => lists.push(store.list(list).ids));
    await store.change(new Map([first, second].map((id) => [id, away])));
    await store.refresh();
    expect(store.list(list).ids).toEqual(all.filter((id) => id !== first && id !== second));
    lists.splice(0);
    const undone = store.change(new Map([first, second].map((id) => [id, { [`mailboxIds/${inbox}`]: true, [`mailboxIds/${trash}`]: null }])));
    expect(store.list(list).ids).toEqual(all);
    await undone;
    await store.refresh();
    await store.refresh();
    expect(lists.filter((each) => JSON.stringify(each) !== JSON.stringify(all))).toEqual([]);
    await server.call('Email/set', { destroy: [first] });
    await store.refresh();
    expect(store.list(list).ids).toEqual(all.filter((id) => id !== first));
  });

  test('sends changes of the same message in their order, and of others at the same time', async () => {
    const { server, network, store, query } = await start();
    const ids = [await server.deliver(), await server.deliver()];
    await store.open(query);
    const before = network.changes;
    const flag = (value: true | null) => ({ 'keywords/$flagged': value });
    const changes = [
      store.change(new Map([[ids[0]!, flag(true)]])),
      store.change(new Map([[ids[0]!, flag(null)]])),
      store.change(new Map([[ids[1]!, flag(true)]])),
    ];
    expect([0, 1].map((index) => store.email(ids[index]!)?.keywords)).toEqual([{}, { $flagged: true }]);
    await Promise.all(changes);
    expect(network.changes - before).toBe(2);
    expect((await server.call('Email/get', { ids, properties: ['keywords'] }))['list']).toMatchObject([{ keywords: {} }, { keywords: { $flagged: true } }]);
  });

  test.each(['lost request', 'lost response', 'busy'] as const)('makes a change once more after a %s', async (fault) => {
    const { server, network, store, query } = await start();
    const id = await server.deliver();
    await store.open(query);
    let count = 0;
    network.fault = () => (count++ === 0 ? fault : undefined);
    await store.change(new Map([[id, { 'keywords/$seen': true }]]));
    expect(store.email(id)?.keywords).toEqual({ $seen: true });
    expect(network.requests).toBe(3);
  });

  test('reads the rows in view of a long list, and keeps what is known when mail arrives above it', async () => {
    const { server, store, query } = await start();
    for (let count = 0; count < 170; count += 1) await server.deliver({ receivedAt: Date.UTC(2026, 10, 20, 0, count) });
    await store.open(query);
    await store.loadRange(query, 100, 120);
    const before = store.list(query).ids;
    expect([before.length, before.filter((id) => id !== undefined).length]).toEqual([170, 100]);
    await server.deliver({ receivedAt: Date.UTC(2026, 10, 22) });
    await store.refresh();
    const after = store.list(query).ids;
    expect(after.length).toBe(171);
    expect(before.map((id, index) => id === undefined || after[index + 1] === id)).not.toContain(false);
    expect(store.email(after[0]!)).toBeDefined();
  });

  test('never brings back what was moved away, when a response is older than the move', async () => {
    const { server, network, store, query, inbox } = await start();
    const { archive } = await server.roles();
    const ids = [await server.deliver({ receivedAt: 1000 }), await server.deliver({ receivedAt: 2000 })];
    await store.open(query);
    const { promise, resolve } = Promise.withResolvers<void>();
    network.hold = promise;
    const old = store.loadThread(store.email(ids[0]!)!.threadId);
    while (network.hold !== undefined) await setImmediate();
    const lists: (readonly unknown[])[] = [];
    store.subscribe(() => lists.push(store.list(query).ids));
    await store.change(new Map([[ids[0]!, { [`mailboxIds/${inbox}`]: null, [`mailboxIds/${archive}`]: true }]]));
    resolve();
    await old;
    await store.refresh();
    await store.refresh();
    expect(lists.filter((each) => each.length !== 1)).toEqual([]);
    expect(store.email(ids[0]!)?.mailboxIds).toEqual({ [archive!]: true });
  });

  test('never takes away rows that are shown, when a page comes that is newer or older than they are', async () => {
    const { server, store, query, inbox } = await start();
    const { archive } = await server.roles();
    const ids: string[] = [];
    for (let count = 0; count < 70; count += 1) ids.unshift(await server.deliver({ receivedAt: Date.UTC(2026, 10, 20, 0, count) }));
    await store.open(query);
    const move = { [`mailboxIds/${inbox}`]: null, [`mailboxIds/${archive}`]: true };
    let gaps = 0;
    store.subscribe(() => {
      if (store.list(query).ids.slice(0, 30).includes(undefined)) gaps += 1;
    });
    const loads: Promise<void>[] = [];
    for (const id of ids.slice(0, 20)) {
      const changed = store.change(new Map([[id, move]]));
      loads.push(store.loadRange(query, 0, 60));
      await server.call('Email/set', { update: { [ids[69]!]: { 'keywords/$flagged': true } } });
      loads.push(store.refresh());
      await changed;
    }
    await Promise.all(loads);
    await loadAll(store, query);
    await store.refresh();
    expect([gaps, store.list(query).ids]).toEqual([0, ids.slice(20)]);
  });

  test('begins with the snapshot of an earlier store, and brings it up to date with changes alone', async () => {
    const { server, store, query } = await start();
    for (let count = 0; count < 60; count += 1) await server.deliver({ receivedAt: Date.UTC(2026, 10, 20, 0, count) });
    expect(store.snapshot(query)).toBeUndefined();
    await store.open(query);
    const before = JSON.parse(JSON.stringify(store.snapshot(query))) as Snapshot;
    const later = await start(server, before);
    expect([later.store.isLoaded(query), later.store.list(query).ids.length, shownIn(later.store, query).list[49]?.length]).toEqual([true, 60, 1]);
    await server.deliver({ receivedAt: Date.UTC(2026, 10, 21) });
    await later.store.refresh();
    await later.store.loadRange(query, 0, 60);
    expect(later.network.requests).toBeLessThanOrEqual(3);
    await Promise.all([store.refresh(), loadAll(later.store, query), loadAll(store, query)]);
    expect(shownIn(later.store, query)).toEqual(shownIn(store, query));
  });

  test('tells of what came once for all that a refresh found', async () => {
    const { server, store, query } = await start();
    await server.deliver();
    await store.open(query);
    const told: unknown[] = [];
    store.onCreated((emails) => told.push(emails.map(({ id }) => id).toSorted()));
    await store.refresh();
    const ids = [await server.deliver(), await server.deliver(), await server.deliver()];
    await store.refresh();
    await store.refresh();
    expect(told).toEqual([ids.toSorted()]);
  });

  test('reads a body once for all that ask for it, and again after a failure', async () => {
    const { server, network, store } = await start();
    const id = await server.deliver();
    await Promise.all([store.loadBodies([id]), store.loadBodies([id])]);
    expect([network.requests, store.body(id)?.id]).toEqual([1, id]);
    const other = await server.deliver();
    network.fault = () => 'refused';
    await expect(Promise.all([store.loadBodies([other]), store.loadBodies([other, id])])).rejects.toThrow('refused');
    network.fault = undefined;
    await store.loadBodies([other]);
    expect(store.body(other)?.id).toBe(other);
  });

  test('knows whether it has the states that a push tells, also after a refresh that failed', async () => {
    const { server, network, store, query } = await start();
    await server.deliver();
    await store.open(query);
    const states = async () =>
      Object.fromEntries(
        await Promise.all(['Email', 'Mailbox', 'Thread'].map(async (type) => [type, (await server.call(`${type}/get`, { ids: [] }))['state']])),
      );
    expect(store.isCurrent(await states())).toBe(true);
    await server.deliver();
    expect(store.isCurrent(await states())).toBe(false);
    network.fault = () => 'refused';
    await expect(store.refresh()).rejects.toThrow('refused');
    network.fault = undefined;
    expect([store.isCurrent({}), store.isCurrent(await states())]).toEqual([false, false]);
    await store.refresh();
    expect([store.isCurrent({}), store.isCurrent(await states())]).toEqual([true, true]);
  });

  test('refreshes with two requests at most, whatever changed', async () => {
    const { server, network, store, query } = await start();
    const ids = [await server.deliver(), await server.deliver()];
    await store.open(query);
    await server.deliver();
    await server.call('Email/set', { update: { [ids[0]!]: { 'keywords/$flagged': true } }, destroy: [ids[1]] });
    const before = network.requests;
    await store.refresh();
    expect(network.requests - before).toBeLessThanOrEqual(2);
  });
});

describe('a change of all that match', () => {
  const many = async (count: number) => {
    const started = await start();
    const { server } = started;
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) ids.push(await server.deliver({ receivedAt: Date.UTC(2026, 10, 20, 0, 0, index) }));
    const { archive, trash } = await server.roles();
    const { inbox } = started;
    return {
      ...started,
      ids: ids.toReversed(),
      archive: archive!,
      filter: { inMailbox: inbox },
      move: { [`mailboxIds/${inbox}`]: null, [`mailboxIds/${archive}`]: true },
      left: async (mailboxId: string) => ((await server.call('Email/query', { filter: { inMailbox: mailboxId } }))['ids'] as string[]).length,
      trash: trash!,
    };
  };
  const signal = new AbortController().signal;

  test('takes batches with one request each, tells how far it is, and can be undone', async () => {
    const { store, network, filter, move, left, inbox, archive } = await many(23);
    const before = network.requests;
    const progress: number[][] = [];
    const result = await store.changeAll({ filter, patchOf: () => move, signal, onProgress: (...each) => progress.push(each) });
    expect(network.requests - before).toBe(6);
    expect(progress).toEqual([
      [5, 23],
      [10, 23],
      [15, 23],
      [20, 23],
      [23, 23],
    ]);
    expect([result.changed, result.refused, await left(inbox), await left(archive)]).toEqual([23, 0, 0, 23]);
    await store.change(result.inverse);
    expect([await left(inbox), await left(archive)]).toEqual([23, 0]);
  });

  test('puts off what pushes and the list ask for until it is done, also when it is undone', async () => {
    const { store, network, filter, move, inbox } = await many(120);
    const query = mailboxList(inbox);
    await store.open(query);
    /** Counts the requests of an act, during each of which a push comes and the list is scrolled. */
    const requestsOf = async <T>(act: () => Promise<T>): Promise<[T, number]> => {
      const before = network.requests;
      network.fault = () => {
        void store.refresh();
        void store.loadRange(query, 0, 20);
        return undefined;
      };
      const result = await act();
      network.fault = undefined;
      const count = network.requests - before;
      await store.refresh();
      return [result, count];
    };
    const [{ inverse }, count] = await requestsOf(() => store.changeAll({ filter, patchOf: () => move, signal, onProgress: () => undefined }));
    expect([count, store.list(query).ids]).toEqual([1 + 24, []]);
    const [, countOfUndo] = await requestsOf(() => store.change(inverse));
    expect([countOfUndo, store.list(query).ids.length]).toEqual([24, 120]);
  });

  test('deletes for ever', async () => {
    const { store, filter, left, inbox } = await many(12);
    await store.open(mailboxList(inbox));
    const result = await store.changeAll({ filter, patchOf: () => destroyed, signal, onProgress: () => undefined });
    expect([result.changed, result.inverse.size, await left(inbox), store.list(mailboxList(inbox)).ids]).toEqual([12, 0, 0, []]);
  });

  test('stops where it is told to, and leaves alone what comes meanwhile', async () => {
    const { server, store, filter, move, left, inbox } = await many(23);
    const stop = new AbortController();
    await store.changeAll({ filter, patchOf: () => move, signal: stop.signal, onProgress: (done) => done === 10 && stop.abort() });
    expect(await left(inbox)).toBe(13);
    let hasCome = false;
    const patchOf = () => {
      if (!hasCome) void server.deliver({ receivedAt: Date.UTC(2026, 11, 1) });
      hasCome = true;
      return move;
    };
    await store.changeAll({ filter, patchOf, signal, onProgress: () => undefined });
    expect(await left(inbox)).toBe(1);
  });

  test('goes on when the last message of a batch is gone, and when each third response is lost', async () => {
    const { server, network, store, ids, filter, move, left, inbox } = await many(23);
    let count = 0;
    network.fault = () => ((count += 1) % 3 === 0 ? 'lost response' : undefined);
    const onProgress = (done: number) => void (done === 5 && server.call('Email/set', { destroy: ids.slice(8, 11) }));
    const { changed } = await store.changeAll({ filter, patchOf: () => move, signal, onProgress });
    expect([await left(inbox), changed]).toEqual([0, expect.any(Number)]);
  });

  test('changes those alone for which it was prepared', async () => {
    const { store, filter, move, left, inbox, archive } = await many(12);
    const prepare = async (emails: readonly { readonly id: string }[]) => ({ ids: new Set(emails.slice(1).map(({ id }) => id)), reason: 'not the first' });
    const result = await store.changeAll({ filter, patchOf: () => move, prepare, signal, onProgress: () => undefined });
    expect([result.changed, result.refused, result.reason, result.inverse.size]).toEqual([9, 3, 'not the first', 9]);
    expect([await left(inbox), await left(archive)]).toEqual([3, 9]);
  });

  test('says how many the server refused, and why', async () => {
    const { store, filter, left, inbox, move, ids } = await many(7);
    const { changed, refused, reason } = await store.changeAll({
      filter,
      patchOf: ({ id }) => (id === ids[2] ? { 'mailboxIds/none': true } : id === ids[3] ? undefined : move),
      signal,
      onProgress: () => undefined,
    });
    expect({ changed, refused, reason: reason !== undefined, left: await left(inbox) }).toEqual({ changed: 5, refused: 1, reason: true, left: 2 });
  });
});

test('a search shows what matches, with snippets, and remains one when what it found is moved', async () => {
  const { server, store, inbox } = await start();
  const { archive, trash } = await server.roles();
  const ids = [await server.deliver({ subject: 'The plan for Monday', receivedAt: 1000 }), await server.deliver({ subject: 'Other', receivedAt: 2000 })];
  const search: ListQuery = { filter: { operator: 'AND', conditions: [{ text: 'monday' }, { inMailboxOtherThan: [trash!] }] }, isSearch: true };
  await Promise.all([store.open(mailboxList(inbox)), store.open(search)]);
  expect(store.list(search).ids).toEqual([ids[0]]);
  await store.snippets.load(search, [ids[0]!]);
  expect(store.snippets.get(search, ids[0]!)?.subject).toBe('The plan for <mark>Monday</mark>');
  await store.change(new Map([[ids[0]!, { [`mailboxIds/${inbox}`]: null, [`mailboxIds/${archive}`]: true }]]));
  await store.refresh();
  expect([store.list(search).ids, store.list(mailboxList(inbox)).ids]).toEqual([[ids[0]], [ids[1]]]);
  const deleted = store.change(new Map([[ids[0]!, { [`mailboxIds/${archive}`]: null, [`mailboxIds/${trash}`]: true }]]));
  expect(store.list(search).ids).toEqual([]);
  await deleted;
  await store.refresh();
  expect(store.list(search).ids).toEqual([]);
});

/** A small generator of random numbers, so that a failing history can be played again. */
const randomFrom = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

const pause = (): Promise<void> => setImmediate();

/** Loads what a list lacks until nothing is missing, as a screen does for what it shows. */
const loadAll = async (store: MailStore, query: ListQuery): Promise<void> => {
  for (let tries = 0; tries < 5; tries += 1) await store.loadRange(query, 0, 1000);
};

/** Plays changes at the server and in the store, pushes and faults, in a random order; then everything is at rest. */
const playHistory = async (
  seed: number,
  faultOf: (random: (below: number) => number) => NonNullable<Network['fault']>,
  hasChanges = true,
): Promise<{ readonly shown: unknown; readonly later: unknown; readonly fresh: unknown }> => {
  const random = randomFrom(seed);
  const { server, network, store, query, inbox } = await start();
  network.hasChanges = hasChanges;
  const roles = await server.roles();
  const others = [roles['archive']!, roles['trash']!];
  const ids: string[] = [];
  const deliver = async (): Promise<void> => {
    const references = ids.length > 0 && random(2) === 0 ? `m${random(ids.length)}` : undefined;
    ids.push(
      await server.deliver({ id: `m${ids.length}`, receivedAt: Date.UTC(2026, 10, 20) + random(100_000), references, subject: references ? 'Re: a' : 'a' }),
    );
  };
  // Of a list of several pages, parts are not known.
  for (let count = 0; count < (seed % 8 === 0 ? 170 : 5); count += 1) await deliver();
  await store.open(query);
  network.fault = faultOf(random);
  const running: Promise<unknown>[] = [];
  const any = (): string => ids[random(ids.length)]!;
  const loadSome = (): Promise<void> => {
    const from = random(ids.length);
    return store.loadRange(query, from, from + 30);
  };
  const toggled = (name: string) => ({ [`keywords/${name}`]: random(2) === 0 ? true : null });
  const acts: readonly (() => Promise<unknown>)[] = [
    deliver,
    () => server.call('Email/set', { update: { [any()]: toggled('$flagged') } }),
    () => server.call('Email/set', { update: { [any()]: { mailboxIds: { [random(2) === 0 ? inbox : others[random(2)]!]: true } } } }),
    () => server.call('Email/set', { destroy: [any()] }),
    async () => void running.push(store.change(new Map([any(), any()].map((id) => [id, toggled('$seen')])))),
    async () => {
      const to = others[random(2)]!;
      void running.push(store.change(new Map([[any(), { [`mailboxIds/${inbox}`]: null, [`mailboxIds/${to}`]: true }]])));
    },
    async () => {
      const move = { [`mailboxIds/${inbox}`]: null, [`mailboxIds/${others[0]}`]: true };
      const filter = { inMailbox: inbox, hasKeyword: '$flagged' };
      const all = { filter, patchOf: () => move, signal: new AbortController().signal, onProgress: () => undefined };
      void running.push(store.changeAll(all).catch(() => undefined));
    },
    async () => void running.push(store.refresh().catch(() => undefined)),
    async () => void running.push(loadSome().catch(() => undefined)),
    pause,
    pause,
  ];
  const snapshots: Snapshot[] = [];
  const act = async (): Promise<void> => {
    await acts[random(acts.length)]!();
    const snapshot = store.snapshot(query);
    if (snapshot) snapshots.push(JSON.parse(JSON.stringify(snapshot)) as Snapshot);
  };
  for (let step = 0; step < 30; step += 1) await act();
  await Promise.all(running);
  network.fault = undefined;
  await store.refresh();
  await loadAll(store, query);
  const again = await start(server);
  await again.store.open(query);
  await loadAll(again.store, query);
  const later = await start(server, snapshots[random(snapshots.length)]);
  await later.store.open(query);
  await later.store.refresh();
  await loadAll(later.store, query);
  return { shown: shownIn(store, query), later: shownIn(later.store, query), fresh: shownIn(again.store, query) };
};

const anyFault = (random: (below: number) => number) => () => ([undefined, undefined, undefined, 'lost request', 'lost response', 'busy'] as const)[random(6)];
const eachThirdLost = () => {
  let count = 0;
  return () => ((count += 1) % 3 === 0 ? ('lost response' as const) : undefined);
};

test.each([
  ['faults of any kind', 40, anyFault, true],
  ['each third response lost', 12, eachThirdLost, true],
  ['a server that can never calculate changes', 12, anyFault, false],
] as const)('after random changes and pushes, with %s, a tab and a later visit show what a new tab shows', async (_, seeds, faultOf, hasChanges) => {
  for (let seed = 1; seed <= seeds * timesAsMany; seed += 1) {
    const { shown, later, fresh } = await playHistory(seed, faultOf, hasChanges);
    expect({ seed, shown, later }).toEqual({ seed, shown: fresh, later: fresh });
  }
});

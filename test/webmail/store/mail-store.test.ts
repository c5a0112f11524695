import { setImmediate } from 'node:timers/promises';
import { createRequests } from '../../../webmail/jmap/requests.ts';
import type { Session } from '../../../webmail/jmap/types.ts';
import { createMailStore, type MailStore } from '../../../webmail/store/mail-store.ts';
import type { Snapshot } from '../../../webmail/store/snapshot.ts';
import { jmapDeployment, type JmapDeployment } from '../../lambdas/jmap/jmap-deployment.ts';
import { timesAsMany } from '../../support/test-seed.ts';

/** What the network does to the next requests: nothing, or what a test asks for. */
type Network = { fault: (() => 'lost request' | 'lost response' | 'busy' | 'refused' | undefined) | undefined; requests: number };

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
      const fault = network.fault?.();
      if (fault === 'lost request') throw new TypeError('fetch failed');
      if (fault === 'busy') return new Response('{}', { status: 503, headers: { 'retry-after': '1' } });
      if (fault === 'refused') return new Response('{"detail":"refused"}', { status: 400 });
      const response = await server.http('POST', '/jmap', { body });
      if (fault === 'lost response') throw new TypeError('fetch failed');
      return new Response(response.body, { status: response.statusCode! });
    },
  });
  return createMailStore('acc_alice', requests, async () => setImmediate(), before);
};

const start = async (server?: JmapDeployment, before?: Snapshot) => {
  const deployment = server ?? (await jmapDeployment());
  const network: Network = { fault: undefined, requests: 0 };
  const { inbox } = await deployment.roles();
  return { server: deployment, network, store: await clientOf(deployment, network, before), query: { mailboxId: inbox! } };
};

/** What a list shows: conversations in their order with what changes of them, and the counts of mailboxes. */
const shownIn = (store: MailStore, mailboxId: string) => ({
  list: store.list({ mailboxId }).ids.map((id) => {
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
    expect(shownIn(store, query.mailboxId).list.map((emails) => emails?.length)).toEqual([1, 2]);
  });

  test('loads the mailboxes alone, and asks for no changes before anything is loaded', async () => {
    const { network, store } = await start();
    await Promise.all([store.refresh(), store.loadRange({ mailboxId: 'any' }, 0, 20)]);
    await store.refresh();
    expect(network.requests).toBe(0);
    await store.open();
    expect([network.requests, store.mailboxes().length > 0]).toEqual([1, true]);
  });

  test('shows a change at once, and keeps it shown until the server has made it', async () => {
    const { server, store, query } = await start();
    const id = await server.deliver();
    await store.open(query);
    const seen = (): boolean | undefined => store.email(id)?.keywords['$seen'];
    const unread = (): number | undefined => store.mailboxes().find((mailbox) => mailbox.id === query.mailboxId)?.unreadEmails;
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
    const refusals: unknown[] = [];
    store.onRefusal((refusal) => refusals.push(refusal));
    await server.call('Email/set', { destroy: [id] });
    await store.change(new Map([[id, { 'keywords/$seen': true }]]));
    expect(refusals).toMatchObject([{ ids: [id] }]);
    expect(store.email(id)?.keywords).toEqual({});
    await store.refresh();
    expect(store.email(id)).toBeUndefined();
    expect(store.list(query).ids).toEqual([]);
  });

  test('takes what is moved away from the list at once, and shows it there no more before the results say so', async () => {
    const { server, store, query } = await start();
    const { archive } = await server.roles();
    const ids = [await server.deliver({ receivedAt: 1000 }), await server.deliver({ receivedAt: 2000 }), await server.deliver({ receivedAt: 3000 })];
    await store.open(query);
    const shownIds: (readonly unknown[])[] = [];
    store.subscribe(() => shownIds.push(store.list(query).ids));
    const move = { [`mailboxIds/${query.mailboxId}`]: null, [`mailboxIds/${archive}`]: true };
    await store.change(new Map([[ids[1]!, move]]));
    await store.refresh();
    expect(shownIds.length).toBeGreaterThan(2);
    expect(shownIds.filter((each) => JSON.stringify(each) !== JSON.stringify([ids[2], ids[0]]))).toEqual([]);
    await store.open({ mailboxId: archive! });
    expect(store.list({ mailboxId: archive! }).ids).toEqual([ids[1]]);
  });

  test('sends changes of the same message in their order, and of others at the same time', async () => {
    const { server, network, store, query } = await start();
    const ids = [await server.deliver(), await server.deliver()];
    await store.open(query);
    const before = network.requests;
    const flag = (value: true | null) => ({ 'keywords/$flagged': value });
    const changes = [
      store.change(new Map([[ids[0]!, flag(true)]])),
      store.change(new Map([[ids[0]!, flag(null)]])),
      store.change(new Map([[ids[1]!, flag(true)]])),
    ];
    expect([0, 1].map((index) => store.email(ids[index]!)?.keywords)).toEqual([{}, { $flagged: true }]);
    await Promise.all(changes);
    expect(network.requests - before).toBe(2);
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

  test('begins with the snapshot of an earlier store, and brings it up to date with changes alone', async () => {
    const { server, store, query } = await start();
    for (let count = 0; count < 60; count += 1) await server.deliver({ receivedAt: Date.UTC(2026, 10, 20, 0, count) });
    expect(store.snapshot(query)).toBeUndefined();
    await store.open(query);
    const before = JSON.parse(JSON.stringify(store.snapshot(query))) as Snapshot;
    const later = await start(server, before);
    expect([later.store.isLoaded(query), later.store.list(query).ids.length, shownIn(later.store, query.mailboxId).list[49]?.length]).toEqual([true, 60, 1]);
    await server.deliver({ receivedAt: Date.UTC(2026, 10, 21) });
    await later.store.refresh();
    await Promise.all([store.refresh(), later.store.loadRange(query, 0, 60), store.loadRange(query, 0, 60)]);
    expect(shownIn(later.store, query.mailboxId)).toEqual(shownIn(store, query.mailboxId));
    expect(later.network.requests).toBeLessThanOrEqual(3);
  });

  test('tells of new mail once for all that a refresh found', async () => {
    const { server, store, query } = await start();
    await server.deliver();
    await store.open(query);
    const told: number[] = [];
    store.onNewMail((count) => told.push(count));
    await store.refresh();
    const ids = [await server.deliver(), await server.deliver(), await server.deliver()];
    await server.call('Email/set', { update: { [ids[2]!]: { 'keywords/$seen': true } } });
    await store.refresh();
    await store.refresh();
    expect(told).toEqual([2]);
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
const loadAll = async (store: MailStore, query: { readonly mailboxId: string }): Promise<void> => {
  for (let tries = 0; tries < 5; tries += 1) await store.loadRange(query, 0, 1000);
};

/** Plays changes at the server and in the store, pushes and faults, in a random order; then everything is at rest. */
const playHistory = async (seed: number): Promise<{ readonly shown: unknown; readonly later: unknown; readonly fresh: unknown }> => {
  const random = randomFrom(seed);
  const { server, network, store, query } = await start();
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
  network.fault = () => ([undefined, undefined, undefined, 'lost request', 'lost response', 'busy'] as const)[random(6)];
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
    () => server.call('Email/set', { update: { [any()]: { mailboxIds: { [random(2) === 0 ? query.mailboxId : others[random(2)]!]: true } } } }),
    () => server.call('Email/set', { destroy: [any()] }),
    async () => void running.push(store.change(new Map([any(), any()].map((id) => [id, toggled('$seen')])))),
    async () => {
      const to = others[random(2)]!;
      void running.push(store.change(new Map([[any(), { [`mailboxIds/${query.mailboxId}`]: null, [`mailboxIds/${to}`]: true }]])));
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
  return { shown: shownIn(store, query.mailboxId), later: shownIn(later.store, query.mailboxId), fresh: shownIn(again.store, query.mailboxId) };
};

test('after random changes, pushes, refusals and lost responses, a tab and a later visit show what a new tab shows', async () => {
  for (let seed = 1; seed <= 40 * timesAsMany; seed += 1) {
    const { shown, later, fresh } = await playHistory(seed);
    expect({ seed, shown, later }).toEqual({ seed, shown: fresh, later: fresh });
  }
});

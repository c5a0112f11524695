import { eventSourceLoop, eventSourceNews, eventSourceRetry, eventSourceWait } from '../../../../contract/jmap/push.ts';
import { idleClient } from '../../../bench/cost/event-source-cost.ts';
import { aerc, browser, bulwark, jmapMua, type ListeningClient } from '../../../support/event-source-clients.ts';
import { eventSourceWorld, type EventSourceWorld, type HttpAnswer } from '../../../support/event-source-world.ts';

const emailStates = ({ states }: ListeningClient): (string | undefined)[] =>
  states.map(({ change }) => change.changed['acc_alice']?.['Email']).filter((state) => state !== undefined);

/** Seconds from each delivery until the client has the new state. */
const delays = async (start: (world: EventSourceWorld) => ListeningClient, deliveries: readonly number[], until: number): Promise<number[]> => {
  const world = await eventSourceWorld();
  const client = start(world);
  world.deliverAt(...deliveries);
  await client.run(until);
  return deliveries.map((at, index) => {
    const told = client.states.find(({ change }) => Number(change.changed['acc_alice']?.['Email']?.split('-')[1] ?? 0) >= index + 2);
    return told === undefined ? Infinity : told.at - at;
  });
};
/** Times of deliveries, spread over the phases of a client's cycle. */
const spread = Array.from({ length: 40 }, (_, index) => 100 + index * 60 + index * 0.6);
const end = 100 + 41 * 61;

describe('an idle client of the event source', () => {
  // @pitfall client event-source-retry
  test.each([
    ['aerc', aerc],
    ['Bulwark', bulwark],
    ['jmap-mua', jmapMua],
  ])('%s connects at most four times a minute and costs less than 0.50 USD a month', async (_name, start) => {
    const { connectionsPerMinute, httpRequestsPerMinute, dollarsPerMonth, failures } = await idleClient(start);
    expect(connectionsPerMinute).toBeLessThanOrEqual(4);
    expect(httpRequestsPerMinute).toBeLessThanOrEqual(6.1);
    expect(dollarsPerMonth).toBeLessThan(0.5);
    expect(failures).toBe(0);
  });

  test.each([
    ['aerc', aerc],
    ['Bulwark', bulwark],
  ])('%s gets a state only when it is news, and again only at once', async (_name, start) => {
    const world = await eventSourceWorld();
    const client = start(world);
    world.deliverAt(300, 1000);
    await client.run(3600);
    expect([...new Set(emailStates(client))]).toEqual(['Email-2', 'Email-3']);
    for (const state of ['Email-2', 'Email-3']) {
      const times = client.states.filter(({ change }) => change.changed['acc_alice']?.['Email'] === state).map(({ at }) => at);
      expect(times.length).toBeLessThanOrEqual(eventSourceNews.inAll);
      expect(times.at(-1)! - times[0]!).toBeLessThan(eventSourceWait.seconds);
    }
  });

  test('a browser connects every 30 seconds, is not redirected, and costs as before', async () => {
    const world = await eventSourceWorld();
    const client = browser(world);
    world.deliverAt(300);
    await client.run(3600);
    expect(client.connections).toBe(Math.ceil(3600 / (eventSourceRetry + 0.1)));
    expect([client.redirects, client.failures, client.states.length]).toEqual([0, 0, 2]);
    expect((await idleClient(browser)).dollarsPerMonth).toBeLessThan(0.2);
  });
});

describe('a client of the event source that is connected', () => {
  test.each([
    ['aerc', aerc],
    ['Bulwark', bulwark],
  ])('%s is notified of mail within five seconds', async (_name, start) => {
    expect(Math.max(...(await delays(start, spread, end)))).toBeLessThan(5);
  });

  test('as a browser is notified of mail within its retry', async () => {
    expect(Math.max(...(await delays(browser, spread, end)))).toBeLessThan(eventSourceRetry + 1);
  });

  test('is notified at the end of its wait when another client received its message', async () => {
    const world = await eventSourceWorld();
    const client = aerc(world);
    world.jmap.eventSourceQueueUrls satisfies readonly string[];
    await client.run(60);
    await world.mail.write([{ delete: { pk: 'push#alice', sk: (await world.mail.query({ pk: 'push#alice' }))[0]!.sk } }]);
    world.deliverAt(61);
    await client.run(61 + eventSourceWait.seconds + 1);
    expect(new Set(emailStates(client))).toEqual(new Set(['Email-2']));
  });

  test('is notified separately from another client with another token', async () => {
    const world = await eventSourceWorld();
    const [own, other] = [aerc(world, 'alice'), aerc(world, 'reader')];
    await own.run(5);
    await other.run(10);
    world.deliverAt(11);
    await own.run(40);
    await other.run(60);
    expect([new Set(emailStates(own)), new Set(emailStates(other))]).toEqual([new Set(['Email-2']), new Set(['Email-2'])]);
  });

  test('gets all states again after it was offline for a quarter of an hour', async () => {
    const world = await eventSourceWorld();
    const client = aerc(world);
    await client.run(60);
    await world.wait(1000);
    await client.run(1100);
    expect(client.states).toHaveLength(2);
  });
});

describe('a client that waits', () => {
  const query = { types: '*', ping: '0', closeafter: 'no' };
  const headers = { authorization: 'Bearer alice', 'user-agent': 'held/1' };
  const statesIn = ({ body }: HttpAnswer): string[] => [...body.matchAll(/"Email":"(Email-\d+)"/g)].map(([, state]) => state!);
  /** The states that a client gets from one response, or from its next request if that response has none. */
  const hear = async (world: EventSourceWorld, answer: HttpAnswer): Promise<string[]> => {
    const told = statesIn(answer);
    return told.length > 0 ? told : statesIn(await world.get(query, headers));
  };
  /**
   * Starts the wait of a client that has already received the current state, at least once.
   * @returns the URL of the wait.
   */
  const startWait = async (world: EventSourceWorld): Promise<string> => {
    for (let request = 0; request <= eventSourceNews.inAll; request++) {
      const { status, location } = await world.get(query, headers, false);
      if (status === 307) return location!;
    }
    throw new Error('the client is not sent to wait');
  };

  test('is notified of each of several changes in a row, and each change ends a wait', async () => {
    const world = await eventSourceWorld();
    await world.get(query, headers);
    for (let change = 2; change < 8; change++) {
      const location = await startWait(world);
      world.deliverAt(world.now() + 3);
      const answer = await world.follow(location);
      expect([answer.wasWoken, await hear(world, answer)]).toEqual([true, [`Email-${change}`]]);
      expect((await world.follow(await startWait(world))).wasWoken).toBe(true);
    }
  });

  // @pitfall client event-source-shared-token
  test('is notified of each change beside another client with the same token and User-Agent', async () => {
    const world = await eventSourceWorld();
    await world.get(query, headers);
    for (let change = 2; change < 6; change++) {
      const one = await startWait(world);
      await world.wait(2);
      const other = await startWait(world);
      world.deliverAt(world.now() + 1);
      const [first, second] = [await world.follow(one), await world.follow(other)];
      expect([first.wasWoken, second.wasWoken]).toEqual([true, true]);
      expect([await hear(world, first), await hear(world, second)]).toEqual([[`Email-${change}`], [`Email-${change}`]]);
    }
  });

  test('is notified of a change at the end of its wait, after two other clients with its name', async () => {
    const world = await eventSourceWorld();
    await world.get(query, headers);
    const one = await startWait(world);
    const third = await startWait(world);
    world.deliverAt(world.now() + 1);
    const answer = await world.follow(one);
    expect([await hear(world, answer), statesIn(await world.get(query, headers))]).toEqual([['Email-2'], ['Email-2']]);
    await world.wait(10);
    expect(await hear(world, await world.follow(third))).toEqual(['Email-2']);
  });

  test('is notified of two changes of which another client with its name was notified', async () => {
    const world = await eventSourceWorld();
    await world.get(query, headers);
    await startWait(world);
    await world.addMember('alice', 'acc_bob', 'READ', false);
    expect((await world.get(query, headers, false)).body).toContain('acc_bob');
    await world.deliver();
    expect(statesIn(await world.get(query, headers, false))).toEqual(['Email-2']);
    const { body } = await world.get(query, headers, false);
    expect([body.includes('acc_bob'), body.includes('"Email-2"')]).toEqual([true, true]);
  });

  test('is notified again by another instance of the Lambda, which reads the stored position of its name', async () => {
    const world = await eventSourceWorld();
    await world.get(query, headers);
    const [one, other] = [await startWait(world), await startWait(world)];
    world.deliverAt(world.now() + 1);
    expect(await hear(world, await world.follow(one))).toEqual(['Email-2']);
    expect((await world.follow(other)).wasWoken).toBe(true);
    world.forgetClients();
    expect(statesIn(await world.get(query, headers))).toEqual(['Email-2']);
  });

  test('is notified although one of its aborted requests received a message', async () => {
    const world = await eventSourceWorld();
    await world.get(query, headers);
    const givenUp = await startWait(world);
    await world.wait(5);
    const again = await startWait(world);
    world.deliverAt(world.now() + 1);
    expect((await world.follow(givenUp)).wasWoken).toBe(true);
    const answer = await world.follow(again);
    expect([answer.wasWoken, await hear(world, answer)]).toEqual([true, ['Email-2']]);
  });
});

describe('a client that follows no redirect and returns immediately', () => {
  const query = { types: '*', ping: '0', closeafter: 'no' };
  const headers = { authorization: 'Bearer alice', 'user-agent': 'loop/1' };

  test('is refused with 429 and Retry-After, and others are not', async () => {
    const world = await eventSourceWorld();
    const statuses: number[] = [];
    for (let request = 0; request < 2 * eventSourceLoop.requests; request++) statuses.push((await world.get(query, headers, false)).status);
    expect(statuses.slice(0, 2)).toEqual([200, 307]);
    expect(statuses.indexOf(429)).toBe(eventSourceLoop.requests);
    expect(await world.get(query, headers, false)).toMatchObject({ status: 429, retryAfter: eventSourceLoop.retryAfter });
    expect((await world.get(query, { ...headers, 'user-agent': 'other/1' }, false)).status).toBe(200);
    await world.wait(eventSourceLoop.seconds);
    expect((await world.get(query, headers, false)).status).toBe(307);
  });

  test('costs one trip and no write when it is redirected to wait', async () => {
    const world = await eventSourceWorld();
    for (let request = 0; request < 2; request++) await world.get(query, headers, false);
    expect(await world.tripsOf(async () => expect((await world.get(query, headers, false)).status).toBe(307))).toBe(1);
    world.mail.write = () => Promise.reject(new Error('written'));
    expect((await world.get(query, headers, false)).status).toBe(307);
  });

  test('is notified of an account that was shared meanwhile, and of none that it lost', async () => {
    const world = await eventSourceWorld();
    for (let request = 0; request < 3; request++) await world.get(query, headers, false);
    await world.addMember('alice', 'acc_bob', 'READ', false);
    expect((await world.get(query, headers, false)).body).toContain('"changed":{"acc_bob":{');
    await world.directory.write([{ delete: { pk: 'member#alice', sk: 'acc_bob' } }]);
    await world.deliver({ accountId: 'acc_bob' });
    for (let request = 0; request <= eventSourceNews.inAll; request++) {
      expect((await world.get(query, headers, false)).body).not.toContain('acc_bob');
    }
    expect((await world.get(query, headers, false)).status).toBe(307);
  });

  test('costs no read and no write when it is refused', async () => {
    const world = await eventSourceWorld();
    for (let request = 0; request < eventSourceLoop.requests; request++) await world.get(query, headers, false);
    expect(await world.tripsOf(async () => expect((await world.get(query, headers, false)).status).toBe(429))).toBe(0);
  });
});

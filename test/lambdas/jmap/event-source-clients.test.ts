import { idleClient } from '../../../bench/event-source-cost.ts';
import { eventSourceLoop, eventSourceRetry, eventSourceWait } from '../../../contract/jmap/push.ts';
import { aerc, browser, bulwark, type ListeningClient } from '../../support/event-source-clients.ts';
import { eventSourceWorld, type EventSourceWorld } from '../../support/event-source-world.ts';

const emailStates = ({ states }: ListeningClient): (string | undefined)[] =>
  states.map(({ change }) => change.changed['acc_alice']?.['Email']).filter((state) => state !== undefined);

/** Seconds from each delivery until the client has its state. */
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
/** Deliveries at every phase of a client's cycle. */
const spread = Array.from({ length: 40 }, (_, index) => 100 + index * 60 + index * 0.6);
const end = 100 + 41 * 61;

describe('an idle client of the event source', () => {
  // @pitfall client event-source-retry
  test.each([['aerc', aerc], ['Bulwark', bulwark]])('%s connects at most four times a minute and costs less than 0.50 USD a month', async (_name, start) => {
    const { connectionsPerMinute, httpRequestsPerMinute, dollarsPerMonth, failures } = await idleClient(start);
    expect(connectionsPerMinute).toBeLessThanOrEqual(4);
    expect(httpRequestsPerMinute).toBeLessThanOrEqual(6.1);
    expect(dollarsPerMonth).toBeLessThan(0.5);
    expect(failures).toBe(0);
  });

  test.each([['aerc', aerc], ['Bulwark', bulwark]])('%s gets a state only when it is news', async (_name, start) => {
    const world = await eventSourceWorld();
    const client = start(world);
    world.deliverAt(300, 1000);
    await client.run(3600);
    expect(client.states).toHaveLength(3);
    expect(emailStates(client)).toEqual(['Email-2', 'Email-3']);
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
  test.each([['aerc', aerc], ['Bulwark', bulwark]])('%s is notified of mail within five seconds', async (_name, start) => {
    expect(Math.max(...await delays(start, spread, end))).toBeLessThan(5);
  });

  test('as a browser is notified of mail within its retry', async () => {
    expect(Math.max(...await delays(browser, spread, end))).toBeLessThan(eventSourceRetry + 1);
  });

  test('is notified at the end of its wait when another client took its wake-up', async () => {
    const world = await eventSourceWorld();
    const client = aerc(world);
    world.jmap.eventSourceQueueUrls satisfies readonly string[];
    await client.run(60);
    await world.mail.write([{ delete: { pk: 'push#alice', sk: (await world.mail.query({ pk: 'push#alice' }))[0]!.sk } }]);
    world.deliverAt(61);
    await client.run(61 + eventSourceWait.seconds + 1);
    expect(emailStates(client)).toEqual(['Email-2']);
  });

  test('is notified by each of two clients with tokens of their own', async () => {
    const world = await eventSourceWorld();
    const [own, other] = [aerc(world, 'alice'), aerc(world, 'reader')];
    await own.run(5);
    await other.run(10);
    world.deliverAt(11);
    await own.run(40);
    await other.run(60);
    expect([emailStates(own), emailStates(other)]).toEqual([['Email-2'], ['Email-2']]);
  });

  test('gets all states again after it was away for a quarter of an hour', async () => {
    const world = await eventSourceWorld();
    const client = aerc(world);
    await client.run(60);
    await world.wait(1000);
    await client.run(1100);
    expect(client.states).toHaveLength(2);
  });
});

describe('a client that follows no redirect and comes back at once', () => {
  const query = { types: '*', ping: '0', closeafter: 'no' };
  const headers = { 'authorization': 'Bearer alice', 'user-agent': 'loop/1' };

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

  test('costs one trip and no write when it is sent to wait', async () => {
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
    expect((await world.get(query, headers, false)).status).toBe(307);
  });

  test('costs no read and no write when it is refused', async () => {
    const world = await eventSourceWorld();
    for (let request = 0; request < eventSourceLoop.requests; request++) await world.get(query, headers, false);
    expect(await world.tripsOf(async () => expect((await world.get(query, headers, false)).status).toBe(429))).toBe(0);
  });
});

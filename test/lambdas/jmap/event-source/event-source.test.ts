import { eventSourceRetry } from '../../../../contract/jmap/push.ts';
import type { HttpResponse } from '../../../../core/runtime/http/http.ts';
import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

/** An event as a browser parses it. An event without data is not dispatched. */
type Event = { readonly name: string; readonly data: Json | undefined; readonly id: string | undefined; readonly retry: number | undefined };

/** Parses an event stream according to HTML ("Interpreting an event stream"). */
const eventsOf = ({ body = '' }: HttpResponse): Event[] => {
  expect(body.endsWith('\n\n')).toBe(true);
  return body
    .trimEnd()
    .split('\n\n')
    .map((block) => {
      const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]));
      const data = fields.get('data');
      return {
        name: fields.get('event') ?? 'message',
        data: data === undefined ? undefined : (JSON.parse(data) as Json),
        id: fields.get('id'),
        retry: fields.has('retry') ? Number(fields.get('retry')) : undefined,
      };
    });
};

describe('GET /eventsource', () => {
  const deployment = jmapDeploymentPerTest();
  const everything = { types: '*', closeafter: 'no', ping: '0' };
  const request = (
    query: Record<string, string>,
    { lastEventId, token, headers = {} }: { lastEventId?: string; token?: string | null; headers?: Record<string, string> } = {},
  ) =>
    deployment.http('GET', '/eventsource', {
      query,
      headers: { ...headers, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
      ...(token !== undefined && { token }),
    });
  const events = async (...given: Parameters<typeof request>): Promise<Event[]> => {
    const response = await request(...given);
    expect([response.statusCode, response.headers]).toEqual([200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }]);
    return eventsOf(response);
  };
  const position = async (): Promise<string> => (await events(everything))[0]!.id!;

  // @requirement 8620 §7.3 event-source-state
  test('sends all states and an id to a client without Last-Event-ID', async () => {
    await deployment.deliver();
    expect(await events(everything)).toEqual([
      {
        name: 'state',
        id: expect.stringMatching(/^1\./) as string,
        retry: eventSourceRetry * 1000,
        data: {
          '@type': 'StateChange',
          changed: {
            acc_alice: {
              Email: 'Email-2',
              EmailDelivery: 'EmailDelivery-2',
              Identity: 'Identity-1',
              Mailbox: 'Mailbox-2',
              Quota: 'Quota-2',
              Thread: 'Thread-2',
            },
          },
        },
      },
    ]);
  });

  /** A client that reconnects. `remembers`: whether it stores the id of an event. */
  const reconnectingClient = (remembers: (event: Event) => boolean) => {
    let lastEventId: string | undefined;
    return async (query = everything): Promise<Json[]> => {
      const answered = await events(query, { ...(lastEventId !== undefined && { lastEventId }) });
      for (const event of answered.filter(remembers)) lastEventId = event.id;
      return answered.flatMap(({ data }) => data ?? []);
    };
  };

  test('misses no change for a client whose library ignores the ids of events without data', async () => {
    const ask = reconnectingClient(({ data }) => data !== undefined);
    await ask();
    expect(await ask()).toEqual([]);
    await deployment.deliver();
    expect(await ask()).toMatchObject([{ changed: { acc_alice: { EmailDelivery: 'EmailDelivery-2' } } }]);
    expect(await ask()).toEqual([]);
  });

  test('misses no change for a client that starts again without an id, for example with a new token', async () => {
    await reconnectingClient(() => true)();
    await deployment.deliver();
    expect(await reconnectingClient(() => true)()).toMatchObject([{ changed: { acc_alice: { EmailDelivery: 'EmailDelivery-2' } } }]);
  });

  // @requirement 8620 §7.3 event-source-resume
  test('sends what is new since Last-Event-ID, and a new id', async () => {
    const lastEventId = await position();
    await deployment.deliver();
    const [event, ...more] = await events(everything, { lastEventId });
    expect(event).toEqual({
      name: 'state',
      id: expect.any(String) as string,
      retry: 30_000,
      data: {
        '@type': 'StateChange',
        changed: { acc_alice: { Email: 'Email-2', EmailDelivery: 'EmailDelivery-2', Mailbox: 'Mailbox-2', Quota: 'Quota-2', Thread: 'Thread-2' } },
      },
    });
    expect(more).toEqual([]);
    expect(await events(everything, { lastEventId: event!.id! })).toEqual([{ name: 'message', data: undefined, id: event!.id, retry: 30_000 }]);
  });

  // @requirement 8620 §7.3 event-source-types
  test('sends the requested types only', async () => {
    const lastEventId = await position();
    await deployment.deliver();
    expect((await events({ ...everything, types: 'EmailDelivery,CalendarEvent' }, { lastEventId }))[0]!.data!['changed']).toEqual({
      acc_alice: { EmailDelivery: 'EmailDelivery-2' },
    });
    expect((await events({ ...everything, types: 'CalendarEvent' }, { lastEventId }))[0]!.data).toBeUndefined();
  });

  test('sends all states for a Last-Event-ID that cannot be read', async () => {
    expect((await events(everything, { lastEventId: 'garbage' }))[0]!.data!['changed']).toEqual({
      acc_alice: { Identity: 'Identity-1', Mailbox: 'Mailbox-1' },
    });
  });

  test('sends the accounts of which the caller is currently a member, and no other', async () => {
    const lastEventId = (await events(everything, { token: 'bob' }))[0]!.id!;
    await deployment.directory.write([{ delete: { pk: 'member#bob', sk: 'acc_alice' } }]);
    await deployment.deliver();
    await deployment.store.createAccount('acc_new');
    await deployment.addMember('bob', 'acc_new', 'READ', false);
    expect((await events(everything, { token: 'bob', lastEventId }))[0]!.data!['changed']).toEqual({ acc_new: { Mailbox: 'Mailbox-1' } });
  });

  // @requirement 8620 §7.3 event-source-ping
  test('sends a ping with its interval when requested and nothing is new', async () => {
    const lastEventId = await position();
    expect(await events({ ...everything, ping: '5' }, { lastEventId })).toMatchObject([
      { name: 'ping', data: { interval: eventSourceRetry }, id: lastEventId },
    ]);
    await deployment.deliver();
    expect(await events({ ...everything, ping: '5' }, { lastEventId })).toMatchObject([{ name: 'state' }]);
  });

  // @requirement 8620 §7.3 event-source-close-after
  test('sends the same response with closeafter=state, and without closeafter and ping', async () => {
    const lastEventId = await position();
    await deployment.deliver();
    expect(await events({ types: '*', closeafter: 'state', ping: '0' }, { lastEventId })).toMatchObject([{ name: 'state' }]);
    expect(await events({ types: '*' }, { lastEventId })).toMatchObject([{ name: 'state' }]);
  });

  test.each<[string, Record<string, string>]>([
    ['no types', {}],
    ['empty types', { types: '' }],
    ['an empty name', { types: 'Email,' }],
    ['a thousand types', { types: Array.from({ length: 1000 }, () => 'Email').join(',') }],
    ['another closeafter', { types: '*', closeafter: 'never' }],
    ['a ping that is no number', { types: '*', ping: 'often' }],
    ['a ping below zero', { types: '*', ping: '-1' }],
    ['half a ping', { types: '*', ping: '0.5' }],
    ['variables that were not filled in', { types: '*', closeafter: '{closeafter}' }],
  ])('answers %s with 400', async (_what, query) => {
    const response = await request(query);
    expect([response.statusCode, response.headers?.['content-type']]).toEqual([400, 'application/problem+json']);
    expect(JSON.parse(response.body!)).toMatchObject({ type: 'about:blank', status: 400, detail: expect.any(String) as string });
  });

  describe('authenticates', () => {
    test('a browser by a token in the query', async () => {
      expect((await request({ ...everything, access_token: 'alice' }, { token: null })).statusCode).toBe(200);
    });

    test('by the header rather than the query', async () => {
      expect((await request({ ...everything, access_token: 'alice' }, { token: 'admin' })).statusCode).toBe(403);
    });

    test('by the query at no other route', async () => {
      expect((await deployment.http('GET', '/.well-known/jmap', { token: null, query: { access_token: 'alice' } })).statusCode).toBe(401);
      expect((await deployment.http('POST', '/jmap', { token: null, query: { access_token: 'alice' } })).statusCode).toBe(401);
      expect((await deployment.http('POST', '/eventsource', { token: null, query: { access_token: 'alice' } })).statusCode).toBe(401);
    });

    test.each<[string, Record<string, string>, number]>([
      ['nobody', {}, 401],
      ['an unknown token', { access_token: 'forged' }, 401],
      ['what is no token', { access_token: 'for ged\r\n' }, 401],
      ['a token for the admin API', { access_token: 'admin' }, 403],
      ['a deactivated person', { access_token: 'carol' }, 403],
      ['a stranger', { access_token: 'stranger' }, 403],
    ])('%s: refused with resource metadata, before the arguments are decoded', async (_what, query, status) => {
      const response = await request({ types: '', ...query }, { token: null });
      expect(response.statusCode).toBe(status);
      expect(response.headers?.['www-authenticate']).toContain(
        'resource_metadata="https://jmap.example.test/.well-known/oauth-protected-resource/eventsource"',
      );
    });
  });

  test('sends an id to a principal without accounts', async () => {
    expect(await events(everything, { token: 'machine' })).toMatchObject([{ data: undefined, id: '1' }]);
    expect(await events(everything, { token: 'machine', lastEventId: '1' })).toMatchObject([{ data: undefined, id: '1' }]);
  });

  test('writes nothing', async () => {
    deployment.mail.write = () => Promise.reject(new Error('written'));
    deployment.directory.write = () => Promise.reject(new Error('written'));
    expect(await events(everything, { lastEventId: 'x' })).toHaveLength(1);
  });
});

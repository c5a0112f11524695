import { setTimeout as pause } from 'node:timers/promises';
import { EventSource as EventSourceForNode } from 'eventsource';
import type { Page } from 'playwright-core';
import type { StateChange } from '../../contract/jmap/push.ts';
import { JamClient } from '../support/jmap-jam.ts';
import { accessTokenOf } from './access-tokens.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { bearer, eventually } from './http-requests.ts';
import { core, mail, type Invocation } from './jmap-client.ts';
import { sendMail, uniqueSubject } from './send-by-smtp.ts';
import { openEventsIn, openSocketIn, openWebPage, type PageEvent, type PageEvents } from './web-page.ts';
import { announcesState, pushedState, pushStateIn, type PushClient } from './websocket-push-client.ts';

/** A mail client of alice, made with the published library jmap-jam. */
const openLibraryClient = async () => {
  const client = new JamClient({ sessionUrl: `${deployed.jmapUrl}/.well-known/jmap`, bearerToken: await accessTokenOf('alice') });
  const accountId = await client.getPrimaryAccount();
  const emailState = async (): Promise<string> => (await client.api.Email.get({ accountId, ids: [] }))[0].state;
  return {
    client,
    accountId,
    emailState,
    /** Subjects of the newest messages, by a result reference in one request. */
    async newestSubjects(): Promise<string[]> {
      const [{ emails }] = await client.requestMany((draft) => {
        const query = draft.Email.query({ accountId, sort: [{ property: 'receivedAt', isAscending: false }], limit: 5 });
        return { query, emails: draft.Email.get({ accountId, ids: query.$ref('/ids'), properties: ['subject'] }) };
      });
      return emails.list.map(({ subject }) => subject);
    },
    /** Subjects of the messages created since a state. */
    async subjectsCreatedSince(sinceState: string): Promise<string[]> {
      const [{ created }] = await client.api.Email.changes({ accountId, sinceState });
      const [{ list }] = await client.api.Email.get({ accountId, ids: created, properties: ['subject'] });
      return list.map(({ subject }) => subject);
    },
  };
};
type LibraryClient = Awaited<ReturnType<typeof openLibraryClient>>;

/**
 * Sends alice a message by SMTP, and waits until it is delivered.
 * @returns its subject, and the Email states before and after.
 */
const receiveMail = async (alice: LibraryClient, subjectStart: string): Promise<{ subject: string; since: string; state: string }> => {
  const [since, subject] = [await alice.emailState(), uniqueSubject(subjectStart)];
  await sendMail([sandboxUser('alice').email], { subject, text: 'Hello' });
  await eventually(async () => expect(await alice.subjectsCreatedSince(since)).toContain(subject));
  return { subject, since, state: await alice.emailState() };
};

describeWith('users', 'mail')('a published JMAP client library', () => {
  let alice: LibraryClient;
  beforeAll(async () => {
    alice = await openLibraryClient();
  });

  test('reads the session, finds a new message, and reads the changes since a state', async () => {
    const session = await alice.client.session;
    expect([session.username, session.apiUrl]).toEqual([sandboxUser('alice').email, expect.stringContaining(deployed.jmapUrl)]);
    const { subject, state } = await receiveMail(alice, 'Found by a library');
    expect(await alice.newestSubjects()).toContain(subject);
    expect(await alice.subjectsCreatedSince(state)).not.toContain(subject);
  });
});

describeWith('users', 'mail')('a web page of another origin', () => {
  let alice: LibraryClient;
  let page: Page;
  let close: () => Promise<void>;
  let url: string;
  beforeAll(async () => {
    [alice, { page, close }] = await Promise.all([openLibraryClient(), openWebPage()]);
    url = `${deployed.webSocketUrl}?access_token=${await accessTokenOf('alice')}`;
  });
  afterAll(() => close?.());

  let requestCount = 0;
  /** Requests the subjects of the messages created since a state, over the socket. */
  const subjectsCreatedSince = async (socket: PushClient, sinceState: string): Promise<string[]> => {
    requestCount += 1;
    const id = `created-${requestCount}`;
    socket.send({
      '@type': 'Request',
      id,
      using: [core, mail],
      methodCalls: [
        ['Email/changes', { accountId: alice.accountId, sinceState }, 'c'],
        ['Email/get', { accountId: alice.accountId, '#ids': { resultOf: 'c', name: 'Email/changes', path: '/created' }, properties: ['subject'] }, 'g'],
      ],
    });
    const response = await socket.receive((frame) => frame['requestId'] === id);
    expect(response).toMatchObject({
      '@type': 'Response',
      methodResponses: [
        ['Email/changes', {}, 'c'],
        ['Email/get', {}, 'g'],
      ],
    });
    const [, [, { list }]] = response['methodResponses'] as [Invocation, Invocation];
    return (list as { subject: string }[]).map(({ subject }) => subject);
  };

  test('receives a push over its WebSocket, and reads the message over the same socket', async () => {
    const socket = await openSocketIn(page, url);
    await socket.enable();
    const before = socket.frames.length;
    const { subject, since, state } = await receiveMail(alice, 'Pushed to a page');
    const frame = await socket.receive(announcesState(alice.accountId, 'Email', state));
    expect(socket.frames.indexOf(frame)).toBeGreaterThanOrEqual(before);
    expect(pushedState(frame, alice.accountId, 'EmailDelivery')).toBeDefined();
    expect(await subjectsCreatedSince(socket, since)).toContain(subject);
    socket.disconnect();
  });

  test('receives the missed change once when it connects again with its pushState', async () => {
    const first = await openSocketIn(page, url);
    await first.enable();
    const pushState = pushStateIn(first.frames);
    first.disconnect();
    await first.closed();
    const { subject, since, state } = await receiveMail(alice, 'Missed by a page');
    const again = await openSocketIn(page, url);
    await again.enable({ pushState });
    expect(again.frames.filter(announcesState(alice.accountId, 'Email', state))).toHaveLength(1);
    expect(await subjectsCreatedSince(again, since)).toContain(subject);
    const third = await openSocketIn(page, url);
    expect([await third.enable({ pushState: pushStateIn(again.frames) }), third.frames.length]).toEqual([expect.objectContaining({ changed: {} }), 1]);
    for (const socket of [again, third]) socket.disconnect();
  });

  test('that fetches the event source again waits by a redirect until mail arrives', async () => {
    const { eventSourceUrl } = await alice.client.session;
    const url = eventSourceUrl.replace('{types}', 'Email').replace('{closeafter}', 'no').replace('{ping}', '30');
    const headers = bearer(await accessTokenOf('alice'));
    const fetchEvents = (): Promise<readonly [number, boolean, string]> =>
      page.evaluate(
        async ([target, sent]) => {
          const response = await fetch(target, { headers: sent });
          return [response.status, response.redirected, await response.text()] as const;
        },
        [url, headers] as const,
      );
    expect((await fetchEvents()).slice(0, 2)).toEqual([200, false]);
    const held = fetchEvents();
    await pause(2_000);
    const { state } = await receiveMail(alice, 'Ends the wait');
    expect(await held).toEqual([200, true, expect.not.stringContaining('event: state')]);
    expect(await fetchEvents()).toEqual([200, false, expect.stringContaining(state)]);
  });

  test('reads the event source with the token and Last-Event-ID in headers', async () => {
    const { eventSourceUrl } = await alice.client.session;
    const readEvents = async (lastEventId: string): Promise<string> =>
      page.evaluate(async ([target, headers]) => (await fetch(target, { headers })).text(), [
        eventSourceUrl.replace('{types}', '*').replace('{closeafter}', 'state').replace('{ping}', '0'),
        { ...bearer(await accessTokenOf('alice')), 'last-event-id': lastEventId },
      ] as const);
    const first = await readEvents('none');
    expect(first).toContain('\nevent: state\n');
    expect(await readEvents(/^id: (.+)$/m.exec(first)![1]!)).not.toContain('event:');
  });
});

describeWith('users', 'mail')('clients that reconnect by EventSource', () => {
  let alice: LibraryClient;
  let token: string;
  let page: Page;
  let close: () => Promise<void>;
  beforeAll(async () => {
    token = await accessTokenOf('alice');
    [alice, { page, close }] = await Promise.all([openLibraryClient(), openWebPage()]);
  });
  afterAll(async () => {
    Reflect.deleteProperty(globalThis, 'EventSource');
    await close?.();
  });

  /** A listening client, and the Last-Event-ID of each of its requests. */
  type Listener = PageEvents & { readonly lastEventIds: readonly (string | undefined)[] };

  /**
   * Replaces the global EventSource, which the library creates and Node lacks. This one sends the token in a header.
   */
  const listenByLibrary = async (): Promise<Listener> => {
    const [events, lastEventIds]: [PageEvent[], (string | undefined)[]] = [[], []];
    globalThis.EventSource = class extends EventSourceForNode {
      constructor(url: string | URL) {
        super(url, {
          fetch: (input, init) => {
            lastEventIds.push(init.headers['Last-Event-ID']);
            return fetch(input, { ...init, headers: { ...init.headers, ...bearer(token) } });
          },
        });
      }
    } as unknown as typeof EventSource;
    const source = await alice.client.connectEventSource({ types: '*', ping: 0 });
    source.addEventListener('state', (event) => {
      events.push(event as unknown as PageEvent);
    });
    return { events, lastEventIds, close: async () => source.close() };
  };

  const listenInPage = async (): Promise<Listener> => {
    const { eventSourceUrl } = await alice.client.session;
    const url = new URL(eventSourceUrl.replace('{types}', '*').replace('{closeafter}', 'no').replace('{ping}', '0'));
    url.searchParams.set('access_token', token);
    const lastEventIds: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.url() === url.href) void request.allHeaders().then((headers) => lastEventIds.push(headers['last-event-id']));
    });
    return { ...(await openEventsIn(page, url.href, 'state')), lastEventIds };
  };

  test('the library and a web page of another origin receive the missed change', async () => {
    const listeners = await Promise.all([listenByLibrary(), listenInPage()]);
    await eventually(async () =>
      expect(listeners.map(({ events, lastEventIds }) => [events.length, lastEventIds])).toEqual([
        [1, [undefined]],
        [1, [undefined]],
      ]),
    );
    const { subject, since } = await receiveMail(alice, 'Pushed by EventSource');
    await eventually(async () => expect(listeners.map(({ events }) => events.length)).toEqual([2, 2]));
    for (const {
      events: [first, second],
      lastEventIds,
    } of listeners) {
      expect(lastEventIds).toEqual([undefined, first!.lastEventId]);
      const { changed } = JSON.parse(second!.data) as StateChange;
      expect(changed).toEqual({
        [alice.accountId]: {
          Email: expect.any(String),
          EmailDelivery: expect.any(String),
          Mailbox: expect.any(String),
          Quota: expect.any(String),
          Thread: expect.any(String),
        },
      });
      expect(await alice.subjectsCreatedSince(changed[alice.accountId]!.Email!)).not.toContain(subject);
    }
    expect(await alice.subjectsCreatedSince(since)).toContain(subject);
    await Promise.all(listeners.map(({ close: stop }) => stop()));
  });
});

import { EventSource as EventSourceForNode } from 'eventsource';
import type { Page } from 'playwright-core';
import { eventSourceRetry, type StateChange } from '../../contract/jmap/push.ts';
import { JamClient } from '../support/jmap-jam.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { bearer, eventually } from './http-requests.ts';
import { core, mail, type Invocation } from './jmap-client.ts';
import { sendBySmtp, uniqueSubject } from './send-by-smtp.ts';
import { pushStateIn, announcesState, pushedState, type PushClient } from './websocket-push-client.ts';
import { accessTokenOf } from './access-tokens.ts';
import { openEventsIn, openSocketIn, openWebPage, type PageEvents, type PageEvent } from './web-page.ts';

/** What alice's mail client is made of: the library, as it is published, knows the session's URL and the token. */
const library = async () => {
  const client = new JamClient({ sessionUrl: `${deployed.jmapUrl}/.well-known/jmap`, bearerToken: await accessTokenOf('alice') });
  const accountId = await client.getPrimaryAccount();
  const emailState = async (): Promise<string> => (await client.api.Email.get({ accountId, ids: [] }))[0].state;
  return {
    client,
    accountId,
    emailState,
    /** Subjects of the newest messages, in one request: what is found is referred to. */
    async newest(): Promise<string[]> {
      const [{ emails }] = await client.requestMany((draft) => {
        const found = draft.Email.query({ accountId, sort: [{ property: 'receivedAt', isAscending: false }], limit: 5 });
        return { found, emails: draft.Email.get({ accountId, ids: found.$ref('/ids'), properties: ['subject'] }) };
      });
      return emails.list.map(({ subject }) => subject);
    },
    /** Subjects of what was added since a state. */
    async added(sinceState: string): Promise<string[]> {
      const [{ created }] = await client.api.Email.changes({ accountId, sinceState });
      const [{ list }] = await client.api.Email.get({ accountId, ids: created, properties: ['subject'] });
      return list.map(({ subject }) => subject);
    },
  };
};
type Library = Awaited<ReturnType<typeof library>>;

/** Sends alice a message by SMTP, and waits until it is there. @returns its subject, and the Email states before and after. */
const mailComes = async (alice: Library, words: string): Promise<{ subject: string; since: string; state: string }> => {
  const [since, subject] = [await alice.emailState(), uniqueSubject(words)];
  await sendBySmtp([sandboxUser('alice').email], { subject, text: 'Hello' });
  await eventually(15_000, async () => expect(await alice.added(since)).toContain(subject));
  return { subject, since, state: await alice.emailState() };
};

describeWith('people', 'smtp')('a published JMAP client library', () => {
  let alice: Library;
  beforeAll(async () => { alice = await library(); }, 20_000);

  test('reads the session, finds mail, and tells what was added since', async () => {
    const session = await alice.client.session;
    expect([session.username, session.apiUrl]).toEqual([sandboxUser('alice').email, expect.stringContaining(deployed.jmapUrl)]);
    const { subject, state } = await mailComes(alice, 'Found by a library');
    expect(await alice.newest()).toContain(subject);
    expect(await alice.added(state)).not.toContain(subject);
  }, 30_000);
});

describeWith('people', 'smtp')('a web page of another origin', () => {
  let alice: Library;
  let page: Page;
  let close: () => Promise<void>;
  let url: string;
  beforeAll(async () => {
    [alice, { page, close }] = await Promise.all([library(), openWebPage()]);
    url = `${deployed.webSocketUrl}?access_token=${await accessTokenOf('alice')}`;
  }, 60_000);
  afterAll(() => close?.());

  let asked = 0;
  /** Asks over the socket for the subjects of what was added since a state, in one request. */
  const added = async (socket: PushClient, sinceState: string): Promise<string[]> => {
    asked += 1;
    const id = `added-${asked}`;
    socket.send({ '@type': 'Request', id, using: [core, mail], methodCalls: [
      ['Email/changes', { accountId: alice.accountId, sinceState }, 'c'],
      ['Email/get', { accountId: alice.accountId, '#ids': { resultOf: 'c', name: 'Email/changes', path: '/created' }, properties: ['subject'] }, 'g'],
    ] });
    const response = await socket.receive((frame) => frame['requestId'] === id);
    expect(response).toMatchObject({ '@type': 'Response', methodResponses: [['Email/changes', {}, 'c'], ['Email/get', {}, 'g']] });
    const [, [, { list }]] = response['methodResponses'] as [Invocation, Invocation];
    return (list as { subject: string }[]).map(({ subject }) => subject);
  };

  test('is told of mail by its WebSocket, and reads it over the same', async () => {
    const socket = await openSocketIn(page, url);
    await socket.enable();
    const before = socket.frames.length;
    const { subject, since, state } = await mailComes(alice, 'Told to a page');
    const frame = await socket.receive(announcesState(alice.accountId, 'Email', state));
    expect(socket.frames.indexOf(frame)).toBeGreaterThanOrEqual(before);
    expect(pushedState(frame, alice.accountId, 'EmailDelivery')).toBeDefined();
    expect(await added(socket, since)).toContain(subject);
    socket.disconnect();
  }, 30_000);

  test('whose WebSocket was closed comes back with its pushState, and is told of the mail that came meanwhile, once', async () => {
    const first = await openSocketIn(page, url);
    await first.enable();
    const pushState = pushStateIn(first.frames);
    first.disconnect();
    await first.closed();
    const { subject, since, state } = await mailComes(alice, 'Missed by a page');
    const again = await openSocketIn(page, url);
    await again.enable({ pushState });
    expect(again.frames.filter(announcesState(alice.accountId, 'Email', state))).toHaveLength(1);
    expect(await added(again, since)).toContain(subject);
    const third = await openSocketIn(page, url);
    expect([await third.enable({ pushState: pushStateIn(again.frames) }), third.frames.length]).toEqual([expect.objectContaining({ changed: {} }), 1]);
    for (const socket of [again, third]) socket.disconnect();
  }, 30_000);

  test('reads the event source by a library that sends the token and the id of the last event as headers', async () => {
    const { eventSourceUrl } = await alice.client.session;
    const ask = async (lastEventId: string): Promise<string> => page.evaluate(
      async ([place, headers]) => (await fetch(place, { headers })).text(),
      [eventSourceUrl.replace('{types}', '*').replace('{closeafter}', 'state').replace('{ping}', '0'), { ...bearer(await accessTokenOf('alice')), 'last-event-id': lastEventId }] as const,
    );
    const first = await ask('none');
    expect(first).toContain('\nevent: state\n');
    expect(await ask(/^id: (.+)$/m.exec(first)![1]!)).not.toContain('event:');
  });
});

/** Waiting for a client to come back takes half a minute, and is shown once: the run that enforces IAM is for grants. */
const describeOnce = deployed.caCertificate === undefined ? describeWith('people', 'smtp')
  : (title: string, body: () => void): void => describe.skip(`${title} [skipped: needs the emulator not enforcing IAM, where it is shown]`, body);

describeOnce('who comes back by EventSource, as its standard has it', () => {
  let alice: Library;
  let token: string;
  let page: Page;
  let close: () => Promise<void>;
  beforeAll(async () => {
    token = await accessTokenOf('alice');
    [alice, { page, close }] = await Promise.all([library(), openWebPage()]);
  }, 60_000);
  afterAll(async () => {
    Reflect.deleteProperty(globalThis, 'EventSource');
    await close?.();
  });

  /** A client that listens, and which Last-Event-ID it asked with, each time that it did. */
  type Listening = PageEvents & { readonly asked: readonly (string | undefined)[] };

  /** The library makes an EventSource as browsers have it: in Node one that sends the token in a header. */
  const listenByLibrary = async (): Promise<Listening> => {
    const [events, asked]: [PageEvent[], (string | undefined)[]] = [[], []];
    globalThis.EventSource = class extends EventSourceForNode {
      constructor(place: string | URL) {
        super(place, { fetch: (input, init) => {
          asked.push(init.headers['Last-Event-ID']);
          return fetch(input, { ...init, headers: { ...init.headers, ...bearer(token) } });
        } });
      }
    } as unknown as typeof EventSource;
    const source = await alice.client.connectEventSource({ types: '*', ping: 0 });
    source.addEventListener('state', (event) => { events.push(event as unknown as PageEvent); });
    return { events, asked, close: async () => source.close() };
  };

  const listenInPage = async (): Promise<Listening> => {
    const { eventSourceUrl } = await alice.client.session;
    const url = new URL(eventSourceUrl.replace('{types}', '*').replace('{closeafter}', 'no').replace('{ping}', '0'));
    url.searchParams.set('access_token', token);
    const asked: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.url() === url.href) void request.allHeaders().then((headers) => asked.push(headers['last-event-id']));
    });
    return { ...await openEventsIn(page, url.href, 'state'), asked };
  };

  test('is told of the mail that came meanwhile: a published library, and a web page of another origin', async () => {
    const listening = await Promise.all([listenByLibrary(), listenInPage()]);
    await eventually(10_000, async () => expect(listening.map(({ events, asked }) => [events.length, asked])).toEqual([[1, [undefined]], [1, [undefined]]]));
    const { subject, since } = await mailComes(alice, 'Told by EventSource');
    await eventually((eventSourceRetry + 10) * 1000, async () => expect(listening.map(({ events }) => events.length)).toEqual([2, 2]));
    for (const { events: [first, second], asked } of listening) {
      expect(asked).toEqual([undefined, first!.lastEventId]);
      const { changed } = JSON.parse(second!.data) as StateChange;
      expect(changed).toEqual({ [alice.accountId]: { Email: expect.any(String), EmailDelivery: expect.any(String), Mailbox: expect.any(String), Thread: expect.any(String) } });
      expect(await alice.added(changed[alice.accountId]!.Email!)).not.toContain(subject);
    }
    expect(await alice.added(since)).toContain(subject);
    await Promise.all(listening.map(({ close: stop }) => stop()));
  }, (eventSourceRetry + 40) * 1000);
});

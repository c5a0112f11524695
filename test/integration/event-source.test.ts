import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { eventSourceRetry } from '../../contract/jmap/push.ts';
import { openChromium } from './chromium.ts';
import { deployed, describeWith } from './deployed.ts';
import { ask, bearer, type Answer } from './http.ts';
import { jmapClient, type JmapClient } from './jmap.ts';
import { adminMachine, tokenOf } from './tokens.ts';

const eventSourceUrl = (values: Record<string, string>): string => `${deployed.jmapUrl}/eventsource?${new URLSearchParams({ types: '*', closeafter: 'no', ping: '0', ...values }).toString()}`;
const change = async (client: JmapClient): Promise<string> =>
  (await client.call(['Mailbox/set', { create: { new: { name: `Event ${randomUUID().slice(0, 8)}` } } }]))[0]!['newState'] as string;

describe('the event source is opened to nobody', () => {
  test('without a token, or with garbage, and says where to get one', async () => {
    for (const answer of [await ask(eventSourceUrl({})), await ask(eventSourceUrl({ access_token: 'garbage' }))]) {
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('/.well-known/oauth-protected-resource')]);
    }
  });

  test('with a token of the other API', async () => {
    expect((await ask(eventSourceUrl({}), { headers: bearer(await adminMachine()) })).status).toBe(403);
  });
});

describeWith('people')('the event source', () => {
  let alice: JmapClient;
  let token: string;
  const idOf = ({ text }: Answer): string => /^id: (.+)$/m.exec(text)![1]!;
  beforeAll(async () => {
    token = await tokenOf('alice');
    alice = await jmapClient(token);
  }, 15_000);

  test('is where the session says, answers at once, and catches up by the id of the last event', async () => {
    const url = (alice.session as unknown as { eventSourceUrl: string }).eventSourceUrl.replace('{types}', '*').replace('{closeafter}', 'state').replace('{ping}', '0');
    const first = await ask(url, { headers: bearer(token) });
    expect([first.status, first.headers.get('content-type'), first.headers.get('cache-control')]).toEqual([200, expect.stringContaining('text/event-stream'), 'no-store']);
    expect(first.text).toBe(`retry: ${eventSourceRetry * 1000}\nid: ${idOf(first)}\n\n`);
    const state = await change(alice);
    const second = await ask(url, { headers: { ...bearer(token), 'last-event-id': idOf(first) } });
    expect(second.text).toContain('\nevent: state\n');
    expect(JSON.parse(/^data: (.+)$/m.exec(second.text)![1]!)).toEqual({ '@type': 'StateChange', changed: { [alice.accountId]: { Mailbox: state } } });
    expect((await ask(eventSourceUrl({ ping: '60' }), { headers: { ...bearer(token), 'last-event-id': idOf(second) } })).text).toContain(`event: ping\ndata: {"interval":${eventSourceRetry}}\n`);
  }, 15_000);

  test('refuses what it can not be asked for', async () => {
    for (const wrong of [{ types: '' }, { closeafter: 'never' }, { ping: 'often' }] as Record<string, string>[]) {
      const answer = await ask(eventSourceUrl(wrong), { headers: bearer(token) });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/problem+json']);
    }
  });
});

/** The library as it is published, which a page may import. */
const library = readFileSync(require.resolve('jmap-jam'), 'utf8');

/** What the page's own script does: `told` ends with the first change that comes after `document.title` says that it listens. */
const pageScript = `
import JamClient from '/jmap-jam.js';

window.webSocketTold = (url, token) => new Promise((done, fail) => {
  const socket = new WebSocket(url + '?access_token=' + token, 'jmap');
  socket.addEventListener('error', () => fail(new Error('the socket failed')));
  socket.addEventListener('open', () => socket.send(JSON.stringify({ '@type': 'WebSocketPushEnable', dataTypes: ['Mailbox'] })));
  socket.addEventListener('message', ({ data }) => {
    if (document.title === 'listening') done(data);
    else if (Object.keys(JSON.parse(data).changed).length === 0) document.title = 'listening';
  });
});

window.eventSourceTold = async (sessionUrl, token) => {
  // A browser's EventSource sends no headers, and the library gives it no token.
  const Plain = window.EventSource;
  window.EventSource = class extends Plain { constructor(url) { super(url + '&access_token=' + token); } };
  const events = await new JamClient({ sessionUrl, bearerToken: token }).connectEventSource({ types: ['Mailbox'], ping: 0 });
  return new Promise((done) => {
    events.addEventListener('open', () => { document.title = 'connected'; });
    events.addEventListener('state', ({ data }) => { events.close(); done(data); });
  });
};

document.title = 'ready';
`;

describeWith('people')('a web page of another origin', () => {
  let browser: Browser;
  let page: Page;
  let server: Server;
  let alice: JmapClient;
  let token: string;
  beforeAll(async () => {
    token = await tokenOf('alice');
    alice = await jmapClient(token);
    server = createServer((request, response) => {
      const script = { '/jmap-jam.js': library, '/page.js': pageScript }[request.url ?? ''];
      response.writeHead(200, { 'content-type': script === undefined ? 'text/html' : 'text/javascript' })
        .end(script ?? '<!doctype html><title>Web mail</title><script type="module" src="/page.js"></script>');
    });
    await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
    browser = await openChromium();
    page = await browser.newPage();
    await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await new Promise((resolve) => { server.closeAllConnections(); server.close(resolve); });
  });

  const titled = (title: string) => page.waitForFunction(`document.title === '${title}'`);
  const told = (by: 'webSocketTold' | 'eventSourceTold', url: string): Promise<string> => page.evaluate(`${by}(${JSON.stringify(url)}, ${JSON.stringify(token)})`);

  test('is told by its WebSocket', async () => {
    await titled('ready');
    const frame = told('webSocketTold', deployed.webSocketUrl);
    await titled('listening');
    const state = await change(alice);
    expect(JSON.parse(await frame)).toMatchObject({ '@type': 'StateChange', changed: { [alice.accountId]: { Mailbox: state } } });
  }, 30_000);

  test('is told by its EventSource, which reconnects by itself, through a published JMAP client library', async () => {
    const event = told('eventSourceTold', `${deployed.jmapUrl}/.well-known/jmap`);
    await titled('connected');
    const state = await change(alice);
    expect(JSON.parse(await event)).toEqual({ '@type': 'StateChange', changed: { [alice.accountId]: { Mailbox: state } } });
  }, (eventSourceRetry + 30) * 1000);
});

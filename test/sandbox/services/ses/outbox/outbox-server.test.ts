import { request } from 'node:http';
import type { RunningServer } from '../../../../../sandbox/process/loopback-server.ts';
import { startOutboxServer } from '../../../../../sandbox/services/ses/outbox/outbox-server.ts';
import { openOutbox } from '../../../../../sandbox/services/ses/outbox/outbox.ts';
import { perTest } from '../../../../support/per-test.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';
import { freePort } from '../../../../support/test-emulator.ts';

const directory = temporaryDirectory();
let url: string;
let server: RunningServer;
const outbox = perTest(() => openOutbox(directory()));
beforeEach(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  server = await startOutboxServer(port, { outbox, confirmAddress: async () => undefined });
});
afterEach(() => server.stop());

const hostile = '"><script>alert(1)</script><img src=https://elsewhere.test/pixel>';
const message = [
  `From: "${hostile.replaceAll('"', '')}" <a@example.test>`,
  'To: b@elsewhere.test',
  `Subject: ${hostile}`,
  'MIME-Version: 1.0',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<style>p{}</style><p>Hello <b>you</b></p><script>alert(2)</script><img src="https://elsewhere.test/pixel"><a href="https://example.test/verify?a=1&amp;b=2">Verify</a> &lt;tag&gt;',
  '',
].join('\r\n');

const add = (id: string, at: string, subject = hostile) =>
  outbox.add({ id, at, from: hostile, recipients: ['b@elsewhere.test'], subject }, Buffer.from(message));

const page = async (path: string): Promise<string> => (await fetch(`${url}${path}`)).text();

describe('the pages of the outbox', () => {
  test('escape hostile text in the list, the message and its source', async () => {
    await add('m1', '2026-11-21T08:00:00.000Z');
    for (const path of ['/', '/messages/m1', '/messages/m1/source']) {
      const html = await page(path);
      expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
      expect(html).not.toMatch(/<script|<img|<a href="http/i);
    }
  });

  test('allow no scripts and no external resources', async () => {
    const { headers } = await fetch(`${url}/`);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(await page('/')).not.toMatch(/src=|@import|url\(|https?:\/\//);
  });

  test('show HTML mail as text with its links', async () => {
    await add('m1', '2026-11-21T08:00:00.000Z');
    expect(await page('/messages/m1')).toContain('Verify (https://example.test/verify?a=1&amp;b=2)');
    expect(await page('/messages/m1')).not.toContain('alert(2)');
  });

  test('list the newest first, and report an empty outbox', async () => {
    expect(await page('/')).toContain('It is empty.');
    await add('m1', '2026-11-21T08:00:00.000Z', 'older');
    await add('m2', '2026-11-21T09:00:00.000Z', 'newer');
    expect(await page('/')).toMatch(/newer.*older/s);
  });

  test('are accessible: language, title, headings and header cells', async () => {
    await add('m1', '2026-11-21T08:00:00.000Z', 'Greetings');
    const html = await page('/');
    expect(html).toMatch(/<html lang="en">.*<title>Outbox<\/title>.*<main>\s*<h1>Outbox<\/h1>.*<th scope="col">Subject<\/th>/s);
    expect(await page('/messages/m1')).toMatch(/<title>Greetings<\/title>.*<nav aria-label="Outbox">.*<h1>Greetings<\/h1>/s);
  });

  test('answer 404 for an unknown message', async () => {
    for (const path of ['/nothing', '/messages/none', '/messages/none.eml', '/messages/..%2f..%2fetc']) expect((await fetch(`${url}${path}`)).status).toBe(404);
  });
});

describe('the outbox for programs', () => {
  test('returns the list, a message and its octets', async () => {
    await add('m1', '2026-11-21T08:00:00.000Z');
    expect(await (await fetch(`${url}/messages.json`)).json()).toEqual({
      messages: [{ id: 'm1', at: '2026-11-21T08:00:00.000Z', from: hostile, recipients: ['b@elsewhere.test'], subject: hostile }],
    });
    expect(await (await fetch(`${url}/messages/m1.json`)).json()).toMatchObject({
      id: 'm1',
      to: ['b@elsewhere.test'],
      html: expect.stringContaining('<b>you</b>'),
      attachments: [],
    });
    const eml = await fetch(`${url}/messages/m1.eml`);
    expect([eml.headers.get('content-type'), await eml.text()]).toEqual(['message/rfc822', message]);
  });

  test('can be emptied', async () => {
    await add('m1', '2026-11-21T08:00:00.000Z');
    expect((await fetch(`${url}/messages`, { method: 'DELETE' })).status).toBe(204);
    expect(await (await fetch(`${url}/messages.json`)).json()).toEqual({ messages: [] });
    expect((await openOutbox(directory())).list()).toEqual([]);
  });
});

describe('the outbox and other sites', () => {
  test('refuses a form of another site', async () => {
    await add('m1', '2026-11-21T08:00:00.000Z');
    expect((await fetch(`${url}/clear`, { method: 'POST', headers: { origin: 'https://elsewhere.test' } })).status).toBe(403);
    expect(outbox.list()).toHaveLength(1);
    expect((await fetch(`${url}/clear`, { method: 'POST', headers: { origin: url }, redirect: 'manual' })).status).toBe(303);
    expect(outbox.list()).toHaveLength(0);
  });

  test('refuses another host name', async () => {
    const status = await new Promise((resolve) => {
      request(`${url}/messages.json`, { headers: { host: 'elsewhere.test' } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });
    expect(status).toBe(403);
  });
});

test('the outbox keeps its messages and their order over a restart', async () => {
  await add('m2', '2026-11-21T09:00:00.000Z');
  await add('m1', '2026-11-21T08:00:00.000Z');
  const again = await openOutbox(directory());
  expect(again.list().map(({ id }) => id)).toEqual(['m2', 'm1']);
  expect((await again.raw('m1')).toString()).toBe(message);
});

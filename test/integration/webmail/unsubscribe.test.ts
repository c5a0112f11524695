import type { Page, Request } from 'playwright-core';
import { accessTokenOf } from '../access-tokens.ts';
import { openChromium } from '../chromium.ts';
import { violations } from '../console/console-browser.ts';
import { describeWith, sandboxUser } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { jmapClient, mailboxIdOf, type JmapClient } from '../jmap-client.ts';
import { uniqueSubject } from '../send-by-smtp.ts';
import { conversation, row, webmailBrowser, webmailUrl } from './webmail-browser.ts';

const host = 'lists.example.com';
const url = `https://${host}/u?person=1`;
const signed = [
  'Authentication-Results: amazonses.com; dkim=pass header.i=@example.com; dmarc=pass header.from=example.com',
  'DKIM-Signature: v=1; a=rsa-sha256; d=example.com; s=k; h=From:List-Unsubscribe:List-Unsubscribe-Post; bh=x; b=y',
  'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
];

describeWith('webmail', 'users')('unsubscribing in the web mail', () => {
  const browser = webmailBrowser();
  const mark = uniqueSubject('');
  const bob = sandboxUser('bob').email;
  const alice = sandboxUser('alice').email;
  const mails: Readonly<Record<string, readonly string[]>> = {
    request: [...signed, `List-Unsubscribe: <mailto:${bob}>, <${url}>`],
    message: [`List-Unsubscribe: <mailto:${bob}?subject=leave%20${encodeURIComponent(mark)}&body=Please>`],
    page: [`List-Unsubscribe: <${url}>`],
    nothing: ['List-Unsubscribe: <javascript:alert(1)>, <https://127.0.0.1/>, <http://lists.example.com/>'],
  };
  const subjectOf = (name: string): string => `${name}${mark}`;
  let client: JmapClient;
  let mailboxId: string;
  let ids: readonly string[];

  beforeAll(async () => {
    client = await jmapClient(await accessTokenOf('alice'));
    const [made] = await client.call(['Mailbox/set', { create: { m: { name: `Lists ${mark}` } } }]);
    mailboxId = (made!['created'] as Record<string, { id: string }>)['m']!.id;
    const emails: Record<string, object> = {};
    for (const [name, fields] of Object.entries(mails)) {
      const header = [`From: News <news@example.com>`, `To: ${alice}`, `Message-ID: <${name}-${mark.trim()}@x>`, `Subject: ${subjectOf(name)}`, ...fields];
      const { json } = await client.upload(`${header.join('\r\n')}\r\n\r\nHello\r\n`, 'message/rfc822');
      emails[name] = { blobId: (json as { blobId: string }).blobId, mailboxIds: { [mailboxId]: true }, keywords: { $seen: true } };
    }
    const [imported] = await client.call(['Email/import', { emails }]);
    expect(imported!['notCreated'] ?? {}).toEqual({});
    ids = Object.values(imported!['created'] as Record<string, { id: string }>).map(({ id }) => id);
  });
  afterAll(async () => {
    await client.call(['Email/set', { destroy: ids }], ['Mailbox/set', { destroy: [mailboxId] }]);
  });

  const open = async (page: Page, name: string): Promise<void> => {
    await row(page, subjectOf(name)).click();
    await conversation(page, subjectOf(name));
    await page.locator('.plain-text').getByText('Hello').waitFor();
  };
  const unsubscribe = (page: Page) => page.getByRole('button', { name: 'Unsubscribe' });
  const openMailbox = async (): Promise<Page> => {
    const page = await browser.signedInPage('alice');
    await page.goto(`${webmailUrl}/mailbox/${mailboxId}`);
    return page;
  };

  test('by one request, which is sent when the person agrees, and says nothing of the person', async () => {
    const page = await openMailbox();
    const requests: Request[] = [];
    // A first try fails.
    await page.context().route(`https://${host}/**`, async (route) => {
      requests.push(route.request());
      await (requests.length === 1 ? route.abort() : route.fulfill({ status: 204, body: '' }));
    });
    await page.context().addCookies([{ name: 'session', value: 'x', url: `https://${host}`, sameSite: 'None', secure: true }]);
    await open(page, 'request');
    await unsubscribe(page).click();
    const dialog = page.getByRole('dialog', { name: 'Unsubscribe' });
    await dialog.getByText(host).waitFor();
    await expect(violations(page)).resolves.toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(requests).toEqual([]);
    browser.allow(host);
    for (const said of ['failed', 'was sent']) {
      await unsubscribe(page).click();
      await dialog.getByRole('button', { name: 'Unsubscribe' }).click();
      await page.getByRole('status').filter({ hasText: said }).filter({ hasText: host }).waitFor();
      await expect(page.locator('iframe[src="/unsubscribe.html"]').count()).resolves.toBe(0);
    }
    await expect(violations(page)).resolves.toEqual([]);
    await unsubscribe(page).waitFor({ state: 'detached' });
    const headers = await requests[1]!.allHeaders();
    expect([requests.length, requests[1]!.method(), requests[1]!.url(), requests[1]!.postData()]).toEqual([2, 'POST', url, 'List-Unsubscribe=One-Click']);
    expect(headers).toMatchObject({ origin: 'null', 'content-type': 'application/x-www-form-urlencoded' });
    expect(Object.keys(headers).filter((name) => /cookie|referer|authorization/.test(name))).toEqual([]);
    await page.context().close();
  });

  test('by a message, which the person sees before', async () => {
    const page = await openMailbox();
    await open(page, 'message');
    await unsubscribe(page).click();
    const dialog = page.getByRole('dialog', { name: 'Unsubscribe' });
    for (const text of [bob, alice, `leave ${mark}`, 'Please']) await dialog.getByText(text).waitFor();
    await expect(violations(page)).resolves.toEqual([]);
    await dialog.getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByRole('status').filter({ hasText: 'was sent' }).waitFor();
    const bobs = await jmapClient(await accessTokenOf('bob'));
    for (const [person, role] of [
      [client, 'sent'],
      [bobs, 'inbox'],
    ] as const) {
      const filter = { inMailbox: await mailboxIdOf(person, role), subject: mark.trim() };
      await eventually(async () => expect((await person.call(['Email/query', { filter }]))[0]!['ids']).toHaveLength(1));
    }
    await page.context().close();
  });

  test('by a page, which the person opens, and not where no safe way is named', async () => {
    const page = await openMailbox();
    await open(page, 'page');
    const link = page.getByRole('link', { name: `Unsubscribe at ${host}` });
    expect([await link.getAttribute('href'), await link.getAttribute('rel'), await unsubscribe(page).count()]).toEqual([url, 'noopener noreferrer', 0]);
    await open(page, 'nothing');
    expect([await link.count(), await unsubscribe(page).count()]).toEqual([0, 0]);
    await page.context().close();
  });

  test('by the page where the server of the web mail drops the policy of its documents', async () => {
    const page = await openMailbox();
    await page.route('**/unsubscribe.html', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
    await open(page, 'page');
    await page.getByRole('link', { name: `Unsubscribe at ${host}` }).waitFor();
    await open(page, 'request');
    await unsubscribe(page).click();
    await page.getByRole('dialog', { name: 'Unsubscribe' }).getByText(bob).waitFor();
    await page.context().close();
  });

  test('by a request that leads to no other host', async () => {
    // The browser of the other tests takes a refusal for a fault.
    const chromium = await openChromium();
    try {
      const page = await chromium.newPage();
      await page.context().route(url, (route) => route.fulfill({ status: 307, headers: { location: 'https://router.example.com/' } }));
      const refused = page.waitForEvent('requestfailed');
      await page.goto(webmailUrl);
      const isAnswered = await page.evaluate<boolean>(`new Promise((resolve) => {
        const frame = document.createElement('iframe');
        const { port1, port2 } = new MessageChannel();
        frame.src = '/unsubscribe.html';
        port1.onmessage = ({ data }) => resolve(data);
        frame.onload = () => frame.contentWindow.postMessage(${JSON.stringify(url)}, '*', [port2]);
        document.body.append(frame);
      })`);
      expect([isAnswered, (await refused).failure()?.errorText]).toEqual([false, 'csp']);
    } finally {
      await chromium.close();
    }
  });
});

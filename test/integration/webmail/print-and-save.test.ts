import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { Frame, Page } from 'playwright-core';
import { fromBufferPromise } from 'yauzl';
import { accessTokenOf } from '../access-tokens.ts';
import { describeWith, sandboxUser } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { jmapClient, mailboxIdOf, type JmapClient } from '../jmap-client.ts';
import { uniqueSubject } from '../send-by-smtp.ts';
import { conversation, row, webmailBrowser } from './webmail-browser.ts';

const image = 'images.example';
const pixel = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

const lines = Array.from({ length: 300 }, (_, index) => `<p><a href="https://example.com/line/${index}">line ${index}</a></p>`).join('');

/** HTML that wants to run, to load, to leave, to be cut at one page, and to stand above the heads of other messages. */
const hostile = `<style>
  html, body { height: 100%; overflow: hidden !important } header { display: none !important }
  :host { position: fixed !important; top: -2000px !important }
  .over { position: fixed; top: -500px; left: 0; width: 600px; height: 500px; background: red }
  p { background-image: url(https://tracker.example/css.png) }
</style><meta http-equiv="refresh" content="0;url=https://tracker.example/"><script>window.pwned = 1; parent.pwned = 1</script>
<img src="x" onerror="window.pwned = 1"><img src="https://tracker.example/b.png"><div class="over">Not from Mallory</div>${lines}`;

const part = (type: string, content: string, more: readonly string[] = []): readonly string[] => [
  '--b',
  `Content-Type: ${type}; charset=utf-8`,
  'Content-Transfer-Encoding: base64',
  ...more,
  '',
  ...(Buffer.from(content)
    .toString('base64')
    .match(/.{1,76}/g) ?? []),
];

const messageOf = (subject: string, date: string, headers: readonly string[], html: string): string =>
  [
    'From: Mallory <mallory@elsewhere.test>',
    `To: <${sandboxUser('bob').email}>`,
    'Cc: Carol <carol@elsewhere.test>',
    `Subject: ${subject}`,
    `Date: ${date}`,
    ...headers,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    ...part('text/html', html),
    ...part('application/octet-stream', 'x'.repeat(2000), ['Content-Disposition: attachment; filename="plan <b>.bin"']),
    '--b--',
    '',
  ].join('\r\n');

/** Counts the calls of `print` of any frame, which still go to the browser. */
const countPrints = `globalThis.prints = 0;
const { get } = Object.getOwnPropertyDescriptor(HTMLIFrameElement.prototype, 'contentDocument');
Object.defineProperty(HTMLIFrameElement.prototype, 'contentDocument', { get() {
  const view = get.call(this)?.defaultView;
  if (view && !view.isCounted) {
    const print = view.print.bind(view);
    view.isCounted = true;
    view.print = () => { globalThis.prints += 1; print(); };
  }
  return get.call(this);
} });`;

/** The HTML of the printed document, with its shadow trees. */
const printedHtml = `(() => {
  const { documentElement } = document;
  const copy = documentElement.cloneNode(true);
  const hosts = [...document.querySelectorAll('.html > div')];
  [...copy.querySelectorAll('.html > div')].forEach((host, index) => {
    const template = document.createElement('template');
    template.setAttribute('shadowrootmode', 'open');
    template.innerHTML = hosts[index].shadowRoot.innerHTML;
    template.content.querySelectorAll('img').forEach((each) => each.remove());
    host.append(template);
  });
  // On paper its images are there already; here they would be loaded once more.
  copy.querySelectorAll('meta').forEach((each) => each.remove());
  return '<!doctype html>' + copy.outerHTML;
})()`;

/** The text of the document, also in its shadow trees, as a person reads it. */
const printedText = `document.body.innerText + [...document.querySelectorAll('.html > div')].map(({ shadowRoot }) => shadowRoot.querySelector('body').innerText).join('')`;

const printFrame = async (page: Page, count: number): Promise<Frame> => {
  await eventually(async () => expect(await page.evaluate('globalThis.prints')).toBe(count));
  return (await (await page.locator('iframe.print-frame').elementHandle()).contentFrame())!;
};

describeWith('webmail', 'users')('printing and saving in the web mail', () => {
  const browser = webmailBrowser();
  const subject = uniqueSubject('Plans <b>for</b> 1/2');
  const messages = [
    messageOf(
      subject,
      'Thu, 01 Jan 2026 08:00:00 +0200',
      ['Message-ID: <1.print@elsewhere.test>'],
      `<img src="https://${image}/a.png" loading="lazy"><details><summary>more</summary>folded</details>`,
    ),
    messageOf(
      `Re: ${subject}`,
      'Thu, 01 Jan 2026 09:00:00 +0000',
      ['Message-ID: <2.print@elsewhere.test>', 'In-Reply-To: <1.print@elsewhere.test>', 'References: <1.print@elsewhere.test>'],
      hostile,
    ),
  ];
  let client: JmapClient;
  let ids: readonly string[] = [];

  beforeAll(async () => {
    client = await jmapClient(await accessTokenOf('bob'));
    const mailboxIds = { [await mailboxIdOf(client, 'archive')]: true };
    const emails: Record<string, object> = {};
    for (const [index, message] of messages.entries()) {
      const { blobId } = (await client.upload(message, 'message/rfc822')).json as { blobId: string };
      emails[`m${index}`] = { blobId, mailboxIds, receivedAt: `2026-01-01T0${index + 6}:00:00Z` };
    }
    const [imported] = await client.call(['Email/import', { emails }]);
    ids = Object.values(imported!['created'] as Record<string, { id: string }>).map(({ id }) => id);
  });
  afterAll(async () => void (await client.call(['Email/set', { destroy: ids }])));

  const openedPage = async (): Promise<Page> => {
    const page = await browser.signedInPage('bob', { colorScheme: 'dark', timezoneId: 'Europe/Berlin' });
    await page.addInitScript({ content: countPrints });
    await page.reload();
    await page.getByRole('link', { name: /^Archive/ }).click();
    await row(page, subject).first().click();
    await conversation(page, subject);
    return page;
  };
  const choose = async (page: Page, name: string): Promise<void> => {
    await page.getByRole('button', { name: 'Print or save' }).click();
    await page.getByRole('menuitem', { name }).click();
  };

  test('a conversation is printed whole, with the images that were let, and nothing of it runs, loads or covers another message', async () => {
    const page = await openedPage();
    const console: string[] = [];
    page.on('console', (message) => console.push(message.text()));
    const requested: string[] = [];
    await page.route(`https://${image}/**`, async (route) => {
      requested.push(route.request().url());
      await route.fulfill({ contentType: 'image/png', body: pixel });
    });
    await choose(page, 'Print conversation');
    await printFrame(page, 1);
    expect(requested).toEqual([]);

    browser.allow(image);
    await page.locator('article').first().getByRole('button', { name: 'Show images' }).click();
    await eventually(async () => expect(requested.length).toBeGreaterThan(0));
    await choose(page, 'Print conversation');
    const frame = await printFrame(page, 2);
    const text = await frame.evaluate<string>(printedText);
    for (const part of [
      subject,
      'Mallory <mallory@elsewhere.test>',
      sandboxUser('bob').email,
      'Carol <carol@elsewhere.test>',
      'folded',
      'line 299',
      'plan _b_.bin',
      '(2 kB)',
    ])
      expect(text).toContain(part);
    expect(text).toMatch(/Thursday.? 1 January 2026 at 07:00:00 CET/);
    expect(text).not.toMatch(/Reply|Show images|Details/);
    const images = await frame.evaluate<unknown[]>(
      `[...document.querySelectorAll('.html > div')].map(({ shadowRoot }) => [...shadowRoot.querySelectorAll('img')].map((each) => each.src && each.naturalWidth))`,
    );
    expect(images).toEqual([[1], ['', '']]);
    expect(await frame.evaluate('getComputedStyle(document.documentElement).backgroundColor')).toBe('rgb(255, 255, 255)');
    expect([await frame.evaluate('window.pwned'), await page.evaluate('window.pwned')]).toEqual([undefined, undefined]);
    // The heads of both messages are on top, whatever the second one places above its own beginning.
    const onTop = `[...document.querySelectorAll('header dd')].every((each) => {
      const { left, top } = each.getBoundingClientRect();
      return top > innerHeight || each.contains(document.elementFromPoint(left + 2, top + 2));
    })`;
    expect(await frame.evaluate(onTop)).toBe(true);
    // No message that comes after those with images could load any, also by what the sanitizer would not know.
    expect(await frame.evaluate(`document.querySelector('meta[http-equiv]').content`)).toBe('img-src data: blob:');

    expect(console.filter((each) => /modal|print/i.test(each))).toEqual([]);
    const paper = await page.context().newPage();
    await paper.setContent(await frame.evaluate<string>(printedHtml));
    const pdf = (await paper.pdf({ format: 'A4' })).toString('latin1');
    expect(pdf.match(/\/Type \/Page\b/g)!.length).toBeGreaterThan(5);
    expect(Array.from({ length: 300 }, (_, index) => index).filter((index) => !pdf.includes(`(https://example.com/line/${index})`))).toEqual([]);
    await page.context().close();
  });

  test('one message is printed from its details', async () => {
    const page = await openedPage();
    const article = page.locator('article').last();
    await article.getByRole('button', { name: 'Details' }).click();
    await article.getByRole('button', { name: 'Print' }).click();
    const frame = await printFrame(page, 1);
    expect(await frame.locator('article').count()).toBe(1);
    await page.context().close();
  });

  test('a conversation is saved as a zip with the octets of its messages', async () => {
    const page = await openedPage();
    const saved = page.waitForEvent('download');
    await choose(page, 'Save as .eml');
    const download = await saved;
    expect(download.suggestedFilename()).toBe(`${subject.replaceAll(/[<>/]/g, '_')}.zip`);
    const zip = await fromBufferPromise(await readFile(await download.path()));
    const files: Record<string, string> = {};
    for await (const entry of zip.eachEntry()) files[entry.fileName] = (await buffer(await zip.openReadStreamPromise(entry))).toString();
    const name = subject.replaceAll(/[<>/]/g, '_');
    expect(files).toEqual({ [`1 ${name}.eml`]: messages[0], [`2 Re_ ${name}.eml`]: messages[1] });
    await page.getByRole('status').filter({ hasText: '2 messages saved' }).waitFor();
    await page.context().close();
  });
});

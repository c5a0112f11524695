import { accessTokenOf } from '../access-tokens.ts';
import { describeWith, sandboxUser } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { jmapClient, mailboxIdOf, type JmapClient } from '../jmap-client.ts';
import { uniqueSubject } from '../send-by-smtp.ts';
import { hostileHtml, isAboveLimits, remainsIn } from './hostile-html.ts';
import { conversation, expectNoLongTask, messageFrame, row, webmailBrowser } from './webmail-browser.ts';

const messageOf = (subject: string, html: string, more: readonly string[] = []): string =>
  [
    `From: Mallory <mallory@elsewhere.test>`,
    `To: <${sandboxUser('bob').email}>`,
    `Subject: ${subject}`,
    ...more,
    'MIME-Version: 1.0',
    'Content-Type: text/html; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    ...(Buffer.from(`<p>walrus</p>${html}`)
      .toString('base64')
      .match(/.{1,76}/g) ?? []),
    '',
  ].join('\r\n');

/** Puts messages into a mailbox of bob's, newest first in the order of the list. */
const importMessages = async (client: JmapClient, messages: readonly string[]): Promise<readonly string[]> => {
  const mailboxIds = { [await mailboxIdOf(client, 'archive')]: true };
  // One after the other: more uploads at the same time than the server permits are refused.
  const blobIds: string[] = [];
  for (const message of messages) blobIds.push(((await client.upload(message, 'message/rfc822')).json as { blobId: string }).blobId);
  const emails = Object.fromEntries(
    blobIds.map((blobId, index) => [`m${index}`, { blobId, mailboxIds, receivedAt: new Date(Date.UTC(2026, 0, 1) - index * 1000).toISOString() }]),
  );
  const [imported] = await client.call(['Email/import', { emails }]);
  expect(imported!['notCreated'] ?? {}).toEqual({});
  return Object.values(imported!['created'] as Record<string, { id: string }>).map(({ id }) => id);
};

describeWith('webmail', 'users')('hostile mail in the web mail', () => {
  const browser = webmailBrowser();
  let client: JmapClient;
  let ids: readonly string[] = [];
  beforeAll(async () => {
    client = await jmapClient(await accessTokenOf('bob'));
  });
  afterEach(async () => {
    await client.call(['Email/set', { destroy: ids }]);
  });

  test('runs nothing, loads nothing, leaves nothing dangerous in its document, and does not hold the page', async () => {
    const names = Object.keys(hostileHtml);
    const mark = uniqueSubject('');
    ids = await importMessages(
      client,
      names.map((name) => messageOf(`${name} ${mark}`, hostileHtml[name]!)),
    );
    const page = await browser.signedInPage('bob');
    await page.getByRole('link', { name: /^Archive/ }).click();
    await row(page, `${names[0]!} ${mark}`).click();
    for (const [index, name] of names.entries()) {
      if (index > 0) await page.keyboard.press('j');
      await conversation(page, `${name} ${mark}`);
      if (!isAboveLimits(name)) {
        await messageFrame(page).getByText('walrus').waitFor();
        const frame = page.frames().findLast((each) => each.url().includes('/message'))!;
        expect({ name, remains: await frame.evaluate(`(${remainsIn})(document)`) }).toEqual({ name, remains: [] });
        expect({ name, pwned: await frame.evaluate('window.pwned') }).toEqual({ name, pwned: undefined });
      } else {
        await page.getByText('too large or too deeply nested').waitFor();
        await page.getByText('walrus').first().waitFor();
      }
      expect({ name, pwned: await page.evaluate('window.pwned') }).toEqual({ name, pwned: undefined });
    }
    await expectNoLongTask(page);
    expect(page.context().pages()).toHaveLength(1);
    await page.context().close();
  });

  test('tells where a link leads when its text names another host, and shows images of other servers on demand alone', async () => {
    const subject = uniqueSubject('Images');
    const image = 'images.example';
    ids = await importMessages(client, [
      messageOf(
        subject,
        `<style>html,body{height:100%}body{min-height:100vh}a::after{content:none!important;display:none!important}</style><a href="https://phish.example/login">https://bank.example/login</a> <a href="https://bank.example/a">bank.example</a><img src="https://${image}/a.png" alt="logo"><table cellpadding="6" width="300" class="a"><tr><td align="right" bgcolor="#eeeeee">1</table>`,
      ),
    ]);
    const page = await browser.signedInPage('bob');
    let requested = 0;
    await page.route(`https://${image}/**`, async (route) => {
      requested += 1;
      await route.fulfill({
        contentType: 'image/png',
        body: Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64'),
      });
    });
    await page.getByRole('link', { name: /^Archive/ }).click();
    await row(page, subject).click();
    const links = messageFrame(page).getByRole('link');
    await links.first().waitFor();
    expect(await Promise.all([0, 1].map((index) => links.nth(index).getAttribute('data-leads-to')))).toEqual(['phish.example', null]);
    // The style of the mail can't hide it.
    const frame = page.frames().findLast((each) => each.url().includes('/message'))!;
    const mark = await frame.evaluate<string>('(({ content, display }) => content + display)(getComputedStyle(document.querySelector("a"), "::after"))');
    expect(mark).toContain('phish.example');
    expect(mark).not.toContain('none');
    // A newsletter keeps the attributes of its layout.
    const table = messageFrame(page).locator('table.a[cellpadding="6"][width="300"] td[align="right"][bgcolor="#eeeeee"]');
    expect(await table.count()).toBe(1);
    await page.getByRole('button', { name: 'Show images' }).waitFor();
    expect(requested).toBe(0);
    browser.allow(image);
    await page.getByRole('button', { name: 'Show images' }).click();
    await eventually(async () => expect(requested).toBe(1));
    // A mail that is as high as its frame does not make it grow.
    const heights: number[] = [];
    for (let look = 0; look < 3; look += 1) {
      await page.waitForTimeout(700);
      heights.push(await page.evaluate<number>('document.querySelector("iframe.message-frame").clientHeight'));
    }
    expect(heights).toEqual(heights.map(() => heights[0]));
    expect(heights[0]).toBeLessThan(1000);
    await page.context().close();
  });
});

import { accessTokenOf } from '../access-tokens.ts';
import { contrast, overhang, violations } from '../console/console-browser.ts';
import { deployed, describeWith, sandboxUser } from '../deployment.ts';
import { sendMail, uniqueSubject } from '../send-by-smtp.ts';
import { messageFrame, row, webmailBrowser, webmailUrl } from './webmail-browser.ts';

describeWith(
  'webmail',
  'users',
  'smtp',
)('reading in the web mail', () => {
  const browser = webmailBrowser();
  const subject = uniqueSubject('Plans');
  const messageId = `<${subject.replaceAll(' ', '-')}@elsewhere.test>`;
  const to = [sandboxUser('bob').email];

  beforeAll(async () => {
    await sendMail(to, {
      subject,
      messageId,
      text: 'Hello Bob,\n\nsee https://example.com/plan.\n',
      html: '<style>body{background:white;color:black}</style><p dir="auto">Hello Bob, <b>see</b> <a href="https://example.com/plan">the plan</a>. שלום</p><img src="cid:logo@x" alt="logo">',
      attachments: [
        {
          filename: 'logo.png',
          cid: 'logo@x',
          content: Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64'),
        },
        { filename: 'notes.txt', content: 'remember the milk' },
        {
          filename: 'plan.pdf',
          content: '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>',
        },
      ],
    });
    await sendMail(to, {
      subject: `Re: ${subject}`,
      inReplyTo: messageId,
      references: messageId,
      text: 'One more thing.\n\n> Hello Bob,\n> \n> see the plan\n> and\n> so\n> on\n',
    });
  });

  test('by the keyboard: a conversation with its HTML, its inline image, its attachment and its folded quote', async () => {
    const page = await browser.signedInPage('bob');
    // The browser of tests has no viewer for PDF, so that its frame remains empty.
    await page.addInitScript({ content: `Object.defineProperty(navigator, 'pdfViewerEnabled', { value: true })` });
    await page.reload();
    await row(page, subject).first().waitFor();
    expect(await page.getByRole('grid', { name: 'Messages' }).getAttribute('aria-rowcount')).toMatch(/^\d+$/);
    await expect(violations(page)).resolves.toEqual([]);
    const cell = row(page, subject).first();
    await cell.filter({ hasText: '2 messages' }).waitFor();
    await cell.focus();
    await expect(cell.locator('.visually-hidden').textContent()).resolves.toMatch(/^Unread\. carol@elsewhere\.test, 2 messages\. /);
    await page.keyboard.press('o');
    await page.getByRole('heading', { level: 2, name: subject }).waitFor();
    await messageFrame(page).getByText('Hello Bob').waitFor();
    await messageFrame(page).locator('img[src^="blob:"]').waitFor();
    await page.getByText('Quoted text').waitFor();
    await page.getByText('One more thing.').first().waitFor();
    await expect(violations(page)).resolves.toEqual([]);

    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save notes.txt' }).click();
    expect((await saved).suggestedFilename()).toBe('notes.txt');
    await page.getByRole('button', { name: 'Open notes.txt' }).click();
    await page.getByRole('dialog', { name: 'notes.txt' }).getByText('remember the milk').waitFor();
    await expect(violations(page)).resolves.toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Open plan.pdf' }).click();
    await page.getByRole('dialog', { name: 'plan.pdf' }).locator('iframe[src^="blob:"]').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();

    const open = page.locator('[role=gridcell][aria-current=true]');
    await open.filter({ hasNotText: 'Unread.' }).waitFor();
    await page.keyboard.press('Shift+U');
    await open.filter({ hasText: 'Unread.' }).waitFor();
    expect(await page.getByRole('status').filter({ hasText: 'marked as unread' }).count()).toBe(1);
    await page.keyboard.press('u');
    await page.waitForURL(/\/mailbox\/[^/]+$/);
    await page.goBack();
    await page.getByRole('heading', { level: 2, name: subject }).waitFor();

    await page.keyboard.press('?');
    await page.getByRole('checkbox', { name: 'Single-letter shortcuts are on' }).uncheck();
    await page.getByRole('button', { name: 'Close' }).click();
    const url = page.url();
    await page.keyboard.press('j');
    expect(page.url()).toBe(url);
    await page.context().close();
  });

  test('on a phone and in the dark: one pane, nothing wider than the screen, and enough contrast', async () => {
    const page = await browser.signedInPage('bob', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    expect(await overhang(page)).toBe(0);
    await expect(violations(page)).resolves.toEqual([]);
    await row(page, subject).first().click();
    await page.getByRole('heading', { level: 2, name: subject }).waitFor();
    await page.getByText('One more thing.').last().waitFor();
    expect(await overhang(page)).toBe(0);
    await expect(violations(page, contrast)).resolves.toEqual([]);
    const colours = async (): Promise<string> => {
      await messageFrame(page).getByText('Hello Bob').waitFor();
      return page
        .frames()
        .findLast((each) => each.url().includes('/message'))!
        .evaluate<string>('getComputedStyle(document.body).color');
    };
    const head = page.locator('.message-head').first();
    if ((await head.getAttribute('aria-expanded')) === 'false') await head.click();
    expect(await colours()).not.toBe('rgb(0, 0, 0)');
    await page.getByRole('button', { name: 'Original colours' }).click();
    await page.getByRole('button', { name: 'Dark colours' }).waitFor();
    expect(await colours()).toBe('rgb(0, 0, 0)');
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'dark' });
    expect(await page.evaluate<string>('getComputedStyle(document.querySelector(".row-content")).transitionDuration')).toBe('0s');
    await page.getByRole('button', { name: 'Show mailboxes' }).click();
    await page.getByRole('link', { name: /^Sent/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Sent' }).waitFor();
    // A window of 1,280 pixels at 200 %.
    await page.setViewportSize({ width: 640, height: 450 });
    expect(await overhang(page)).toBe(0);
    await page.context().close();
  });

  test('without a sign-in of its own: people enter their server and a token, for the tab', async () => {
    const page = await (await browser.newContext()).newPage();
    await page.route(`${webmailUrl}/config.json`, (route) => route.fulfill({ json: {} }));
    await page.goto(webmailUrl);
    await page.getByRole('textbox', { name: 'Mail server' }).fill('mail.elsewhere.test');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').filter({ hasText: 'an access token' }).waitFor();
    await expect(violations(page)).resolves.toEqual([]);
    await page.getByRole('textbox', { name: 'Mail server' }).fill(deployed.outputs['jmapUrl']!);
    await page.getByLabel('Access token').fill(await accessTokenOf('bob'));
    await page.keyboard.press('Enter');
    await row(page, subject).first().waitFor();
    // Without a token for the socket, changes come by the event source.
    const events = page.waitForRequest((request) => request.url().includes('eventsource'));
    await page.reload();
    await events;
    await row(page, subject).first().waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    expect(await page.evaluate<number>('sessionStorage.length + localStorage.length')).toBe(0);
    await page.context().close();
  });

  test('a server that fails is said in words, with a way on', async () => {
    const page = await (await browser.newContext()).newPage();
    await page.route(`${webmailUrl}/config.json`, (route) => route.fulfill({ status: 502, body: '' }));
    await page.goto(webmailUrl);
    await page.getByRole('heading', { name: 'Your mail can’t be opened' }).waitFor();
    await page.unroute(`${webmailUrl}/config.json`);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await expect(violations(page)).resolves.toEqual([]);
    await page.context().close();
  });
});

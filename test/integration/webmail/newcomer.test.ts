import { describeWith, sandboxUser } from '../deployment.ts';
import { sendMail, uniqueSubject } from '../send-by-smtp.ts';
import { row, signInToWebmail, webmailBrowser, webmailUrl } from './webmail-browser.ts';

const deviceIsEmpty = `(async () => (await indexedDB.databases()).length === 0 && sessionStorage.length + localStorage.length === 0)()`;

describeWith(
  'webmail',
  'users',
  'smtp',
)('a newcomer in the web mail', () => {
  const browser = webmailBrowser();

  test('signs in, reads the welcome message, sees new mail arrive in two tabs, and signs out of both', async () => {
    const context = await browser.newContext();
    const first = await context.newPage();
    await signInToWebmail(first, 'bob');
    // Other tests write to bob too, so that the welcome message may be far below.
    const welcome = row(first, 'Welcome to Postrider');
    for (let pages = 0; pages < 40 && (await welcome.count()) === 0; pages += 1) await first.evaluate(`document.querySelector('[role=grid]').scrollBy(0, 600)`);
    await welcome.first().click();
    await first.getByRole('heading', { level: 2, name: 'Welcome to Postrider' }).waitFor();
    await first.getByRole('article').getByText('Details').first().waitFor();

    const second = await context.newPage();
    await second.goto(webmailUrl);
    await second.getByRole('grid', { name: 'Messages' }).waitFor();
    const subject = uniqueSubject('Live');
    await sendMail([sandboxUser('bob').email], { subject, text: 'Here I am.' });
    for (const page of [first, second]) {
      await page.getByRole('link', { name: /^Inbox/ }).click();
      await page.evaluate(`document.querySelector('[role=grid]').scrollTo(0, 0)`);
      await row(page, subject).waitFor();
    }
    expect(await first.title()).toMatch(/^\(\d+\) Inbox$/);
    // A message that is read in one tab becomes read in the other.
    await row(first, subject).click();
    await expectRead(second, subject);

    await first.getByRole('button', { name: 'Sign out' }).click();
    for (const page of [first, second]) {
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
      expect(await page.evaluate<boolean>(deviceIsEmpty)).toBe(true);
    }
    await context.close();
  });
});

const expectRead = async (page: Parameters<typeof row>[0], subject: string): Promise<void> => {
  await row(page, subject).filter({ hasNotText: 'Unread.' }).waitFor();
};

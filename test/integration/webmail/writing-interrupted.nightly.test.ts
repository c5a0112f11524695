import type { BrowserContext, Page } from 'playwright-core';
import { accessTokenOf } from '../access-tokens.ts';
import { describeWith, sandboxUser } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { jmapClient, type JmapClient } from '../jmap-client.ts';
import { uniqueSubject } from '../send-by-smtp.ts';
import { composer, composerText, emailsIn, said, send, write } from './composer-page.ts';
import { row, signInToWebmail, webmailBrowser, webmailUrl } from './webmail-browser.ts';

/** Points in time at which a tab is killed, in milliseconds after the last letter, or after the message was sent. */
const points = Array.from({ length: 20 }, (_, index) => ({ index, after: Math.floor(index / 2) * 250, isSent: index % 2 === 1 }));

describeWith('webmail', 'users')('writing that is interrupted', () => {
  const browser = webmailBrowser();
  const mark = uniqueSubject('').trim();
  let [alice, bob]: JmapClient[] = [];
  beforeAll(async () => {
    [alice, bob] = await Promise.all((['alice', 'bob'] as const).map(async (person) => jmapClient(await accessTokenOf(person))));
  });

  const text = composerText;
  /** Subject and text of the messages of a mailbox that this test made. */
  const inMailbox = async (client: JmapClient, role: string, title: string): Promise<string[]> =>
    (await emailsIn(client, role, mark))
      .filter(({ subject }) => subject.startsWith(title))
      .map(({ subject, preview }) => `${subject}: ${preview}`)
      .toSorted((one, other) => one.localeCompare(other));
  const writeToBob = (page: Page, subject: string): Promise<void> => write(page, { to: sandboxUser('bob').email, subject, text: 'All of it' });
  const opened = async (context: BrowserContext): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(webmailUrl);
    await page.getByRole('grid', { name: 'Messages' }).waitFor();
    return page;
  };

  test('a tab that is killed at twenty points loses nothing, and nothing is sent twice', async () => {
    let page = await browser.signedInPage('alice');
    const context = page.context();
    for (const { index, after, isSent } of points) {
      const subject = `Killed ${index} ${mark}`;
      await writeToBob(page, subject);
      if (isSent) await page.keyboard.press('Control+Enter');
      await page.waitForTimeout(after);
      const killed = page;
      page = await context.newPage();
      await killed.close();
      await page.goto(webmailUrl);
      await page.getByRole('grid', { name: 'Messages' }).waitFor();
      // A composer comes back, unless the message was sent.
      await page.waitForTimeout(1500);
      if (!isSent) await text(page).filter({ hasText: 'All of it' }).waitFor();
      while ((await composer(page).count()) > 0) {
        await composer(page).first().getByRole('button', { name: 'Save and close' }).click();
        await page.waitForTimeout(300);
      }
    }
    await eventually(async () => {
      const [drafts, sent] = await Promise.all([inMailbox(alice!, 'drafts', 'Killed'), inMailbox(alice!, 'sent', 'Killed')]);
      const expected = points.map(({ index }) => `Killed ${index} ${mark}: All of it`).toSorted((one, other) => one.localeCompare(other));
      expect([...drafts, ...sent].toSorted((one, other) => one.localeCompare(other))).toEqual(expected);
      expect(await inMailbox(bob!, 'inbox', 'Killed')).toEqual(sent);
    });
    await context.close();
  });

  test('the same draft in two tabs is told, and both versions are kept', async () => {
    const page = await browser.signedInPage('alice');
    await writeToBob(page, `Twice ${mark}`);
    await composer(page).getByRole('button', { name: 'Save and close' }).click();
    await composer(page).waitFor({ state: 'detached' });
    const other = await opened(page.context());
    for (const each of [page, other]) {
      await each.getByRole('link', { name: /^Drafts/ }).click();
      await row(each, `Twice ${mark}`).click();
      await each.getByRole('button', { name: 'Continue writing' }).click();
      await text(each).filter({ hasText: 'All of it' }).waitFor();
    }
    await composer(other).getByRole('status').filter({ hasText: 'open in another tab' }).waitFor();
    for (const [each, words] of [
      [page, ' here'],
      [other, ' there'],
    ] as const) {
      await text(each).click();
      await each.keyboard.press('Control+End');
      await each.keyboard.type(words);
      await composer(each).getByRole('button', { name: 'Save and close' }).click();
      await composer(each).waitFor({ state: 'detached' });
    }
    expect(await inMailbox(alice!, 'drafts', 'Twice')).toEqual([`Twice ${mark}: All of it here`, `Twice ${mark}: All of it there`]);
    await page.context().close();
  });

  test('where the server holds nothing, the page does: sending is undone within ten seconds, and a tab that is killed meanwhile sends nothing', async () => {
    const context = await browser.newContext();
    await context.route('**/.well-known/jmap', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll(/"maxDelayedSend":\d+/g, '"maxDelayedSend":0') });
    });
    let page = await context.newPage();
    await signInToWebmail(page, 'alice');
    await writeToBob(page, `Held ${mark}`);
    expect(await composer(page).getByRole('button', { name: 'Send later' }).count()).toBe(0);
    await send(page);
    await said(page, 'Will be sent in 10 seconds').waitFor();
    await composer(page).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(', twice');
    await send(page);
    await composer(page).waitFor({ state: 'hidden' });
    const killed = page;
    page = await context.newPage();
    await killed.close();
    await page.goto(webmailUrl);
    await text(page).filter({ hasText: 'All of it, twice' }).waitFor();
    expect(await inMailbox(alice!, 'sent', 'Held')).toEqual([]);
    await send(page);
    await composer(page).waitFor({ state: 'detached' });
    expect([await inMailbox(alice!, 'sent', 'Held'), await inMailbox(alice!, 'drafts', 'Held')]).toEqual([[`Held ${mark}: All of it, twice`], []]);
    await context.close();
  });

  test('a message that is sent later is sent at its time', async () => {
    const page = await browser.signedInPage('alice');
    await writeToBob(page, `Minute ${mark}`);
    await composer(page).getByRole('button', { name: 'Send later' }).click();
    // The field has whole minutes, of the page's time zone.
    const at = new Date(Date.now() + 90_000).toISOString().slice(0, 16);
    await composer(page).getByLabel('Time at which it is sent').fill(at);
    await composer(page).getByRole('button', { name: 'Send then' }).click();
    await composer(page).waitFor({ state: 'detached' });
    expect(await inMailbox(bob!, 'inbox', 'Minute')).toEqual([]);
    await eventually(async () => expect(await inMailbox(bob!, 'inbox', 'Minute')).toEqual([`Minute ${mark}: All of it`]), 200);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(`${at}Z`));
    await page.context().close();
  });
});

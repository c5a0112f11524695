import type { Page } from 'playwright-core';
import { accessTokenOf } from '../access-tokens.ts';
import { overhang, violations } from '../console/console-browser.ts';
import { deployed, describeWith } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { jmapClient, mailboxIdOf, type JmapClient } from '../jmap-client.ts';
import { uniqueSubject } from '../send-by-smtp.ts';
import { idsIn, makeMailbox, makeMails, removeMade } from './made-mails.ts';
import { row, webmailBrowser, webmailUrl } from './webmail-browser.ts';

describeWith('webmail', 'users')('acting on mail in the web mail', () => {
  const browser = webmailBrowser();
  const mark = uniqueSubject('').trim();
  const names = ['first', 'second', 'third', 'fourth', 'fifth'].map((name) => `${name} ${mark}`);
  let client: JmapClient;
  let mailboxId: string;
  let ids: readonly string[];

  beforeAll(async () => {
    client = await jmapClient(await accessTokenOf('alice'));
    mailboxId = await makeMailbox(client, `Acts ${mark}`);
    ids = await makeMails(
      client,
      mailboxId,
      names.map((subject) => ({ subject })),
    );
  });
  afterAll(removeMade);

  const stateOf = async (index: number) => {
    const [found] = await client.call(['Email/get', { ids: [ids[index]], properties: ['mailboxIds', 'keywords'] }]);
    const [email] = found!['list'] as { mailboxIds: Record<string, boolean>; keywords: Record<string, boolean> }[];
    return { mailboxIds: Object.keys(email!.mailboxIds), keywords: Object.keys(email!.keywords) };
  };

  test('archives, undoes, deletes, flags and moves, by keys and by buttons, and takes back what the server refuses', async () => {
    const page = await browser.signedInPage('alice');
    await page.goto(`${webmailUrl}/mailbox/${mailboxId}`);
    const [first, second, third, fourth, fifth] = names.map((name) => row(page, name));
    await fifth!.waitFor();
    await first!.focus();
    await page.keyboard.press('e');
    await first!.waitFor({ state: 'detached' });
    await page.getByRole('status').filter({ hasText: '1 message moved to Archive' }).waitFor();
    // The next row has the focus.
    expect(await page.evaluate<string>('document.activeElement.textContent')).toContain(names[1]);
    await eventually(async () => expect((await stateOf(0)).mailboxIds).toEqual([expect.not.stringContaining(mailboxId)]));
    await page.keyboard.press('z');
    await first!.waitFor();
    await eventually(async () => expect((await stateOf(0)).mailboxIds).toEqual([mailboxId]));

    await second!.click();
    await page.getByRole('heading', { level: 2, name: names[1]! }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { level: 2, name: names[2]! }).waitFor();
    await second!.waitFor({ state: 'detached' });
    await page.keyboard.press('s');
    await third!.filter({ hasText: '★' }).waitFor();
    await page.keyboard.press('v');
    const dialog = page.getByRole('dialog', { name: 'Move to' });
    await dialog.getByRole('button', { name: 'Junk' }).waitFor();
    await expect(violations(page)).resolves.toEqual([]);
    await dialog.getByRole('button', { name: 'Junk' }).click();
    await page.getByRole('heading', { level: 2, name: names[3]! }).waitFor();
    await third!.waitFor({ state: 'detached' });
    const [trash, junk] = [await mailboxIdOf(client, 'trash'), await mailboxIdOf(client, 'junk')];
    await eventually(async () => {
      expect((await stateOf(1)).mailboxIds).toEqual([trash]);
      expect(await stateOf(2)).toEqual({ mailboxIds: [junk], keywords: expect.arrayContaining(['$flagged', '$junk']) });
    });

    // A server that refuses: what was shown is taken back, in words.
    await page.route(`${deployed.outputs['jmapUrl']}/jmap`, async (route) => {
      const { methodCalls } = route.request().postDataJSON() as { methodCalls: [string, { update?: object }, string][] };
      const set = methodCalls.find(([name]) => name === 'Email/set');
      if (!set) return route.continue();
      const response = await route.fetch({
        postData: { ...(route.request().postDataJSON() as object), methodCalls: methodCalls.filter((call) => call !== set) },
      });
      const body = (await response.json()) as { methodResponses: unknown[] };
      const notUpdated = Object.fromEntries(Object.keys(set[1].update ?? {}).map((id) => [id, { type: 'forbidden', description: 'Not today.' }]));
      body.methodResponses.unshift(['Email/set', { newState: '', updated: null, notUpdated }, set[2]]);
      return route.fulfill({ response, json: body });
    });
    await page.keyboard.press('e');
    await page.getByRole('status').filter({ hasText: 'The change was not made: Not today.' }).waitFor();
    await fourth!.waitFor();
    expect((await stateOf(3)).mailboxIds).toEqual([mailboxId]);
    await page.context().close();
  });

  /** Makes a mailbox with mails that are called "1 <mark>", "2 <mark>" …, and opens it. */
  const openMailbox = async (title: string, count: number) => {
    const id = await makeMailbox(client, `${title} ${mark}`);
    const subjects = Array.from({ length: count }, (_, index) => `${title} ${index + 1}. ${mark}`);
    const made = await makeMails(
      client,
      id,
      subjects.map((subject) => ({ subject })),
    );
    const page = await browser.signedInPage('alice');
    const open = async (other: Page): Promise<void> => {
      await other.goto(`${webmailUrl}/mailbox/${id}`);
      await row(other, subjects[0]!).waitFor();
    };
    await open(page);
    return { id, ids: made, page, open, mail: (number: number, on = page) => row(on, `${title} ${number}. ${mark}`) };
  };

  test('a morning’s mail: by key, by drag, by menu, each undone, and the counts of mailboxes follow', async () => {
    const { id, ids: made, page, mail } = await openMailbox('Morning', 40);
    const archive = await mailboxIdOf(client, 'archive');
    const goneBy = async (act: () => Promise<void>, number: number): Promise<void> => {
      await act();
      await mail(number).waitFor({ state: 'detached' });
      await page.keyboard.press('z');
      await mail(number).waitFor();
      await page.getByRole('status').filter({ hasText: 'Undone' }).waitFor();
      await eventually(async () => expect(await idsIn(client, id)).toEqual(made));
    };
    await mail(1).focus();
    await goneBy(() => page.keyboard.press('e'), 1);
    await goneBy(() => mail(2).dragTo(page.getByRole('link', { name: /^Archive/ })), 2);
    await mail(3).click({ button: 'right' });
    await expect(violations(page)).resolves.toEqual([]);
    await goneBy(() => page.getByRole('menuitem', { name: 'Delete' }).click(), 3);
    await page.getByRole('link', { name: new RegExp(`^Morning ${mark}.*40 unread`) }).waitFor();

    for (let number = 1; number <= 38; number += 1) {
      await mail(number).focus();
      await page.keyboard.press(number % 3 === 0 ? 's' : 'e');
    }
    await page.getByRole('link', { name: new RegExp(`^Morning ${mark}.*14 unread`) }).waitFor();
    await eventually(async () => expect(await idsIn(client, id)).toEqual(made.filter((_, index) => index >= 38 || (index + 1) % 3 === 0)));
    expect(await idsIn(client, archive)).toEqual(expect.arrayContaining([made[0], made[36]]));
    await page.context().close();
  });

  test('ticks: one by one, a range and all that match; a label; what is deleted for ever is asked for first', async () => {
    const { id, ids: made, page, mail } = await openMailbox('Ticks', 60);
    const grid = page.getByRole('grid', { name: 'Messages' });
    await mail(1).focus();
    await page.keyboard.press('x');
    await mail(4).click({ modifiers: ['Shift'] });
    await page.getByRole('status').filter({ hasText: /^4$/ }).waitFor();
    await expect(violations(page)).resolves.toEqual([]);
    await page.keyboard.press('l');
    const dialog = page.getByRole('dialog', { name: 'Labels' });
    await dialog.getByRole('textbox', { name: 'New label' }).fill(`Urgent ${mark}`);
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByRole('checkbox', { name: `Urgent ${mark}` }).click();
    await expect(violations(page)).resolves.toEqual([]);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await mail(4).getByText(`Urgent ${mark}`).last().waitFor();
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByRole('status').filter({ hasText: '4 messages moved to Archive' }).waitFor();
    await eventually(async () => expect(await idsIn(client, id)).toEqual(made.slice(4)));

    await page.getByRole('checkbox', { name: 'Select all that are loaded' }).check();
    await page.getByRole('button', { name: 'Select all here' }).click();
    await page.getByRole('status').filter({ hasText: 'All 56' }).waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('status').filter({ hasText: '56 messages moved to Trash' }).waitFor();
    await page.getByText('Nothing here.').waitFor();
    expect(await idsIn(client, id)).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await mail(5).waitFor();
    await eventually(async () => expect(await idsIn(client, id)).toEqual(made.slice(4)));

    // The label is a search, from any browser.
    const other = await browser.signedInPage('alice');
    await other
      .getByRole('list', { name: 'Labels' })
      .getByRole('link', { name: `Urgent ${mark}` })
      .click();
    await mail(4, other).waitFor();
    expect(await other.getByRole('grid').getAttribute('aria-rowcount')).toBe('4');
    await mail(4, other).focus();
    await other.keyboard.press('#');
    await mail(4, other).waitFor({ state: 'detached' });
    const trash = await mailboxIdOf(client, 'trash');
    await eventually(async () => expect(await idsIn(client, trash)).toContain(made[3]));
    await other.context().close();

    await page.getByRole('link', { name: /^Trash/ }).click();
    await mail(4).focus();
    await page.keyboard.press('#');
    await page.getByRole('dialog', { name: 'Delete for ever' }).waitFor();
    // The next key comes before the browser says that the dialog was closed.
    await page.evaluate(`document.querySelector('dialog[open] button').click();
      Promise.resolve().then(() => document.dispatchEvent(new KeyboardEvent('keydown', { key: '#', bubbles: true })))`);
    await page.waitForTimeout(100);
    await expect(violations(page)).resolves.toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for ever' }).click();
    await mail(4).waitFor({ state: 'detached' });
    await eventually(async () => expect((await client.call(['Email/get', { ids: [made[3]], properties: ['id'] }]))[0]!['notFound']).toEqual([made[3]]));
    await grid.waitFor();
    await page.context().close();
  });

  test('a mailbox that is open in two browsers: acts in both, and both show the same in the end', async () => {
    const { id, ids: made, page, open, mail } = await openMailbox('Both', 20);
    const other = await browser.signedInPage('alice');
    await open(other);
    for (let number = 1; number <= 6; number += 1) {
      const [mine, theirs] = [mail(2 * number - 1), mail(2 * number, other)];
      await Promise.all([mine.focus(), theirs.focus()]);
      await Promise.all([page.keyboard.press(number % 2 === 0 ? 's' : 'e'), other.keyboard.press('#')]);
    }
    const left = made.filter((_, index) => index >= 12 || [2, 6, 10].includes(index));
    await eventually(async () => expect(await idsIn(client, id)).toEqual(left));
    const shownOn = (on: Page) =>
      on.evaluate<string[]>(`[...document.querySelectorAll('[role=row]')].sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).map((row) => row.textContent)`);
    await eventually(async () => {
      const shown = await shownOn(page);
      expect(shown).toHaveLength(left.length);
      expect(shown.slice(0, 3).map((text) => text.includes('★'))).toEqual([true, true, true]);
      expect(await shownOn(other)).toEqual(shown);
    });
    await other.context().close();
    await page.context().close();
  });

  test('on a phone, a swipe to the right archives, and one to the left deletes', async () => {
    const { id, ids: made, page: desktop } = await openMailbox('Swipe', 4);
    await desktop.context().close();
    const page = await browser.signedInPage('alice', { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true });
    await page.goto(`${webmailUrl}/mailbox/${id}`);
    const session = await page.context().newCDPSession(page);
    const swipe = async (text: string, by: number): Promise<void> => {
      const box = (await row(page, text).boundingBox())!;
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
      for (let step = 1; step <= 5; step += 1)
        await session.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ x: x + (by * step) / 5, y }] });
      await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    await row(page, 'Swipe 1.').waitFor();
    await swipe('Swipe 1.', 40);
    await swipe('Swipe 2.', 170);
    await row(page, 'Swipe 2.').waitFor({ state: 'detached' });
    await swipe('Swipe 3.', -170);
    await row(page, 'Swipe 3.').waitFor({ state: 'detached' });
    await eventually(async () => expect(await idsIn(client, id)).toEqual([made[0], made[3]]));
    expect(await overhang(page)).toBe(0);
    await page.context().close();
  });
});

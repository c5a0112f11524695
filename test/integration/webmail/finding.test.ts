import { accessTokenOf } from '../access-tokens.ts';
import { overhang, violations } from '../console/console-browser.ts';
import { describeWith } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { jmapClient, mailboxIdOf, type JmapClient } from '../jmap-client.ts';
import { uniqueSubject } from '../send-by-smtp.ts';
import { idsIn, makeMailbox, makeMails, removeMade } from './made-mails.ts';
import { row, webmailBrowser, webmailUrl } from './webmail-browser.ts';

describeWith('webmail', 'users')('finding and ordering mail in the web mail', () => {
  const browser = webmailBrowser();
  const mark = uniqueSubject('').trim();
  let client: JmapClient;
  beforeAll(async () => {
    client = await jmapClient(await accessTokenOf('alice'));
  });

  afterAll(removeMade);

  test('a word is found in several mailboxes, with its place; back returns to the results where one left them', async () => {
    const [plans, old] = [await makeMailbox(client, `Plans ${mark}`), await makeMailbox(client, `Old ${mark}`)];
    const subjects = Array.from({ length: 45 }, (_, index) => `Result ${index + 1}. ${mark}`);
    await makeMails(
      client,
      plans,
      subjects.map((subject) => ({ subject, text: `We meet at the ${mark}lighthouse on Monday.` })),
    );
    await makeMails(client, old, [{ subject: `Elsewhere ${mark}`, text: `The ${mark}lighthouse is closed.`, keywords: { $flagged: true, $seen: true } }]);
    await makeMails(client, await mailboxIdOf(client, 'trash'), [{ subject: `Thrown ${mark}`, text: `The ${mark}lighthouse.` }]);
    const page = await browser.signedInPage('alice');
    const box = page.getByRole('searchbox', { name: 'Search mail' });
    await page.keyboard.press('/');
    await page.keyboard.type(`${mark}lighthouse`);
    await expect(violations(page)).resolves.toEqual([]);
    await page.keyboard.press('Enter');
    await row(page, 'Result 1.')
      .filter({ hasText: `Plans ${mark}` })
      .waitFor();
    await row(page, 'Result 1.')
      .locator('mark')
      .filter({ hasText: `${mark}lighthouse` })
      .waitFor();
    const grid = page.getByRole('grid', { name: 'Messages' });
    expect(await grid.getAttribute('aria-rowcount')).toBe('46');
    await expect(violations(page)).resolves.toEqual([]);

    await grid.evaluate((element: { scrollTop: number }) => {
      element.scrollTop = 1500;
    });
    await row(page, 'Result 21.').click();
    await page.getByRole('heading', { level: 2, name: subjects[20]! }).waitFor();
    const place = await grid.evaluate((element: { scrollTop: number }) => element.scrollTop);
    await page.getByRole('link', { name: `Old ${mark}` }).click();
    await row(page, `Elsewhere ${mark}`).waitFor();
    expect(await box.inputValue()).toBe('');
    await page.goBack();
    await page.getByRole('heading', { level: 2, name: subjects[20]! }).waitFor();
    expect(await box.inputValue()).toBe(`${mark}lighthouse`);
    await eventually(async () => expect(await grid.evaluate((element: { scrollTop: number }) => element.scrollTop)).toBe(place));

    // By a chip, by operators, and here alone.
    await page.keyboard.press('u');
    await page.getByRole('button', { name: 'Flagged' }).click();
    await row(page, `Elsewhere ${mark}`).waitFor();
    expect(await box.inputValue()).toBe(`${mark}lighthouse is:flagged`);
    await box.fill(`in:"Plans ${mark}" subject:"Result 7."`);
    await box.press('Enter');
    await row(page, 'Result 7.').waitFor();
    await box.fill(`in:nowhere before:soon`);
    await box.press('Enter');
    await page.getByText('There is no mailbox “nowhere”').waitFor();
    await page.getByRole('checkbox', { name: 'Select all that are loaded' }).check();
    // A term that is not understood does not widen an act.
    expect(await page.getByRole('button', { name: 'Select all here' }).count()).toBe(0);
    await page.getByRole('button', { name: 'End the search' }).click();
    await page.getByRole('heading', { level: 1, name: `Old ${mark}` }).waitFor();
    await page.context().close();
  });

  test('mailboxes are made, nested, renamed, hidden and removed, and their counts follow', async () => {
    const trash = await mailboxIdOf(client, 'trash');
    const page = await browser.signedInPage('alice');
    const navigation = page.getByRole('navigation', { name: 'Mailboxes' });
    const dialog = page.getByRole('dialog');
    const act = async (mailbox: string, item: string): Promise<void> => {
      await page.getByRole('button', { name: `Actions for ${mailbox}` }).click();
      await page.getByRole('menuitem', { name: item, exact: true }).click();
    };
    await page.getByRole('button', { name: 'New mailbox' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill(`Work ${mark}`);
    await expect(violations(page)).resolves.toEqual([]);
    await page.keyboard.press('Enter');
    await navigation.getByRole('link', { name: `Work ${mark}` }).waitFor();
    await act(`Work ${mark}`, 'New mailbox inside');
    await dialog.getByRole('textbox', { name: 'Name' }).fill(`Offers ${mark}`);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await navigation.getByRole('link', { name: `Offers ${mark}` }).waitFor();

    const [found] = await client.call(['Mailbox/get', { properties: ['name', 'parentId'] }]);
    const all = found!['list'] as { id: string; name: string; parentId: string | null }[];
    const [work, offers] = [`Work ${mark}`, `Offers ${mark}`].map((name) => all.find((each) => each.name === name)!);
    expect(offers!.parentId).toBe(work!.id);
    const [mail] = await makeMails(client, offers!.id, [{ subject: `An offer ${mark}` }]);
    await navigation.getByRole('link', { name: new RegExp(`^Offers ${mark}.*1 unread`) }).waitFor();

    await act(`Work ${mark}`, 'Remove');
    await dialog.getByText('has mailboxes inside').waitFor();
    expect(await dialog.getByRole('button', { name: 'Remove' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await act(`Offers ${mark}`, 'Rename or move');
    await dialog.getByRole('textbox', { name: 'Name' }).fill(`Proposals ${mark}`);
    await dialog.getByRole('combobox', { name: 'Inside' }).selectOption('');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await act(`Proposals ${mark}`, 'Hide');
    await navigation.getByRole('link', { name: `Proposals ${mark}` }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /hidden mailbox/ }).click();
    await navigation.getByRole('link', { name: `Proposals ${mark}` }).waitFor();
    await act(`Proposals ${mark}`, 'Remove');
    await dialog.getByText('1 message will be moved to Trash').waitFor();
    await expect(violations(page)).resolves.toEqual([]);
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await navigation.getByRole('link', { name: `Proposals ${mark}` }).waitFor({ state: 'detached' });
    expect(await idsIn(client, trash)).toContain(mail);
    await act(`Work ${mark}`, 'Remove');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await navigation.getByRole('link', { name: `Work ${mark}` }).waitFor({ state: 'detached' });
    await page.context().close();
  });

  test('on a phone: the search is below the bar, and nothing is wider than the screen', async () => {
    const page = await browser.signedInPage('alice', { viewport: { width: 320, height: 640 }, colorScheme: 'dark' });
    await page.goto(`${webmailUrl}/search?q=is%3Aunread`);
    await page.getByRole('grid', { name: 'Messages' }).waitFor();
    await page
      .getByRole('checkbox', { name: /^Select (?!all)/ })
      .first()
      .check();
    await page.getByRole('button', { name: 'More' }).waitFor();
    expect(await overhang(page)).toBe(0);
    await expect(violations(page)).resolves.toEqual([]);
    await page.context().close();
  });
});

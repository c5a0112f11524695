import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { adminMachineToken } from '../access-tokens.ts';
import { ok } from '../admin-calls.ts';
import type { Person } from '../chromium.ts';
import { violations } from '../console/console-browser.ts';
import { describeWith } from '../deployment.ts';
import { identityIdOf, jmapClient, mailboxIdOf } from '../jmap-client.ts';
import { createUserWithAccount } from '../user-with-account.ts';
import { makeMails } from './made-mails.ts';
import { conversation, row, webmailBrowser } from './webmail-browser.ts';

describeWith(
  'webmail',
  'users',
  'adminHeadless',
)('the text of a message in the web mail', () => {
  const browser = webmailBrowser();
  const localPart = `writer-${randomUUID().slice(0, 8)}`;
  let person: Person;
  beforeAll(async () => {
    const admin = await adminMachineToken();
    const { email, signInAddress, password, authenticator, account, domain, signIn } = await createUserWithAccount(admin, localPart);
    person = { email: signInAddress, password, authenticator };
    for (const name of ['shop', 'silent']) {
      const alias = { account_id: account.account_id, local_part: `${localPart}-${name}`, domain_id: domain.id, can_send_from: true, name };
      await ok(admin, 'aliases/CreateAlias', alias);
    }
    const client = await jmapClient((await signIn()).access_token);
    const own = await identityIdOf(client, email);
    const shop = await identityIdOf(client, email.replace('@', '-shop@'));
    const update = {
      [own]: { textSignature: 'Wanda\nTel. 1', htmlSignature: '<p><b>Wanda</b></p><div><br></div><ul><li><a href="https://example.com">Tel. 1</a></li></ul>' },
      [shop]: { textSignature: 'The shop' },
    };
    expect((await client.call(['Identity/set', { update }]))[0]!['notUpdated'] ?? {}).toEqual({});
    await makeMails(
      client,
      await mailboxIdOf(client, 'inbox'),
      ['A question', 'Another question'].map((subject) => ({ subject, text: 'How are you?' })),
    );
  });

  const composer = (page: Page) => page.locator('.composer');
  const text = (page: Page) => composer(page).getByRole('textbox', { name: 'Message' });
  const writeAs = async (page: Page, sender: '' | '-shop' | '-silent'): Promise<void> => {
    const from = composer(page).getByLabel('From');
    const label = await from
      .locator('option')
      .filter({ hasText: `${localPart}${sender}@` })
      .textContent();
    await from.selectOption({ label: label! });
  };
  /** The written text, by its blocks. */
  const blocks = (page: Page): Promise<string[]> => page.evaluate("[...document.querySelectorAll('.ProseMirror > *')].map((each) => each.textContent)");

  test('the signature follows its sender where it stands unchanged, also in a draft that is opened again; undo takes it back', async () => {
    const page = await browser.signedInPage(person);
    await page.keyboard.press('c');
    await writeAs(page, '-silent');
    await text(page).click();
    await page.keyboard.type('Hello');
    expect(await blocks(page)).toEqual(['Hello']);
    await writeAs(page, '');
    const withOwn = await blocks(page);
    expect(withOwn.filter((each) => each !== '')).toEqual(['Hello', '--', 'Wanda', 'Tel. 1']);
    await writeAs(page, '-shop');
    expect(await blocks(page)).toEqual(['Hello', '--', 'The shop']);
    await text(page).click();
    await page.keyboard.press('Control+z');
    expect(await blocks(page)).toEqual(withOwn);
    await page.keyboard.press('Control+y');
    await writeAs(page, '');
    await composer(page).getByRole('textbox', { name: 'Subject' }).fill('Opened again');
    await composer(page).getByRole('button', { name: 'Save and close' }).click();
    await composer(page).waitFor({ state: 'detached' });

    await page.getByRole('link', { name: /^Drafts/ }).click();
    await row(page, 'Opened again').click();
    await page.getByRole('button', { name: 'Continue writing' }).click();
    await text(page).waitFor();
    expect(await blocks(page)).toEqual(withOwn);
    await writeAs(page, '-shop');
    expect(await blocks(page)).toEqual(['Hello', '--', 'The shop']);
    // A signature that the person changed remains.
    await text(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('!');
    await writeAs(page, '');
    await writeAs(page, '-silent');
    await writeAs(page, '-shop');
    expect(await blocks(page)).toEqual(['Hello', '--', 'The shop!']);
    await page.context().close();
  });

  test('emoji are found by name, in their groups and among the recent ones, and come to where the cursor is', async () => {
    const page = await browser.signedInPage(person);
    const picker = composer(page).getByRole('dialog', { name: 'Emoji' });
    const openPicker = (): Promise<void> => composer(page).getByRole('button', { name: 'Emoji' }).click();
    const focused = (): Promise<string | null> => page.evaluate("document.activeElement.getAttribute('aria-label')");
    await page.keyboard.press('c');
    await writeAs(page, '-silent');
    await text(page).click();
    await page.keyboard.type('good');
    await page.keyboard.press('ArrowLeft');
    await openPicker();
    await picker.getByRole('searchbox').fill('thumbs');
    await page.keyboard.press('Enter');
    await picker.waitFor({ state: 'detached' });
    await page.keyboard.type('!');
    expect(await blocks(page)).toEqual(['goo👍!d']);

    await openPicker();
    await picker.getByRole('row', { name: 'Recently used' }).getByRole('gridcell', { name: 'thumbs up' }).waitFor();
    await picker.getByLabel('Group of emoji').selectOption('Food & Drink');
    await expect(violations(page)).resolves.toEqual([]);
    await picker.getByRole('searchbox').focus();
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('thumbs up');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    expect(await focused()).toBe('melon');
    await page.keyboard.press('Shift+Tab');
    expect(await focused()).toBe('Group of emoji');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('melon');
    await page.keyboard.press('Escape');
    await picker.waitFor({ state: 'detached' });
    expect(await focused()).toBe('Message');
    await composer(page).getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await composer(page).waitFor({ state: 'detached' });

    await row(page, 'A question').click();
    await conversation(page, 'A question');
    await page.getByRole('button', { name: 'Reply', exact: true }).first().click();
    await writeAs(page, '-silent');
    await writeAs(page, '-shop');
    await text(page).click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('Fine');
    await openPicker();
    await picker.getByRole('gridcell', { name: 'thumbs up' }).click();
    await page.keyboard.type('.');
    expect(await text(page).inputValue()).toMatch(/^Fine👍\.\n\n\n-- \nThe shop\n\nOn .* wrote:\n> How are you\?$/);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    expect(await text(page).inputValue()).not.toContain('👍');
    await page.context().close();
  });

  test('the signature follows its sender in a reply in plain text that is opened again', async () => {
    const page = await browser.signedInPage(person);
    await row(page, 'Another question').click();
    await conversation(page, 'Another question');
    await page.getByRole('button', { name: 'Reply', exact: true }).first().click();
    await writeAs(page, '-silent');
    await writeAs(page, '-shop');
    await composer(page).getByRole('textbox', { name: 'Subject' }).fill('Plain again');
    await composer(page).getByRole('button', { name: 'Save and close' }).click();
    await composer(page).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /^Drafts/ }).click();
    await row(page, 'Plain again').click();
    await page.getByRole('button', { name: 'Continue writing' }).click();
    await writeAs(page, '');
    expect(await text(page).inputValue()).toMatch(/^\n*-- \nWanda\nTel\. 1\n\nOn .* wrote:\n> How are you\?$/);
    await page.context().close();
  });
});

import type { Page } from 'playwright-core';
import { importWords } from '../../../console/words/pages/users.ts';
import { words } from '../../../console/words/words.ts';
import type { Account } from '../../../contract/admin/accounts.ts';
import type { User } from '../../../contract/admin/users.ts';
import { describeWith, sandboxUser } from '../deployment.ts';
import { callAdmin, consoleBrowser, open, uniqueName, violations } from './console-browser.ts';

const browser = consoleBrowser();

describeWith('users')('the import of people', () => {
  const word = uniqueName('heron').replace('-', '');
  const domain = sandboxUser('alice').email.split('@')[1]!;
  let page: Page;
  beforeAll(async () => {
    page = await browser.signedInPage();
  });
  const people = async () => (await callAdmin<{ users: readonly User[] }>('users/ListUsers', { query: word, order_by: 'PRIMARY_EMAIL' })).users;
  afterAll(async () => {
    for (const { user_id } of await people()) {
      const { accounts } = await callAdmin<{ accounts: readonly Account[] }>('users/GetUserOverview', { user_id });
      for (const { account_id } of accounts) await callAdmin('accounts/DeleteAccount', { account_id });
      await callAdmin('users/DeleteUser', { user_id });
    }
  });

  test('refuses a file by its lines, shows the plan of another, applies it once, and finds nothing to change afterwards', async () => {
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const row = (name: string) => page.getByRole('row', { name });
    const choose = async (lines: readonly string[]): Promise<void> => {
      // As a spreadsheet of a country with a decimal comma saves it.
      const buffer = Buffer.from(`\ufeff${lines.join('\r\n')}\r\n`);
      await page.locator('input[type=file]').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer });
      await button(importWords.plan).press('Enter');
    };
    await open(page, '/users', words.pages.users);
    await button(importWords.title).press('Enter');
    await page.getByRole('heading', { level: 1, name: importWords.title }).waitFor();
    expect(await button(importWords.plan).isDisabled()).toBe(true);

    await choose(['email;colour', `ada.${word}@elsewhere.example;red`]);
    await page.getByText("there is no column 'colour'").waitFor();
    await choose(['email;mail_address', `ada.${word}@elsewhere.example;`, `ben.${word}@elsewhere.example;ben@nowhere.example`]);
    await row('nowhere.example is not a domain of this deployment').getByText('3', { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);

    const header = 'email;display_name;mail_address;aliases;invitation_email';
    await choose([
      header,
      `ada.${word}@elsewhere.example;Ada ${word};ada.${word}@${domain};"lovelace.${word}@${domain}\r\naugusta.${word}@${domain}";`,
      `ben.${word}@elsewhere.example;=Ben ${word};;;`,
    ]);
    await row(`ada.${word}@elsewhere.example`).getByText(`alias lovelace.${word}@${domain}`).waitFor();
    expect(await row(`ben.${word}@elsewhere.example`).getByText(importWords.what.create, { exact: true }).count()).toBe(1);
    expect(await people()).toEqual([]);
    await button(importWords.apply(2)).dblclick();
    await page.getByText(importWords.result(2, 2)).first().waitFor();
    await row(`ada.${word}@elsewhere.example`).getByText(words.bulk.states.done).waitFor();
    expect(await violations(page)).toEqual([]);
    expect((await people()).map(({ name, primary_email }) => [primary_email, name])).toEqual([
      [`ada.${word}@elsewhere.example`, `Ada ${word}`],
      [`ben.${word}@elsewhere.example`, `=Ben ${word}`],
    ]);
    await button(importWords.plan).press('Enter');
    await page.getByText(importWords.nothing).waitFor();
  });
});

import type { Page } from 'playwright-core';
import { userWords } from '../../../console/words/pages/users.ts';
import { words } from '../../../console/words/words.ts';
import { describeWith, sandboxUser } from '../deployment.ts';
import { callAdmin, consoleBrowser, createUser, open } from './console-browser.ts';

const browser = consoleBrowser();

describeWith('users')('the console of an admin with the role HELPDESK', () => {
  const { userId } = sandboxUser('alice');
  let page: Page;
  beforeAll(async () => {
    await callAdmin('users/UpdateUser', { user_id: userId, is_admin: true, admin_role: 'HELPDESK' });
    page = await browser.signedInPage({ person: 'alice' });
  });
  afterAll(() => callAdmin('users/UpdateUser', { user_id: userId, is_admin: false }));

  const link = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true });

  test('has the pages of the role, and says at the others what is missing', async () => {
    await open(page, '/users', words.pages.users);
    await link(words.pages.aliases).waitFor();
    for (const name of [words.pages.support, words.pages.audit]) await link(name).waitFor({ state: 'detached' });
    await open(page, '/audit', words.pages.audit);
    await page.getByText('your role is HELPDESK').first().waitFor();
  });

  test('changes a person, but neither an admin nor who is one', async () => {
    const person = await createUser();
    await open(page, `/users/${person.user_id}`, person.name);
    await page.getByRole('button', { name: userWords.actions }).click();
    expect(await page.getByRole('menuitem', { name: userWords.makeAdmin }).getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('menuitem', { name: 'End all sessions' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End all sessions' }).click();
    await page.getByText(`${person.name} is signed out everywhere`).waitFor();

    await open(page, `/users/${sandboxUser('admin').userId}`, sandboxUser('admin').email);
    await page.getByRole('button', { name: userWords.actions }).click();
    await page.getByRole('menuitem', { name: 'End all sessions' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End all sessions' }).click();
    await page.getByText('your role is HELPDESK').first().waitFor();
  });
});

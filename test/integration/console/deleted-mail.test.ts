import type { Page } from 'playwright-core';
import { deletedMailWords } from '../../../console/words/pages/accounts.ts';
import { userWords } from '../../../console/words/pages/users.ts';
import { accessTokenOf } from '../access-tokens.ts';
import { describeWith, sandboxUser } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { jmapClient, mailboxIdOf, type JmapClient } from '../jmap-client.ts';
import { callAdmin, consoleBrowser, createUser, open, settled, uniqueName } from './console-browser.ts';

const browser = consoleBrowser();

describeWith('users')('deleted mail and users in the console', () => {
  let page: Page;
  let alice: JmapClient;
  beforeAll(async () => {
    [page, alice] = await Promise.all([browser.signedInPage(), accessTokenOf('alice').then(jmapClient)]);
  });

  /** Creates an Email and destroys it. */
  const destroyedEmail = async (subject: string): Promise<string> => {
    const [created] = await alice.call(['Email/set', { create: { e: { mailboxIds: { [await mailboxIdOf(alice, 'archive')]: true }, subject } } }]);
    const { id } = (created!['created'] as { e: { id: string } }).e;
    await alice.call(['Email/set', { destroy: [id] }]);
    return id;
  };
  const exists = async (id: string): Promise<boolean> => {
    const [found] = await alice.call(['Email/get', { ids: [id], properties: ['id'] }]);
    return (found!['list'] as object[]).length > 0;
  };

  test('the page of an account lists deleted messages, restores one, and permanently deletes one after its account is named', async () => {
    const [kept, erased] = [uniqueName('Kept'), uniqueName('Erased')];
    const [keptId, erasedId] = [await destroyedEmail(kept), await destroyedEmail(erased)];
    const {
      account: { name },
    } = await callAdmin<{ account: { name: string } }>('accounts/GetAccount', { account_id: sandboxUser('alice').accountId });
    await open(page, `/accounts/${sandboxUser('alice').accountId}`, name);
    await settled(page);
    await page.getByRole('button', { name: `${deletedMailWords.restore} ${kept}` }).click();
    await page.getByText(deletedMailWords.restored(1)).waitFor();
    await eventually(async () => expect(await exists(keptId)).toBe(true));

    await page.getByRole('button', { name: `${deletedMailWords.purge} ${erased}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill(name);
    await dialog.getByRole('button', { name: deletedMailWords.purge }).click();
    await page.getByText(deletedMailWords.purged).waitFor();
    await page.getByText(erased).waitFor({ state: 'detached' });
    expect(await exists(erasedId)).toBe(false);
  });

  test('the page of a deleted user says until when the user is kept, and restores them', async () => {
    const user = await createUser();
    await callAdmin('users/DeleteUser', { user_id: user.user_id });
    await open(page, `/users/${user.user_id}`, user.name);
    await page.getByText(userWords.keptUntil).waitFor();
    await page.getByRole('button', { name: userWords.restore, exact: true }).click();
    await page.getByText(userWords.restored(user.name)).waitFor();
    await page.getByRole('button', { name: userWords.deactivate }).waitFor();
    await callAdmin('users/DeleteUser', { user_id: user.user_id });
  });
});

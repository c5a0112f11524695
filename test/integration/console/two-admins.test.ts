import type { Page } from 'playwright-core';
import { accountWords } from '../../../console/words/pages/accounts.ts';
import { domainWords } from '../../../console/words/pages/domains.ts';
import { changeRequestWords } from '../../../console/words/pages/operations.ts';
import { words } from '../../../console/words/words.ts';
import type { Account } from '../../../contract/admin/accounts.ts';
import type { Alias } from '../../../contract/admin/aliases.ts';
import type { ChangeRequest } from '../../../contract/admin/change-requests.ts';
import { describeWith, sandboxUser } from '../deployment.ts';
import { addDomain, callAdmin, consoleBrowser, open, settled, uniqueName } from './console-browser.ts';

const browser = consoleBrowser();

/** Two windows in which admins change the same object. */
describeWith('users')('two admins at once', () => {
  let one: Page;
  let other: Page;
  beforeAll(async () => {
    [one, other] = [await browser.signedInPage(), await browser.signedInPage()];
  });

  /** Removes the object that the page shows, and confirms with its name. */
  const removeByName = async (page: Page, button: string, name: string): Promise<void> => {
    await page.getByRole('button', { name: button }).click();
    await page.getByRole('dialog').getByRole('textbox').fill(name);
    await page.getByRole('dialog').getByRole('button', { name: button }).click();
  };

  test('a domain is removed while its settings are changed: the form stays open with an error, the list no longer has it', async () => {
    const { id, domain } = await addDomain();
    for (const page of [one, other]) await open(page, `/domains/${id}`, domain);
    await one.getByRole('button', { name: domainWords.edit, exact: true }).click();
    const dialog = one.getByRole('dialog');
    await dialog.getByLabel('Address for DMARC reports').fill('reports@elsewhere.example');

    await removeByName(other, domainWords.remove, domain);
    await other.getByRole('heading', { level: 1, name: words.pages.domains }).waitFor();

    await dialog.getByRole('button', { name: words.form.submit }).click();
    await dialog.getByText(words.errors.notFound).first().waitFor();
    expect(await dialog.getByLabel('Address for DMARC reports').inputValue()).toBe('reports@elsewhere.example');
    await open(one, '/domains', words.pages.domains);
    await settled(one);
    expect(await one.getByText(domain).count()).toBe(0);
  });

  test('an alias is deleted while it is changed: the form stays open with an error, the list no longer has it', async () => {
    const {
      accounts: [account],
    } = await callAdmin<{ accounts: Account[] }>('users/ListUserAccounts', { user_id: sandboxUser('alice').userId });
    const {
      aliases: [{ domain_id } = { domain_id: '' }],
    } = await callAdmin<{ aliases: Alias[] }>('aliases/ListAccountAliases', { account_id: account!.account_id });
    const { alias } = await callAdmin<{ alias: Alias }>('aliases/CreateAlias', { account_id: account!.account_id, domain_id, local_part: uniqueName('sales') });
    await open(one, `/accounts/${account!.account_id}`, account!.name);
    await one.getByRole('button', { name: `${accountWords.editAlias} ${alias.email}` }).click();
    const dialog = one.getByRole('dialog');
    await dialog.getByLabel('Name').first().fill('Sales team');

    await callAdmin('aliases/DeleteAlias', { alias_id: alias.alias_id });

    await dialog.getByRole('button', { name: words.form.submit }).click();
    await dialog.getByText(words.errors.notFound).first().waitFor();
    expect(await dialog.getByLabel('Name').first().inputValue()).toBe('Sales team');
    await dialog.getByRole('button', { name: words.form.cancel }).click();
    await dialog.waitFor({ state: 'detached' });
    await one.getByText(alias.email).first().waitFor({ state: 'detached' });
  });

  test('a change request is canceled by both: the second gets an error, and sees the current state', async () => {
    const {
      request: { request_id: id },
    } = await callAdmin<{ request: ChangeRequest }>('change-requests/CreateChangeRequest', {
      type: 'SES_MAX_SEND_RATE_INCREASE',
      conflict_behavior: 'ALLOW_DUPLICATE',
      ses_sending_limit: { use_case: 'Receipts', desired_max_send_rate_per_second: 50 },
    });
    for (const page of [one, other]) {
      await page.goto(`${new URL(page.url()).origin}/change-requests/${id}`);
      await page.getByRole('button', { name: changeRequestWords.cancel }).click();
      await page.getByRole('dialog').waitFor();
    }
    const cancel = (page: Page) => page.getByRole('dialog').getByRole('button', { name: changeRequestWords.cancel });
    await cancel(other).click();
    await other.getByRole('dialog').waitFor({ state: 'detached' });
    await cancel(one).click();
    await one.getByRole('dialog').getByText(words.errors.refused).or(one.getByRole('dialog').getByText(words.errors.conflict.title)).first().waitFor();
    await one.keyboard.press('Escape');
    await one.getByRole('dialog').waitFor({ state: 'detached' });
    await one.getByRole('button', { name: changeRequestWords.cancel }).waitFor({ state: 'detached' });
  });
});

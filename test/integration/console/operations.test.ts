import type { Page } from 'playwright-core';
import { changeRequestEvents } from '../../../console/pages/change-requests/change-request-events.ts';
import { fieldWords } from '../../../console/words/fields.ts';
import { auditWords, changeRequestWords, supportWords } from '../../../console/words/pages/operations.ts';
import { suppressionWords } from '../../../console/words/pages/sending.ts';
import { stateWords } from '../../../console/words/states.ts';
import { words } from '../../../console/words/words.ts';
import type { Suppression } from '../../../contract/admin/suppression.ts';
import { adminMachineToken } from '../access-tokens.ts';
import { describeWith } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { primaryDomain } from '../primary-domain.ts';
import { callAdmin, consoleBrowser, consoleUrl, createUser, open, settled, uniqueName } from './console-browser.ts';

const browser = consoleBrowser();

/** The split panel with this title. */
const panel = (page: Page, title: string) => page.getByRole('region', { name: title });

describeWith('users')('the pages of operations', () => {
  let page: Page;
  beforeAll(async () => {
    page = await browser.signedInPage();
  });

  test('a recipient is cleared by its address, and the panel then shows that mail is sent', async () => {
    const recipient = `bounce+${uniqueName('x')}@simulator.amazonses.com`;
    const suppressionOf = () => callAdmin<{ suppression: Suppression }>('suppression/GetSuppression', { recipient });
    const { id } = await primaryDomain(await adminMachineToken());
    await callAdmin('domains/SendTestEmail', { id, test_type: 'NORMAL', to_email: recipient });
    await eventually(async () => expect((await suppressionOf()).suppression.bounce.level).toBe('HARD'));

    await open(page, `/suppression?selected=${encodeURIComponent(recipient)}`, words.pages.suppression);
    const details = panel(page, recipient);
    await details.getByText(stateWords('suppression', 'HARD')!.sentence!).waitFor();
    await details.getByRole('button', { name: suppressionWords.clearBounce }).click();
    const dialog = page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: suppressionWords.clearBounce });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill(recipient);
    await confirm.click();
    await details.getByText(stateWords('suppression', 'NONE')!.sentence!).waitFor();
    expect((await suppressionOf()).suppression.bounce.level).toBe('NONE');
  });

  test('an address that is not in the list can be looked up', async () => {
    await open(page, '/suppression', words.pages.suppression);
    await settled(page);
    await page.getByPlaceholder(words.list.filter, { exact: true }).fill('nobody@elsewhere.example');
    await page.getByRole('button', { name: suppressionWords.find }).click();
    await panel(page, 'nobody@elsewhere.example').getByText(suppressionWords.notFound).waitFor();
  });

  test('a change request is created by its kind, shows its history, and is canceled', async () => {
    await open(page, '/change-requests/create', changeRequestWords.create);
    await page.getByRole('radio', { name: changeRequestWords.types.LAMBDA_CONCURRENCY_INCREASE }).check({ force: true });
    await page.getByRole('textbox', { name: fieldWords.of('desired_account_limit').label }).fill('5000');
    await page.getByRole('textbox', { name: fieldWords.of('reason').label }).fill('Bursts of mail');
    await page.getByRole('button', { name: changeRequestWords.createAction }).click();
    await page.getByRole('heading', { level: 1, name: changeRequestWords.types.LAMBDA_CONCURRENCY_INCREASE }).waitFor();
    await page.getByText(changeRequestEvents.CREATED.label).waitFor();

    await page.getByRole('button', { name: changeRequestWords.cancel }).click();
    await page.getByRole('dialog').getByRole('button', { name: changeRequestWords.cancel }).click();
    await page.getByText(stateWords('changeRequest', 'CANCELED')!.sentence!).waitFor();
    await page.getByText(changeRequestEvents.CANCELED.label).first().waitFor();
    await eventually(async () => expect(await page.getByRole('button', { name: changeRequestWords.cancel }).count()).toBe(0));
  });

  test('a support case counts down, is extended, and is closed by its subject', async () => {
    const subject = uniqueName('Mail is late');
    const { case_id: id } = await callAdmin<{ case_id: string }>('support/OpenSupportCase', { subject, allowed_tiers: ['DIAG'], activation_seconds: 1_800 });
    await open(page, `/support/${id}`, subject);
    const timer = page.getByRole('timer');
    const shown = await timer.textContent();
    expect(shown).toMatch(/29 minutes/);
    await eventually(async () => expect(await timer.textContent()).not.toBe(shown));

    await page.getByRole('button', { name: supportWords.until }).click();
    await page.getByRole('dialog').getByText(words.form.choose).click();
    await page.getByRole('option', { name: supportWords.for('1 day') }).click();
    await page.getByRole('dialog').getByRole('button', { name: words.form.submit }).click();
    await page.getByText(/23 hours, 59 minutes left|1 day left/).waitFor();

    await page.getByRole('button', { name: supportWords.closeCase }).click();
    await page.getByRole('dialog').getByRole('textbox').fill(subject);
    await page.getByRole('dialog').getByRole('button', { name: supportWords.closeCase }).click();
    await page.getByText(stateWords('supportCase', 'closed')!.label, { exact: true }).first().waitFor();
    await eventually(async () => expect(await page.getByRole('button', { name: supportWords.until }).count()).toBe(0));
  });

  test('an entry of the audit log shows the values before and after, also by its own link', async () => {
    const before = uniqueName('Ada');
    const after = uniqueName('Grace');
    const { user_id: id } = await createUser({ display_name: before });
    await callAdmin('users/UpdateUser', { user_id: id, display_name: after });
    const showsBoth = async (): Promise<void> => {
      const details = panel(page, 'users/UpdateUser');
      await details.getByRole('row', { name: new RegExp(`${before}.*${after}`) }).waitFor();
      await details.getByRole('link').first().waitFor();
    };
    await open(page, '/audit?operation=users%2FUpdateUser', words.pages.audit);
    await page
      .getByRole('row', { name: new RegExp(after) })
      .getByRole('cell')
      .nth(1)
      .click();
    await showsBoth();
    const link = page.url();
    await page.goto(consoleUrl);
    await page.goto(link);
    await showsBoth();
    await page.getByRole('button', { name: words.list.refresh }).first().click();
    await settled(page);
    await showsBoth();
    expect(await page.getByText(auditWords.changes).count()).toBe(1);
    await callAdmin('users/DeleteUser', { user_id: id });
  });
});

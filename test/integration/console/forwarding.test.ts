import type { Page } from 'playwright-core';
import { forwardingWords } from '../../../console/words/pages/forwarding.ts';
import { words } from '../../../console/words/words.ts';
import type { Forwarding } from '../../../contract/admin/aliases.ts';
import type { Domain } from '../../../contract/admin/domains.ts';
import { adminMachineToken } from '../access-tokens.ts';
import { describeWith, sandboxUser } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { primaryDomain } from '../primary-domain.ts';
import { callAdmin, consoleBrowser, open, overhang, settled, uniqueName, violations } from './console-browser.ts';

const browser = consoleBrowser();

describeWith('users')('the forwarding of an account', () => {
  let page: Page;
  let domain: Domain;
  const [name, other] = [uniqueName('forwards'), uniqueName('other')];
  const outside = `${uniqueName('private')}@elsewhere.test`;
  const accounts: string[] = [];
  const here = (): string => `${other}@${domain.domain}`;
  const button = (text: string) => page.getByRole('button', { name: text, exact: true });
  const dialog = (title: string) => page.getByRole('dialog', { name: title });
  const forwarding = async (): Promise<Forwarding> =>
    (await callAdmin<{ forwarding: Forwarding }>('aliases/GetForwarding', { account_id: accounts[0]! })).forwarding;

  beforeAll(async () => {
    domain = await primaryDomain(await adminMachineToken());
    for (const local_part of [name, other]) {
      const request = { user_id: sandboxUser('alice').userId, name: local_part, local_part, domain_id: domain.id };
      accounts.push((await callAdmin<{ account: { account_id: string } }>('accounts/CreateAccount', request)).account.account_id);
    }
    page = await browser.signedInPage({ bypassCSP: true, reducedMotion: 'reduce' });
  });
  afterAll(async () => {
    for (const account_id of accounts) await callAdmin('accounts/DeleteAccount', { account_id });
  });

  test('needs an address, refuses one that is none, and keeps what was typed', async () => {
    await open(page, `/accounts/${accounts[0]!}`, name);
    await button(forwardingWords.begin).click();
    const setting = dialog(forwardingWords.begin);
    await setting.getByText(forwardingWords.text).waitFor();
    await setting.getByRole('button', { name: words.form.submit, exact: true }).click();
    await setting.getByText(words.form.required).waitFor();
    await setting.getByRole('textbox').fill('nobody');
    await setting.getByRole('button', { name: words.form.submit, exact: true }).click();
    await setting.getByText('must be an email address').waitFor();
    await setting.getByRole('textbox').fill(`nobody-${name}@${domain.domain}`);
    await setting.getByRole('button', { name: words.form.submit, exact: true }).click();
    await setting.getByText('nobody here receives mail for').first().waitFor();
    await settled(page);
    expect(await violations(page)).toEqual([]);
    expect((await forwarding()).addresses).toEqual([]);
  });

  test('is set to an account here and to an address outside, which waits', async () => {
    const setting = dialog(forwardingWords.begin);
    await setting.getByRole('textbox').fill(`Other <${here()}>\n${outside}`);
    await setting.getByRole('checkbox').uncheck();
    await setting.getByRole('button', { name: words.form.submit, exact: true }).click();
    await setting.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: here() }).waitFor();
    await page.getByText(forwardingWords.states.here, { exact: true }).waitFor();
    await page.getByText(outside).waitFor();
    await page.getByText(forwardingWords.states.waiting, { exact: true }).waitFor();
    await page.getByText(forwardingWords.keepsNoCopy).waitFor();
    expect(await forwarding()).toMatchObject({
      addresses: [
        { email: here(), is_confirmed: true },
        { email: outside, is_confirmed: false },
      ],
      keep_copy: false,
    });
    await settled(page);
    expect(await violations(page)).toEqual([]);
  });

  test('keeps its addresses when only the copy is changed', async () => {
    await button(forwardingWords.change).click();
    const setting = dialog(forwardingWords.begin);
    expect(await setting.getByRole('textbox').inputValue()).toBe(`${here()}\n${outside}`);
    await setting.getByRole('checkbox').check();
    await setting.getByRole('button', { name: words.form.submit, exact: true }).click();
    await setting.waitFor({ state: 'detached' });
    await page.getByText(forwardingWords.keepsNoCopy).waitFor({ state: 'detached' });
    expect(await forwarding()).toMatchObject({ addresses: [{ email: here() }, { email: outside }], keep_copy: true });
  });

  test('is told by the search for an address, and by the list, which fits a phone', async () => {
    await open(page, `/activity?find=${encodeURIComponent(`${name}@${domain.domain}`)}`, name);
    await page.getByText(forwardingWords.withCopy).waitFor();
    await settled(page);
    expect(await violations(page)).toEqual([]);
    await open(page, '/', words.pages.overview);
    await page.getByRole('navigation').getByRole('link', { name: words.pages.forwarding, exact: true }).click();
    await page.getByRole('heading', { level: 1, name: words.pages.forwarding }).waitFor();
    await page.getByRole('row', { name }).getByText(outside).waitFor();
    await settled(page);
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await eventually(async () => expect(await overhang(page)).toBe(0));
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
  });

  test('is seen by an admin who only reads, and is not changed by them', async () => {
    const { userId: user_id } = sandboxUser('alice');
    await callAdmin('users/UpdateUser', { user_id, is_admin: true, admin_role: 'READ_ONLY' });
    const reading = await browser.signedInPage({ person: 'alice' });
    await open(reading, `/accounts/${accounts[0]!}`, name);
    await reading.getByText(forwardingWords.states.waiting, { exact: true }).waitFor();
    for (const text of [forwardingWords.change, forwardingWords.end]) {
      const disabled = reading.getByRole('button', { name: text, exact: true }).last();
      await eventually(async () => expect([text, await disabled.isDisabled()]).toEqual([text, true]));
    }
    await reading.context().close();
    await callAdmin('users/UpdateUser', { user_id, is_admin: false });
  });

  test('is ended', async () => {
    await button(forwardingWords.end).click();
    await dialog(forwardingWords.endTitle).getByRole('button', { name: forwardingWords.endTitle }).click();
    await button(forwardingWords.begin).waitFor();
    await page.getByText(forwardingWords.none, { exact: true }).waitFor();
    expect((await forwarding()).addresses).toEqual([]);
  });
});

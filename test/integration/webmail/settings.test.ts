import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { sendRaw } from '../../../sandbox/clients/smtp-client.ts';
import { adminMachineToken } from '../access-tokens.ts';
import { ok } from '../admin-calls.ts';
import { overhang, violations } from '../console/console-browser.ts';
import { deployed, describeWith } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { jmapClient, mailboxIdOf, type JmapClient } from '../jmap-client.ts';
import { messagesTo, rawMessageTo } from '../outbox.ts';
import { composeMessage } from '../send-by-smtp.ts';
import { createUserWithAccount } from '../user-with-account.ts';
import { makeMails } from './made-mails.ts';
import { webmailBrowser } from './webmail-browser.ts';

/** A day as a field of the browser has it, some days from now. The browser is in UTC. */
const day = (fromNow: number): string => new Date(Date.now() + fromNow * 86_400_000).toISOString().slice(0, 10);

describeWith(
  'webmail',
  'credentials',
  'adminHeadless',
  'smtp',
  'emulator',
)('settings in the web mail', () => {
  const browser = webmailBrowser();
  const label = randomUUID().slice(0, 8);
  const friend = `friend-${label}@elsewhere.test`;
  let client: JmapClient;
  let owner: Awaited<ReturnType<typeof createUserWithAccount>>;
  const person = () => ({ email: owner.signInAddress, password: owner.password, ...(owner.authenticator && { authenticator: owner.authenticator }) });

  beforeAll(async () => {
    const admin = await adminMachineToken();
    owner = await createUserWithAccount(admin, `owner-${label}`);
    const other = await createUserWithAccount(admin, `other-${label}`);
    await ok(admin, 'accounts/PutAccountMember', { account_id: other.account.account_id, user_id: owner.user.user_id, role: 'READ' });
    client = await jmapClient((await owner.signIn()).access_token);
    await makeMails(client, await mailboxIdOf(client, 'inbox'), [{ subject: `My own ${label}` }]);
    const theirs = await jmapClient((await other.signIn()).access_token);
    await makeMails(theirs, await mailboxIdOf(theirs, 'inbox'), [{ subject: `Theirs ${label}` }]);
  });

  const stored = async (type: string) => {
    const [{ list }] = (await client.call([`${type}/get`, { ids: null }])) as unknown as [{ list: [Record<string, unknown>] }];
    return list[0];
  };
  const dialog = (page: Page) => page.getByRole('dialog', { name: 'Settings' });
  const form = (page: Page, name: string) => dialog(page).getByRole('form', { name });
  const save = async (page: Page, name: string): Promise<void> => {
    await form(page, name).getByRole('button', { name: 'Save' }).click();
    await form(page, name).getByText('Saved.').waitFor();
  };

  test('the vacation response is set for days, answers senders, and the list says so until it is off', async () => {
    const page = await browser.signedInPage(person());
    const requests: string[][] = [];
    page.on('request', (request) => {
      const calls = request.method() === 'POST' ? (request.postDataJSON() as { methodCalls?: [string][] } | null)?.methodCalls : undefined;
      if (calls) requests.push(calls.map(([name]) => name));
    });
    await page.keyboard.press(',');
    const vacation = form(page, 'Vacation response');
    await vacation.getByLabel('Answer those who write to me').check();
    await vacation.getByLabel('First day').fill(day(0));
    await vacation.getByLabel('Last day').fill(day(-1));
    await vacation.getByLabel('Text').fill(`Away ${label}.\n<b>Back soon.</b>`);
    await vacation.getByRole('button', { name: 'Save' }).click();
    await vacation.getByRole('alert').filter({ hasText: 'The last day is before the first day.' }).waitFor();
    await vacation.getByLabel('Last day').fill(day(7));
    await vacation.getByRole('region', { name: 'What a sender gets' }).getByText('<b>Back soon.</b>').waitFor();
    await expect(violations(page)).resolves.toEqual([]);
    await save(page, 'Vacation response');
    expect(await stored('VacationResponse')).toMatchObject({
      isEnabled: true,
      fromDate: `${day(0)}T00:00:00Z`,
      toDate: `${day(8)}T00:00:00Z`,
      subject: null,
      textBody: `Away ${label}.\n<b>Back soon.</b>`,
    });
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    const note = page.getByText(/^Vacation response is on until .*\d{4}\./);
    await note.waitFor();

    const subject = `Question ${label}`;
    const raw = await composeMessage({ from: friend, to: owner.email, subject, text: 'Hello' });
    expect((await sendRaw(deployed.smtp!, { from: friend, to: [owner.email] }, raw)).rejected).toEqual([]);
    const response = await rawMessageTo(friend);
    expect(response).toContain(`Subject: Auto: ${subject}`);
    expect(response).toContain(`Away ${label}.`);

    requests.length = 0;
    await page.reload();
    await note.waitFor();
    await expect(violations(page)).resolves.toEqual([]);
    expect(requests.filter((names) => names.includes('VacationResponse/get'))).toEqual([expect.arrayContaining(['Quota/get', 'Forwarding/get'])]);
    await note.getByRole('button', { name: 'Settings' }).click();
    await vacation.getByLabel('Answer those who write to me').uncheck();
    await save(page, 'Vacation response');
    await note.waitFor({ state: 'detached' });
    expect(await stored('VacationResponse')).toMatchObject({ isEnabled: false, textBody: `Away ${label}.\n<b>Back soon.</b>` });
    await page.context().close();
  });

  test('HTML of another program is kept until the text is changed, and a change made elsewhere is not overwritten unseen', async () => {
    await client.call(['VacationResponse/set', { update: { singleton: { textBody: 'Plain', htmlBody: '<p>Rich</p>' } } }]);
    const page = await browser.signedInPage(person(), { viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    await page.getByRole('button', { name: 'Settings' }).click();
    const vacation = form(page, 'Vacation response');
    await vacation.getByText('A formatted text is stored too.').waitFor();
    await vacation.getByLabel('Subject').fill('Gone');
    await save(page, 'Vacation response');
    expect(await stored('VacationResponse')).toMatchObject({ subject: 'Gone', htmlBody: '<p>Rich</p>' });
    await client.call(['VacationResponse/set', { update: { singleton: { subject: 'Elsewhere' } } }]);
    await vacation.getByLabel('Text').fill('Plainer');
    await vacation.getByText('will be removed').waitFor();
    await vacation.getByRole('button', { name: 'Save' }).click();
    await vacation.getByRole('alert').filter({ hasText: 'changed elsewhere' }).waitFor();
    await expect(violations(page)).resolves.toEqual([]);
    expect(await overhang(page)).toBe(0);
    await save(page, 'Vacation response');
    expect(await stored('VacationResponse')).toMatchObject({ subject: 'Gone', textBody: 'Plainer', htmlBody: null });
    await page.context().close();
  });

  test('mail is forwarded to whom the server allows, and the field says whom it refuses', async () => {
    const page = await browser.signedInPage(person());
    await page.getByRole('button', { name: 'Settings' }).click();
    const forwarding = form(page, 'Forwarding');
    const to = forwarding.getByRole('combobox', { name: 'To' });
    const unknown = `nobody-${label}@${owner.domain.domain}`;
    await to.fill(unknown);
    await forwarding.getByRole('button', { name: 'Save' }).click();
    await forwarding
      .getByRole('paragraph')
      .filter({ hasText: `nobody here receives mail for ${unknown}` })
      .waitFor();
    await expect(violations(page)).resolves.toEqual([]);
    await forwarding.getByRole('button', { name: `Remove ${unknown}` }).click();
    await to.fill(friend);
    await to.press('Enter');
    await forwarding.getByLabel('Keep a copy here').uncheck();
    await save(page, 'Forwarding');
    await forwarding.getByText('Waits until the owner').getByText(friend).waitFor();
    expect(await stored('Forwarding')).toMatchObject({ addresses: [friend], keepsCopy: false, unconfirmed: [friend] });
    // The link was mailed meanwhile, which is no change that somebody made elsewhere.
    const isLink = ({ subject }: { readonly subject: string }) => subject.startsWith('Confirm');
    await eventually(async () => expect((await messagesTo(friend)).filter(isLink)).toHaveLength(1));
    await forwarding.getByLabel('Keep a copy here').check();
    await save(page, 'Forwarding');
    expect(await stored('Forwarding')).toMatchObject({ addresses: [friend], keepsCopy: true });
    await forwarding.getByRole('button', { name: `Remove ${friend}` }).click();
    await save(page, 'Forwarding');
    expect(await stored('Forwarding')).toMatchObject({ addresses: [], unconfirmed: [] });
    await page.context().close();
  });
});

import { Route53Client } from '@aws-sdk/client-route-53';
import type { Page } from 'playwright-core';
import { encode } from 'uqr';
import { domainWords } from '../../../console/words/pages/domains.ts';
import { connectWords } from '../../../console/words/pages/operations.ts';
import { userWords } from '../../../console/words/pages/users.ts';
import { words } from '../../../console/words/words.ts';
import type { Account } from '../../../contract/admin/accounts.ts';
import type { Domain } from '../../../contract/admin/domains.ts';
import type { User } from '../../../contract/admin/users.ts';
import { awsClientConfig } from '../../../sandbox/deployment/aws-target.ts';
import { deployed, describeWith } from '../deployment.ts';
import { createHostedZone, type HostedZone } from '../hosted-zone.ts';
import { eventually } from '../http-requests.ts';
import { messagesTo, outboxText } from '../outbox.ts';
import { sendBySmtp, uniqueSubject } from '../send-by-smtp.ts';
import { callAdmin, consoleBrowser, consoleUrl, open, signInToConsole, uniqueName } from './console-browser.ts';

const browser = consoleBrowser();

/** Each test continues where the previous one ended, as a newcomer would. */
describeWith(
  'emulator',
  'users',
  'smtp',
)('a newcomer', () => {
  const domain = `${uniqueName('newcomer')}.example`;
  const person = `${uniqueName('tom')}@elsewhere.example`;
  const password = `Correct-horse-${uniqueName('battery')}-1`;
  let client: Route53Client;
  let zone: HostedZone;
  let page: Page;
  let account: Account;
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const navigate = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  const title = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

  /** The user who was invited. */
  const invited = async (): Promise<User> =>
    (await callAdmin<{ users: User[] }>('users/ListUsers', { page_size: 1000 })).users.find(({ idp_identities: found }) => found?.[0]?.email === person)!;

  beforeAll(async () => {
    client = new Route53Client(awsClientConfig(deployed));
    zone = await createHostedZone(client, domain, []);
  });
  afterAll(async () => {
    if (account) {
      await callAdmin('accounts/DeleteAccount', { account_id: account.account_id });
      await callAdmin('accounts/RemoveAccountNow', { account_id: account.account_id, name: account.name });
    }
    const user = await invited();
    if (user) await callAdmin('users/DeleteUser', { user_id: user.user_id });
    const { domains } = await callAdmin<{ domains: Domain[] }>('domains/ListDomains', { page_size: 100 });
    const id = domains.find((one) => one.domain === domain)?.id;
    // The account's address is free when its removal has ended.
    if (id !== undefined) await eventually(() => callAdmin('domains/RemoveDomain', { id }));
    await zone.remove();
    client.destroy();
  });

  test('signs in at the hosted page and sees the overview', async () => {
    page = await browser.newPage();
    await signInToConsole(page);
    await title(words.pages.overview);
  });

  test('brings a domain live', async () => {
    await navigate(words.pages.domains);
    await button(domainWords.add).first().click();
    await page.getByLabel('Domain name').fill(domain);
    await button(domainWords.addAction).click();
    await button(domainWords.provider.apply).click();
    await page.getByText(domainWords.progress.sendsAndReceives(domain)).waitFor();
    expect(await zone.values(domain, 'MX')).toHaveLength(1);
  });

  test('invites a person with an account of the domain', async () => {
    await navigate(words.pages.users);
    await button(userWords.invite).click();
    await page.getByLabel('E-mail address').fill(person);
    await page.getByLabel('Address before the @').fill('tom');
    await page.getByLabel('Domain', { exact: true }).click();
    await page.getByRole('option', { name: domain }).click();
    await button(userWords.create).click();
    await page.getByText(`tom@${domain}`).first().waitFor();
    const { accounts } = await callAdmin<{ accounts: Account[] }>('users/ListUserAccounts', { user_id: (await invited()).user_id });
    account = accounts[0]!;
    expect(account.email).toBe(`tom@${domain}`);
  });

  test('gets a QR code with the server’s address to pass on', async () => {
    const border = 2;
    const { data, size } = encode(`${deployed.outputs['jmapUrl']}/.well-known/jmap`, { border });
    // The picture as it is drawn, one look in the middle of each module.
    const shown = await page.evaluate<boolean[][]>(`(() => {
      const canvas = document.createElement('canvas');
      const scale = 4;
      canvas.width = canvas.height = ${size} * scale;
      const drawing = canvas.getContext('2d');
      drawing.drawImage(document.querySelector('img[alt="${connectWords.qr}"]'), 0, 0, canvas.width, canvas.height);
      const isDark = (row, column) => drawing.getImageData(column * scale + scale / 2, row * scale + scale / 2, 1, 1).data[0] < 128;
      return Array.from({ length: ${size} }, (_, row) => Array.from({ length: ${size} }, (__, column) => isDark(row, column)));
    })()`);
    expect(shown).toEqual(data);
  });

  test('sets a new password after signing in with that of the invitation, and may not operate the deployment', async () => {
    const mail = await eventually(async () => {
      const [found] = await messagesTo(person);
      expect(found).toBeDefined();
      return outboxText(found!.id);
    });
    const temporary = /Temporary password:\s*(\S+)/.exec(mail)?.[1] ?? '';
    const own = await browser.newPage();
    const field = (name: string) => own.locator(`input[name="${name}"]:visible`).first();
    await own.goto(consoleUrl);
    await field('username').fill(person);
    if (!(await field('password').isVisible())) await field('username').press('Enter');
    await field('password').fill(temporary);
    await field('password').press('Enter');
    await field('new_password').fill(password);
    if (await field('confirm_password').isVisible()) await field('confirm_password').fill(password);
    await own.keyboard.press('Enter');
    await own.getByRole('heading', { level: 1, name: words.forbidden.title }).waitFor();
    await own.context().close();
  });

  test('sees in the overview that mail for the person has arrived', async () => {
    /** The number of received messages, by the first line of the overview. */
    const received = async (): Promise<number> => {
      const line = await page
        .getByText(/[\d,]+ in, [\d,]+ out in the last hour|No mail came in/)
        .first()
        .textContent();
      return Number(/([\d,]+) in,/.exec(line ?? '')?.[1]?.replaceAll(',', '') ?? 0);
    };
    await open(page, '/', words.pages.overview);
    const before = await received();
    await sendBySmtp([account.email], { subject: uniqueSubject('Welcome'), text: 'Hello Tom' });
    await eventually(async () => {
      await page.reload();
      expect(await received()).toBeGreaterThan(before);
    });
  });
});

import type { Page } from 'playwright-core';
import { words } from '../../../console/words/words.ts';
import type { Account } from '../../../contract/admin/accounts.ts';
import type { Group } from '../../../contract/admin/aliases.ts';
import type { ChangeRequest } from '../../../contract/admin/change-requests.ts';
import type { ReceivedMessage } from '../../../contract/admin/received-mail.ts';
import { consolePaths, parameterOf } from '../../console/console-routes.ts';
import { adminMachineToken } from '../access-tokens.ts';
import { describeWith, sandboxUser } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { primaryDomain } from '../primary-domain.ts';
import { sendMail, uniqueSubject } from '../send-by-smtp.ts';
import { callAdmin, consoleBrowser, consoleUrl, contrast, overhang, settled, targetSize, uniqueName, violations } from './console-browser.ts';

const browser = consoleBrowser();

const phone = { width: 390, height: 844 };
const desktop = { width: 1280, height: 900 };

const ownDomain = async () => primaryDomain(await adminMachineToken());

/** The help panel of a page. */
const helpOf = (page: Page) => page.getByRole('complementary', { name: words.help.title });

const openHelp = async (page: Page): Promise<void> => {
  await page
    .getByRole('button', { name: new RegExp(`^${words.help.info}\\b`) })
    .first()
    .click();
  await helpOf(page).getByRole('heading', { level: 2 }).waitFor();
  await settled(page);
};

const closeHelp = async (page: Page): Promise<void> => {
  await helpOf(page).getByRole('button', { name: words.panel.close }).click();
  await helpOf(page).getByRole('heading', { level: 2 }).waitFor({ state: 'hidden' });
};

const turnDark = async (page: Page): Promise<void> => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('body.awsui-dark-mode').waitFor();
};

/** The ids of the objects whose pages are opened, by the name of the id in the path. */
const objects: { readonly [parameter: string]: () => Promise<string> } = {
  userId: async () => sandboxUser('alice').userId,
  accountId: async () => (await callAdmin<{ accounts: Account[] }>('users/ListUserAccounts', { user_id: sandboxUser('alice').userId })).accounts[0]!.account_id,
  groupId: async () => {
    const request = { local_part: uniqueName('team'), domain_id: (await ownDomain()).id };
    const { group } = await callAdmin<{ group: Group }>('aliases/CreateGroup', request);
    await callAdmin('aliases/AddGroupMembers', { group_id: group.group_id, addresses: [sandboxUser('alice').email] });
    return group.group_id;
  },
  domainId: async () => (await ownDomain()).id,
  submissionId: async () =>
    (await callAdmin<{ submission_id: string }>('domains/SendTestEmail', { id: (await ownDomain()).id, test_type: 'OOTO' })).submission_id,
  receivedId: async () => {
    const [subject, to] = [uniqueSubject('Page'), sandboxUser('alice').email];
    await sendMail([to], { subject, text: 'Hello' });
    return eventually(async () => {
      const { messages } = await callAdmin<{ messages: ReceivedMessage[] }>('mail-feedback/ListReceivedMessages', { address: to, subject_contains: subject });
      expect(messages).toHaveLength(1);
      return messages[0]!.received_id;
    });
  },
  requestId: async () =>
    (
      await callAdmin<{ request: ChangeRequest }>('change-requests/CreateChangeRequest', {
        type: 'LAMBDA_CONCURRENCY_INCREASE',
        lambda_concurrency: { desired_account_limit: 5000, reason: 'Bursts of mail' },
      })
    ).request.request_id,
  caseId: async () => (await callAdmin<{ case_id: string }>('support/OpenSupportCase', { subject: 'Mail is late', description: 'Since noon' })).case_id,
};

describeWith('users')('each page of the console', () => {
  let page: Page;
  const ids = new Map<string, string>();
  beforeAll(async () => {
    page = await browser.signedInPage({ bypassCSP: true, reducedMotion: 'reduce' });
    for (const [parameter, find] of Object.entries(objects)) ids.set(parameter, await find());
  });
  afterAll(async () => {
    await callAdmin('aliases/DeleteGroup', { group_id: ids.get('groupId') });
    await callAdmin('change-requests/CancelChangeRequest', { request_id: ids.get('requestId') });
    await callAdmin('support/CloseSupportCase', { case_id: ids.get('caseId') });
  });

  test.each(consolePaths)('%s opens by its address, is accessible with its help in light and dark, and fits a phone', async (path) => {
    const parameter = parameterOf(path);
    if (parameter !== undefined) expect([...ids.keys()]).toContain(parameter);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(desktop);
    await page.goto(`${consoleUrl}${path.replace(`:${parameter}`, ids.get(parameter ?? '') ?? '')}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await settled(page);
    expect(await page.getByText(/[Tt]here is no such|Try again/).count()).toBe(0);
    await openHelp(page);
    expect(await violations(page)).toEqual([]);
    expect(await violations(page, targetSize)).toEqual([]);
    await turnDark(page);
    expect(await violations(page, contrast)).toEqual([]);
    await closeHelp(page);
    await page.setViewportSize(phone);
    await eventually(async () => expect(await overhang(page)).toBe(0));
    expect(await violations(page, targetSize)).toEqual([]);
  });

  test.each([
    ['/audit', 'radio', words.list.select('')],
    ['/users', 'button', words.list.detailsOf('')],
  ] as const)('%s is accessible without help and with the details of a row, in light and dark', async (path, role, name) => {
    const choice = page.getByRole(role, { name }).first();
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(desktop);
    await page.goto(`${consoleUrl}${path}`);
    await choice.waitFor();
    expect(await violations(page)).toEqual([]);
    await choice.press('Space');
    await page.getByRole('button', { name: words.splitPanel.closeButtonAriaLabel }).waitFor();
    await settled(page);
    expect(await violations(page)).toEqual([]);
    await turnDark(page);
    expect(await violations(page, contrast)).toEqual([]);
  });
});

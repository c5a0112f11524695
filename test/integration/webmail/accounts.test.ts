import { randomUUID } from 'node:crypto';
import { adminMachineToken } from '../access-tokens.ts';
import { ok } from '../admin-calls.ts';
import { violations } from '../console/console-browser.ts';
import { describeWith } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { jmapClient, mailboxIdOf, type JmapClient } from '../jmap-client.ts';
import { createUserWithAccount } from '../user-with-account.ts';
import { idsIn, makeMails } from './made-mails.ts';
import { conversation, row, webmailBrowser } from './webmail-browser.ts';

describeWith(
  'webmail',
  'credentials',
  'adminHeadless',
)('other accounts in the web mail', () => {
  const browser = webmailBrowser();
  const label = randomUUID().slice(0, 8);
  let [read, write, own]: JmapClient[] = [];
  let colleagueAddress: string;
  let person: { email: string; password: string };

  beforeAll(async () => {
    const admin = await adminMachineToken();
    const [reader, owner, colleague] = [
      await createUserWithAccount(admin, `reader-${label}`),
      await createUserWithAccount(admin, `read-${label}`),
      await createUserWithAccount(admin, `write-${label}`),
    ];
    const share = (account: { account_id: string }, role: string) =>
      ok(admin, 'accounts/PutAccountMember', { account_id: account.account_id, user_id: reader.user.user_id, role });
    await share(owner.account, 'READ');
    await share(colleague.account, 'WRITE');
    [read, write, own] = await Promise.all([owner, colleague, reader].map(async (each) => jmapClient((await each.signIn()).access_token)));
    await makeMails(own!, await mailboxIdOf(own!, 'inbox'), [{ subject: `My own ${label}` }]);
    colleagueAddress = colleague.email;
    person = { email: reader.signInAddress, password: reader.password, ...(reader.authenticator && { authenticator: reader.authenticator }) };
  });

  test('of a mailbox to read only, everything is read and found, and nothing is offered that fails', async () => {
    const inbox = await mailboxIdOf(read!, 'inbox');
    await makeMails(read!, inbox, [{ subject: `To read ${label}`, text: 'A secret garden.' }, { subject: `Another ${label}` }]);
    const page = await browser.signedInPage(person);
    const refused: string[] = [];
    page.on('response', async (response) => {
      if (response.request().method() === 'POST' && /accountReadOnly|forbidden/.test(await response.text().catch(() => ''))) refused.push(response.url());
    });
    const section = page.locator('nav section').filter({ hasText: `read-${label}` });
    await section.getByRole('link', { name: /^Inbox.*2 unread/ }).click();
    await row(page, `To read ${label}`).click();
    await conversation(page, `To read ${label}`);
    await page.getByText('A secret garden.').first().waitFor();
    await expect(violations(page)).resolves.toEqual([]);
    const toolbar = page.getByRole('toolbar', { name: 'Conversation' });
    const enabled = await toolbar
      .getByRole('button')
      .evaluateAll((buttons: { disabled: boolean; textContent: string }[]) =>
        buttons.filter(({ disabled }) => !disabled).map(({ textContent }) => textContent),
      );
    expect(enabled).toEqual(['Back to the list', 'Newer conversation', 'Older conversation', 'Print or save']);
    for (const key of ['e', '#', '!', 's', 'v', 'l', 'Shift+I', 'Shift+U']) await page.keyboard.press(key);
    await page.keyboard.press('u');
    await row(page, `Another ${label}`).click({ button: 'right' });
    await expect(page.getByRole('menuitem').allTextContents()).resolves.toEqual(['Open', 'Print conversation', 'Save as .eml']);
    await page.keyboard.press('Escape');
    expect(await section.getByRole('button').count()).toBe(0);
    await page.keyboard.press('/');
    await page.keyboard.type('garden');
    await page.keyboard.press('Enter');
    await row(page, `To read ${label}`).waitFor();
    expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe('1');
    expect(page.url()).toContain('/account/');
    expect(await idsIn(read!, inbox)).toHaveLength(2);
    expect(refused).toEqual([]);
    await page.context().close();
  });

  test('the list says that the mail of its account is forwarded, and asks for it with what it asks for anyway', async () => {
    const [set] = await own!.call(['Forwarding/set', { update: { singleton: { addresses: [colleagueAddress], keepsCopy: false } } }]);
    expect(set).toMatchObject({ updated: { singleton: null } });
    const page = await browser.signedInPage(person);
    const requests: string[][] = [];
    page.on('request', (request) => {
      const calls = request.method() === 'POST' ? (request.postDataJSON() as { methodCalls?: [string][] } | null)?.methodCalls : undefined;
      if (calls) requests.push(calls.map(([name]) => name));
    });
    await page.reload();
    await page.getByText(`Mail is forwarded to ${colleagueAddress}; no copy is kept here.`).waitFor();
    await expect(violations(page)).resolves.toEqual([]);
    expect(requests.filter((names) => names.includes('Forwarding/get'))).toEqual([expect.arrayContaining(['Quota/get', 'Forwarding/get'])]);
    await page
      .locator('nav section')
      .filter({ hasText: `write-${label}` })
      .getByRole('link', { name: /^Inbox/ })
      .click();
    await page.getByText('Mail is forwarded to').waitFor({ state: 'detached' });
    expect(await own!.call(['Forwarding/set', { update: { singleton: { addresses: [] } } }])).toMatchObject([{ updated: { singleton: {} } }]);
    await page.context().close();
  });

  test('in a mailbox to write, acts and push work; a move to another account is a copy, and can be undone', async () => {
    const theirs = await mailboxIdOf(write!, 'inbox');
    const mine = await mailboxIdOf(own!, 'inbox');
    const [first, second] = await makeMails(write!, theirs, [{ subject: `Shared one ${label}` }, { subject: `Shared two ${label}` }]);
    const page = await browser.signedInPage(person);
    const section = page.locator('nav section').filter({ hasText: `write-${label}` });
    await section.getByRole('link', { name: /^Inbox.*2 unread/ }).click();
    await row(page, `Shared one ${label}`).focus();
    await page.keyboard.press('e');
    await row(page, `Shared one ${label}`).waitFor({ state: 'detached' });
    await eventually(async () => expect(await idsIn(write!, await mailboxIdOf(write!, 'archive'))).toEqual([first]));
    // Somebody else's change comes by push.
    await makeMails(write!, theirs, [{ subject: `Shared three ${label}` }]);
    await section.getByRole('link', { name: /^Inbox.*2 unread/ }).waitFor();

    const before = (await idsIn(own!, mine)).length;
    await row(page, `Shared two ${label}`).focus();
    await page.keyboard.press('v');
    const dialog = page.getByRole('dialog', { name: 'Move to' });
    await dialog
      .getByRole('region', { name: `reader-${label}` })
      .getByRole('button', { name: 'Inbox' })
      .click();
    await page.getByRole('status').filter({ hasText: '1 message moved to Inbox' }).waitFor();
    await row(page, `Shared two ${label}`).waitFor({ state: 'detached' });
    expect((await idsIn(own!, mine)).length).toBe(before + 1);
    expect(await idsIn(write!, await mailboxIdOf(write!, 'trash'))).toEqual([second]);
    await page.keyboard.press('z');
    await row(page, `Shared two ${label}`).waitFor();
    await eventually(async () => expect((await idsIn(own!, mine)).length).toBe(before));
    expect(await idsIn(write!, theirs)).toContain(second);

    // By drag, onto a mailbox of the other account.
    await row(page, `Shared three ${label}`).dragTo(
      page
        .locator('nav section')
        .filter({ hasText: `reader-${label}` })
        .getByRole('link', { name: /^Inbox/ }),
    );
    await row(page, `Shared three ${label}`).waitFor({ state: 'detached' });
    await page
      .locator('nav section')
      .filter({ hasText: `reader-${label}` })
      .getByRole('link', { name: /^Inbox/ })
      .click();
    await row(page, `Shared three ${label}`).waitFor();

    // All that a search has. What somebody else deletes meanwhile is ticked no more.
    const [fourth, fifth] = await makeMails(
      write!,
      theirs,
      ['four', 'five', 'six', 'seven'].map((subject) => ({ subject: `Shared ${subject} ${label}` })),
    );
    await section.getByRole('link', { name: /^Inbox/ }).click();
    await page.locator('[role=grid][aria-rowcount="5"]').waitFor();
    await page.getByRole('checkbox', { name: 'Select all that are loaded' }).check();
    await page.getByRole('status').filter({ hasText: /^5$/ }).waitFor();
    await write!.call(['Email/set', { destroy: [fourth] }]);
    await page.getByRole('status').filter({ hasText: /^4$/ }).waitFor();
    await page.getByRole('searchbox', { name: 'Search mail' }).fill(`in:inbox subject:"Shared" subject:${label}`);
    await page.keyboard.press('Enter');
    await row(page, `Shared five ${label}`).waitFor();
    await page.getByRole('checkbox', { name: 'Select all that are loaded' }).check();
    await page.getByRole('button', { name: 'Select all here' }).click();
    await page.keyboard.press('v');
    await dialog
      .getByRole('region', { name: `reader-${label}` })
      .getByRole('button', { name: 'Inbox' })
      .click();
    await page.getByRole('status').filter({ hasText: '4 messages moved to Inbox' }).waitFor();
    await eventually(async () => expect((await idsIn(own!, mine)).length).toBe(before + 5));
    expect(await idsIn(write!, theirs)).toEqual([]);
    expect(await idsIn(write!, await mailboxIdOf(write!, 'trash'))).toContain(fifth);
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(async () => expect((await idsIn(own!, mine)).length).toBe(before + 1));
    expect(await idsIn(write!, theirs)).toContain(fifth);
    await page
      .locator('nav section')
      .filter({ hasText: `reader-${label}` })
      .getByRole('link', { name: /^Inbox/ })
      .click();
    await row(page, `Shared three ${label}`).focus();

    const trash = await mailboxIdOf(own!, 'trash');
    await makeMails(own!, trash, [{ subject: `Old ${label}` }, { subject: `Older ${label}` }]);
    await page.keyboard.press('#');
    await page
      .locator('nav section')
      .filter({ hasText: `reader-${label}` })
      .getByRole('link', { name: /^Trash.*3 unread/ })
      .click();
    await page.getByRole('button', { name: 'Empty', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for ever' }).click();
    await page.getByText('Nothing here.').waitFor();
    await eventually(async () => expect(await idsIn(own!, trash)).toEqual([]));
    await page.context().close();
  });
});

import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { createAdminClient } from '../../../contract/client.ts';
import { accessTokenOf, adminMachineToken } from '../access-tokens.ts';
import { violations } from '../console/console-browser.ts';
import { deployed, describeWith, sandboxUser } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { jmapClient, mailboxIdOf, type JmapClient } from '../jmap-client.ts';
import { uniqueSubject } from '../send-by-smtp.ts';
import { createUserWithAccount } from '../user-with-account.ts';
import { composer, composerText, emailsIn, send, write } from './composer-page.ts';
import { makeMails } from './made-mails.ts';
import { conversation, row, signInToWebmail, webmailBrowser, webmailUrl } from './webmail-browser.ts';

/** The requests to the JMAP API of a page. */
const api = /\/jmap\/?$/;

describeWith('webmail', 'users')('writing when something fails', () => {
  const browser = webmailBrowser();
  const admin = createAdminClient({ baseUrl: deployed.adminApiUrl, token: adminMachineToken });
  const mark = uniqueSubject('').trim();
  let writer: Awaited<ReturnType<typeof createUserWithAccount>>;
  let client: JmapClient;
  beforeAll(async () => {
    writer = await createUserWithAccount(await adminMachineToken(), `writer-${randomUUID().slice(0, 8)}`);
    client = await jmapClient((await writer.signIn()).access_token);
    // The page has a list.
    await makeMails(client, await mailboxIdOf(client, 'inbox'), [{ subject: 'First' }]);
  });
  afterAll(async () => {
    await admin.accounts.DeleteAccount({ account_id: writer.account.account_id });
    await admin.users.DeleteUser({ user_id: writer.user.user_id });
  });

  const state = (page: Page, text: string) => composer(page).getByRole('status').filter({ hasText: text });
  const limit = (maxOctets: number) => async (): Promise<void> => {
    await admin.accounts.UpdateAccount({ account_id: writer.account.account_id, max_octets: maxOctets });
  };
  const refuse = (page: Page) =>
    page.route(api, (route) =>
      route.request().postData()?.includes('Email/set') ? route.fulfill({ status: 413, json: { detail: 'It is too large.' } }) : route.fallback(),
    );
  const unroute = (page: Page) => page.unroute(api);

  test('what is written is kept while the account is full and requests are refused, over a killed tab, and is sent then', async () => {
    const context = await browser.newContext();
    let page = await context.newPage();
    await signInToWebmail(page, { ...writer, email: writer.signInAddress });
    for (const [reason, fail, mend] of [
      ['The account is full', limit(1), limit(0)],
      ['It is too large', refuse, unroute],
    ] as const) {
      const subject = `${reason} ${mark}`;
      await fail(page);
      await write(page, { to: sandboxUser('bob').email, subject, text: 'All of it' });
      await state(page, 'Not saved').filter({ hasText: reason }).waitFor();
      await composer(page).getByRole('button', { name: 'Save and close' }).click();
      await composer(page).getByRole('alert').filter({ hasText: 'Not saved' }).waitFor();
      await send(page);
      await composer(page).getByRole('alert').filter({ hasText: 'Not sent' }).waitFor();
      await composerText(page).filter({ hasText: 'All of it' }).waitFor();
      await mend(page);
      const killed = page;
      page = await context.newPage();
      await killed.close();
      await page.goto(webmailUrl);
      await composerText(page).filter({ hasText: 'All of it' }).waitFor();
      await state(page, 'Saved').waitFor();
      await send(page);
      await composer(page).waitFor({ state: 'detached' });
      expect([await emailsIn(client, 'drafts', subject), await emailsIn(client, 'sent', subject)]).toMatchObject([[], [{ preview: 'All of it' }]]);
    }
    await context.close();
  });

  test('what is written is there after a sign-in that ended, and a part of the page that is gone does not take it away', async () => {
    const page = await browser.signedInPage('alice');
    await write(page, { to: sandboxUser('bob').email, subject: `Ended ${mark}`, text: 'Not yet' });
    await state(page, 'Saved').waitFor();
    await page.keyboard.type(' and more');
    await page.route('**/token', (route) => route.fulfill({ status: 400, json: { error: 'invalid_grant' } }));
    await page.route(api, (route) => route.fulfill({ status: 401, json: {} }));
    await page.getByRole('heading', { name: 'Your sign-in has ended' }).waitFor();
    await page.unroute(api);
    await page.unroute('**/token');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await composerText(page).filter({ hasText: 'and more' }).waitFor();
    // The page was deployed anew, and has not all parts of the old one.
    await page.route(/redirect-dialog[^/]*\.js$/, (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: /^Inbox/ }).click();
    await page.getByRole('gridcell').nth(1).click();
    await page.getByRole('article').getByRole('button', { name: 'Details' }).first().click();
    await page.getByRole('button', { name: 'Redirect' }).first().click();
    await page.getByRole('button', { name: 'Load the page again' }).click();
    await composerText(page).filter({ hasText: 'and more' }).waitFor();
    await send(page);
    await composer(page).waitFor({ state: 'detached' });
    const alice = await jmapClient(await accessTokenOf('alice'));
    expect([await emailsIn(alice, 'drafts', `Ended ${mark}`), (await emailsIn(alice, 'sent', `Ended ${mark}`)).length]).toEqual([[], 1]);
    await page.context().close();
  });

  test('what is written offline is kept over a killed tab, is saved when the connection is back, and is sent', async () => {
    const context = await browser.newContext();
    let page = await context.newPage();
    await signInToWebmail(page, 'alice');
    await write(page, { to: sandboxUser('bob').email, subject: `Offline ${mark}`, text: 'On the train' });
    await state(page, 'Saved').waitFor();
    await context.setOffline(true);
    await page.keyboard.type(', in a tunnel');
    await send(page);
    await composer(page).getByRole('button', { name: 'Sending…' }).waitFor();
    const killed = page;
    page = await context.newPage();
    await killed.close();
    await context.setOffline(false);
    await page.goto(webmailUrl);
    await composerText(page).filter({ hasText: 'in a tunnel' }).waitFor();
    await send(page);
    await composer(page).waitFor({ state: 'detached' });
    const alice = await jmapClient(await accessTokenOf('alice'));
    const found = [await emailsIn(alice, 'drafts', `Offline ${mark}`), await emailsIn(alice, 'sent', `Offline ${mark}`)];
    expect(found).toMatchObject([[], [{ preview: 'On the train, in a tunnel' }]]);
    await context.close();
  });

  test('a recipient whom the server refuses is marked, and to one whom a message did not reach it is written again', async () => {
    const alice = await jmapClient(await accessTokenOf('alice'));
    const bounce = `bounce+${randomUUID().slice(0, 8)}@simulator.amazonses.com`;
    const [roles, identities] = [
      { draft: await mailboxIdOf(alice, 'drafts'), sent: await mailboxIdOf(alice, 'sent') },
      (await alice.call(['Identity/get', { ids: null }]))[0]!['list'] as { id: string; email: string }[],
    ];
    const { id: identityId, email: from } = identities[0]!;
    await alice.call(
      [
        'Email/set',
        {
          create: {
            e: {
              mailboxIds: { [roles.sent]: true },
              keywords: { $seen: true },
              from: [{ email: from }],
              to: [{ email: bounce }, { email: sandboxUser('bob').email }],
              subject: `Bounced ${mark}`,
              bodyStructure: { partId: 't', type: 'text/plain' },
              bodyValues: { t: { value: 'Once more' } },
            },
          },
        },
      ],
      ['EmailSubmission/set', { create: { s: { emailId: '#e', identityId } } }],
    );
    const page = await browser.signedInPage('alice');
    await page.getByRole('link', { name: /^Sent/ }).click();
    await row(page, `Bounced ${mark}`).click();
    await conversation(page, `Bounced ${mark}`);
    await eventually(async () => {
      await page.reload();
      await page
        .getByRole('note')
        .filter({ hasText: `Not delivered to ${bounce}` })
        .waitFor({ timeout: 5000 });
    }, 50);
    await expect(violations(page)).resolves.toEqual([]);
    await page.getByRole('button', { name: 'Write to them again' }).click();
    await composerText(page).filter({ hasText: 'Once more' }).waitFor();
    const to = composer(page).getByRole('list', { name: 'To: addresses' });
    await to.getByText(bounce).waitFor();
    expect(await to.getByRole('listitem').count()).toBe(1);

    // The server knows no wrong address that the page takes for a right one.
    await page.route(api, async (route) => {
      const body = route.request().postData() ?? '';
      const response = await route.fetch({ postData: body.includes('EmailSubmission/set') ? body.replaceAll(bounce, 'no address') : body });
      await route.fulfill({ response, body: (await response.text()).replaceAll('no address', bounce) });
    });
    await send(page);
    await composer(page).getByRole('alert').filter({ hasText: 'Not sent' }).waitFor();
    await composer(page).getByRole('status').filter({ hasText: 'The server refuses this address.' }).waitFor();
    await expect(violations(page)).resolves.toEqual([]);
    await page.unroute(api);
    await composer(page).getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await composer(page).waitFor({ state: 'detached' });
    await page.context().close();
  });
});

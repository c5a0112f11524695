import type { Page } from 'playwright-core';
import { formatOctets } from '../../../console/words/octets.ts';
import { accountWords, deletedMailWords } from '../../../console/words/pages/accounts.ts';
import { activityWords } from '../../../console/words/pages/activity.ts';
import { domainWords } from '../../../console/words/pages/domains.ts';
import { connectWords } from '../../../console/words/pages/operations.ts';
import { userMailWords, userWords } from '../../../console/words/pages/users.ts';
import { words } from '../../../console/words/words.ts';
import type { Account } from '../../../contract/admin/accounts.ts';
import { accessTokenOf, adminMachineToken } from '../access-tokens.ts';
import { deployed, describeWith, sandboxUser } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { identityIdOf, jmapClient, mailboxIdOf } from '../jmap-client.ts';
import { primaryDomain } from '../primary-domain.ts';
import { callAdmin, consoleBrowser, consoleUrl, createUser, open, uniqueName } from './console-browser.ts';

const browser = consoleBrowser();

describeWith('users')('the console of an admin with the role HELPDESK', () => {
  const { userId } = sandboxUser('alice');
  let page: Page;
  let domainId: string;
  beforeAll(async () => {
    await callAdmin('users/UpdateUser', { user_id: userId, is_admin: true, admin_role: 'HELPDESK' });
    page = await browser.signedInPage({ person: 'alice' });
    domainId = (await primaryDomain(await adminMachineToken())).id;
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

  test.each([
    ['HELPDESK', '/domains/:domainId', [domainWords.remove, domainWords.edit]],
    ['READ_ONLY', '/users/:userId', [userWords.deactivate, userWords.addAccount]],
    ['READ_ONLY', '/users', [userWords.invite]],
  ] as const)('disables beforehand what the role %s may not do', async (admin_role, path, disabled) => {
    await callAdmin('users/UpdateUser', { user_id: userId, is_admin: true, admin_role });
    await page.goto(`${consoleUrl}${path.replace(':domainId', domainId).replace(':userId', userId)}`);
    for (const name of disabled) {
      const button = page.getByRole('button', { name, exact: true }).first();
      await eventually(async () => expect([name, await button.isDisabled()]).toEqual([name, true]));
    }
    await callAdmin('users/UpdateUser', { user_id: userId, is_admin: true, admin_role: 'HELPDESK' });
  });

  test('says of a person how full their mail is and what waits, copies the instructions, and restores what was deleted', async () => {
    const { email, userId: bobId, accountId } = sandboxUser('bob');
    const bob = await accessTokenOf('bob').then(jmapClient);
    const [deleted, held] = [uniqueName('Deleted'), uniqueName('Held')];
    const archive = { [await mailboxIdOf(bob, 'archive')]: true };
    const [created] = await bob.call([
      'Email/set',
      {
        create: {
          deleted: { mailboxIds: archive, subject: deleted },
          held: { mailboxIds: archive, subject: held, from: [{ email }], to: [{ email }], bodyValues: { 1: { value: 'x' } }, textBody: [{ partId: '1' }] },
        },
      },
    ]);
    const ids = created!['created'] as { deleted: { id: string }; held: { id: string } };
    await bob.call(['Email/set', { destroy: [ids.deleted.id] }]);
    const envelope = { mailFrom: { email, parameters: { HOLDFOR: '3600' } }, rcptTo: [{ email, parameters: null }] };
    const [sent] = await bob.call(['EmailSubmission/set', { create: { s: { identityId: await identityIdOf(bob, email), emailId: ids.held.id, envelope } } }]);
    const { id: submission } = (sent!['created'] as { s: { id: string } }).s;
    const { account } = await callAdmin<{ account: Account }>('accounts/GetAccount', { account_id: accountId });

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(page, '/users', words.pages.users);
    await page.locator(`a[href="/users/${bobId}"]`).click();
    await page.getByText(accountWords.of('', formatOctets(account.quota!.max_octets))).waitFor();
    await page.getByRole('button', { name: connectWords.copyAll }).click();
    await page.getByText(words.copy.done).waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    for (const text of [account.email, deployed.outputs['jmapUrl']!, deployed.outputs['webmailUrl'] ?? '']) expect(copied).toContain(text);

    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.getByRole('row', { name: held }).waitFor();
    await page.getByRole('button', { name: `${deletedMailWords.restore} ${deleted}` }).click();
    await page.getByText(deletedMailWords.restored(1)).waitFor();
    await eventually(async () => {
      const [found] = await bob.call(['Email/get', { ids: [ids.deleted.id], properties: ['id'] }]);
      expect(found!['list']).toHaveLength(1);
    });
    await page.getByRole('button', { name: userMailWords.waiting.all }).click();
    await page.getByRole('heading', { level: 1, name: activityWords.mail(account.email) }).waitFor();
    await bob.call(['EmailSubmission/set', { update: { [submission]: { undoStatus: 'canceled' } } }]);
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

import type { Page } from 'playwright-core';
import { words } from '../../../console/words/words.ts';
import type { Account } from '../../../contract/admin/accounts.ts';
import type { Alias } from '../../../contract/admin/aliases.ts';
import type { User } from '../../../contract/admin/users.ts';
import { deployed, describeWith, sandboxUser } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { messagesTo, outboxText } from '../outbox.ts';
import { callAdmin, consoleBrowser, createUser, intercept, open, respondWith, uniqueName } from './console-browser.ts';

const browser = consoleBrowser();

type Overview = { readonly user: User; readonly accounts: readonly Account[] };

/** Reads the users with an address from the API. */
const usersOf = async (email: string): Promise<readonly User[]> =>
  (await callAdmin<{ readonly users: readonly User[] }>('users/ListUsers', { page_size: 1000 })).users.filter(({ primary_email: one }) => one === email);

const overviewOf = ({ user_id }: User): Promise<Overview> => callAdmin<Overview>('users/GetUserOverview', { user_id });

/** The invitations to an address in the outbox. */
const invitationsTo = async (email: string): Promise<number> => (await messagesTo(email)).length;

describeWith('users')('the pages of people', () => {
  let page: Page;
  const invited: User[] = [];
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const title = (name: string) => page.getByRole('heading', { level: 1, name });
  beforeAll(async () => {
    page = await browser.signedInPage();
  });
  afterAll(async () => {
    for (const user of invited) {
      for (const { account_id } of (await overviewOf(user)).accounts) await callAdmin('accounts/DeleteAccount', { account_id });
      await callAdmin('users/DeleteUser', { user_id: user.user_id });
    }
  });

  test('invite a person with an account in three clicks, and show the text to pass on', async () => {
    const name = uniqueName('tom');
    const email = `${name}@elsewhere.example`;
    await open(page, '/', 'Overview');
    await page.getByRole('navigation').getByRole('link', { name: 'Users', exact: true }).click();
    await button('Invite a person').click();
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Name', { exact: false }).first().fill('Tom Taylor');
    await button('Send the invitation').click();
    await title('Connect Tom Taylor').waitFor();
    await page.getByText(`${deployed.outputs['jmapUrl']}/.well-known/jmap`).waitFor();
    await page.getByAltText('QR code').waitFor();

    const [user] = await usersOf(email);
    invited.push(user!);
    const { accounts } = await overviewOf(user!);
    expect(accounts).toMatchObject([{ name: 'Tom Taylor', email: `${name}@${sandboxUser('alice').email.split('@')[1]}` }]);
    await page.getByText(accounts[0]!.email).waitFor();
  });

  test('set the storage of an account in gigabytes', async () => {
    const {
      accounts: [account],
    } = await overviewOf(invited[0]!);
    await open(page, `/accounts/${account!.account_id}`, account!.name);
    await button('Change').first().click();
    const dialog = page.getByRole('dialog', { name: `Change ${account!.name}` });
    await dialog.getByLabel('Storage limit in GB').fill('2.5');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('of 2.5 GB').waitFor();
    expect(await callAdmin('accounts/GetAccount', { account_id: account!.account_id })).toMatchObject({ account: { quota: { max_octets: 2_500_000_000 } } });
  });

  test('an empty invitation asks for the two addresses only', async () => {
    await open(page, '/users/invite', 'Invite a person');
    await button('Send the invitation').click();
    await page.getByText('E-mail address is required').waitFor();
    await page.getByText('Address before the @ is required').waitFor();
    expect(await page.getByText(/must be|is required/).count()).toBe(2);
  });

  test('continue with the account after it was refused, and invite the person only once', async () => {
    const name = uniqueName('half');
    const email = `${name}@elsewhere.example`;
    await open(page, '/users/invite', 'Invite a person');
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Address before the @').fill(sandboxUser('alice').email.split('@')[0]!);
    await button('Send the invitation').click();
    await page.getByText(`${email} was invited, but has no account yet`).waitFor();
    await page.getByText('the address is taken').first().waitFor();
    await page.getByLabel('Address before the @').fill(name);
    await button('Make the account').click();
    await title(`Connect ${email}`).waitFor();

    const users = await usersOf(email);
    invited.push(...users);
    expect(users).toHaveLength(1);
    expect((await overviewOf(users[0]!)).accounts).toHaveLength(1);
  });

  test('send an invitation again, and explain why a person who has signed in gets none', async () => {
    const user = await createUser();
    invited.push(user);
    await open(page, `/users/${user.user_id}`, user.name);
    await eventually(async () => expect(await invitationsTo(user.name)).toBe(1));
    await button('Actions').click();
    await page.getByRole('menuitem', { name: 'Resend the invitation' }).click();
    await page.getByText(`The invitation was sent to ${user.name} again`).waitFor();
    await eventually(async () => expect(await invitationsTo(user.name)).toBe(2));

    await open(page, `/users/${sandboxUser('alice').userId}`, 'Alice');
    await button('Actions').click();
    await page.getByRole('menuitem', { name: 'Resend the invitation' }).click();
    await page.getByText('Forgot your password?').waitFor();
  });

  test('reset the password of a person, and show the temporary password until the dialog is closed', async () => {
    const user = await createUser();
    invited.push(user);
    await open(page, `/users/${user.user_id}`, user.name);
    await button('Actions').click();
    await page.getByRole('menuitem', { name: 'Reset the password' }).click();
    const question = page.getByRole('dialog', { name: `Reset the password of ${user.name}` });
    await question.getByText('all sessions on every device').waitFor();
    await question.getByRole('button', { name: 'Reset the password' }).click();
    const answer = page.getByRole('dialog', { name: `The password of ${user.name} was reset` });
    const password = answer.getByText(/^\w{4}(-\w{4}){3}$/);
    await password.waitFor();
    await answer.getByRole('button', { name: 'I have passed it on' }).click();
    await password.waitFor({ state: 'detached' });
  });

  test('reset the second factor of a person who lost their phone, where the deployment requires one', async () => {
    const user = await createUser();
    invited.push(user);
    await open(page, `/users/${user.user_id}`, user.name);
    await button('Actions').click();
    await page.getByRole('menuitem', { name: 'Reset the password' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Reset the second factor' }).count()).toBe(0);

    const setting = '**/config.json';
    await page.route(setting, async (route) => route.fulfill({ json: { ...((await (await route.fetch()).json()) as object), mfa: 'required' } }));
    const [end, reset] = [await intercept(page, 'users/ResetSecondFactor', respondWith(200, {})), page.waitForRequest('**/users/ResetSecondFactor')];
    await open(page, `/users/${user.user_id}`, user.name);
    await button('Actions').click();
    await page.getByRole('menuitem', { name: 'Reset the second factor' }).click();
    const question = page.getByRole('dialog', { name: `Reset the second factor of ${user.name}` });
    await question.getByText('all sessions on every device end').waitFor();
    await question.getByRole('button', { name: 'Reset the second factor' }).click();
    await page.getByText(`${user.name} sets up another authenticator app at the next sign-in`).waitFor();
    expect((await reset).postDataJSON()).toEqual({ user_id: user.user_id });

    await open(page, `/connect?user=${user.user_id}`, `Connect ${user.name}`);
    await page.getByText('a code to scan with the authenticator app').waitFor();
    await end();
    await page.unroute(setting);
  });

  test('create a person at a domain of the deployment with a temporary password, to copy or to print, and lead to the connection', async () => {
    const name = uniqueName('ben');
    const email = `${name}@${sandboxUser('alice').email.split('@')[1]!}`;
    await open(page, '/users/invite', 'Invite a person');
    await page.getByLabel('E-mail address').fill(email);
    await page.getByText('No invitation is mailed to this address').waitFor();
    await button('Create the user').click();
    const dialog = page.getByRole('dialog', { name: `${email} can sign in with this password` });
    const password = await dialog.getByText(/^\w{4}(-\w{4}){3}$/).innerText();
    invited.push(...(await usersOf(email)));
    await page.emulateMedia({ media: 'print' });
    const sheet = page.locator('.print-sheet');
    for (const printed of [email, password, '/.well-known/jmap']) await sheet.getByText(printed).first().waitFor();
    expect(await dialog.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'screen' });
    expect(await sheet.isVisible()).toBe(false);
    await dialog.getByRole('button', { name: 'I have passed it on' }).click();
    await title(`Connect ${email}`).waitFor();
    expect(await page.getByText(password).count()).toBe(0);
    await page.getByText(`nothing is mailed to ${email}`).waitFor();
    await button('Reset the password').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset the password' }).click();
    await page.getByRole('dialog', { name: `The password of ${email} was reset` }).waitFor();
    expect(await invitationsTo(email)).toBe(0);
  });

  test('show a temporary password of a person with an address outside, where the admin wants none mailed, also when the account is refused', async () => {
    const name = uniqueName('sheet');
    const email = `${name}@elsewhere.example`;
    await open(page, '/users/invite', 'Invite a person');
    await page.getByLabel('E-mail address').fill(email);
    await page.getByText('Show me a temporary password to pass on').click();
    await page.getByLabel('Address before the @').fill(sandboxUser('alice').email.split('@')[0]!);
    await button('Create the user').click();
    const dialog = page.getByRole('dialog', { name: `${email} can sign in with this password` });
    await dialog.getByText(/^\w{4}(-\w{4}){3}$/).waitFor();
    await dialog.getByRole('button', { name: 'I have passed it on' }).click();
    invited.push(...(await usersOf(email)));
    await page.getByText('the address is taken').first().waitFor();
    await page.getByLabel('Address before the @').fill(name);
    await button('Make the account').click();
    await title(`Connect ${email}`).waitFor();
    await page.getByText('the temporary password that you passed on').waitFor();
    expect(await invitationsTo(email)).toBe(0);
  });

  test('mail the temporary password to a private address, which the invitation and the reset ask for', async () => {
    const name = uniqueName('pia');
    const email = `${name}@${sandboxUser('alice').email.split('@')[1]!}`;
    const home = `${name}@home.example`;
    await open(page, '/users/invite', 'Invite a person');
    await page.getByLabel('E-mail address').fill(email);
    await page.getByText('Mail the invitation to a private address').click();
    await button('Send the invitation').click();
    await page.getByText('Private address is required').waitFor();
    await page.getByRole('textbox', { name: 'Private address' }).fill(home);
    await button('Send the invitation').click();
    await title(`Connect ${email}`).waitFor();
    await page.getByText('is mailed to the private address').waitFor();
    invited.push(...(await usersOf(email)));
    await eventually(async () => expect(await invitationsTo(home)).toBe(1));
    expect(await outboxText((await messagesTo(home))[0]!.id)).toContain(sandboxUser('admin').email);

    await button('Reset the password').click();
    const dialog = page.getByRole('dialog', { name: `Reset the password of ${email}` });
    await dialog.getByText('Mail it to a private address').click();
    await dialog.getByRole('textbox', { name: 'Private address' }).fill(`nobody@${email.split('@')[1]!}`);
    await dialog.getByRole('button', { name: 'Reset the password' }).click();
    await dialog.getByText('is at a domain that this deployment receives').waitFor();
    await dialog.getByRole('textbox', { name: 'Private address' }).fill(home);
    await dialog.getByRole('button', { name: 'Reset the password' }).click();
    await page.getByText(`The temporary password was mailed to ${home}.`).waitFor();
    await eventually(async () => expect(await invitationsTo(home)).toBe(2));
    expect(await invitationsTo(email)).toBe(0);
  });

  test('change the sign-in address of a person, and say why another person’s is refused', async () => {
    const name = uniqueName('mia');
    const [email, moved] = [`${name}@elsewhere.example`, `${name}-moved@elsewhere.example`];
    const { user } = await callAdmin<{ user: User }>('users/CreateUser', { email, display_name: name, return_temporary_password: true });
    invited.push(user);
    await open(page, `/users/${user.user_id}`, name);
    await button('Actions').click();
    await page.getByRole('menuitem', { name: 'Change the sign-in address' }).click();
    const dialog = page.getByRole('dialog', { name: `Change the sign-in address of ${name}` });
    await dialog.getByLabel('E-mail address').fill(sandboxUser('bob').email);
    await dialog.getByRole('button', { name: 'Change the sign-in address' }).click();
    await dialog.getByText('a user has this email address already').first().waitFor();
    await dialog.getByLabel('E-mail address').fill(moved);
    await dialog.getByRole('button', { name: 'Change the sign-in address' }).click();
    await page.getByText(`${name} now signs in as ${moved}`).waitFor();
    expect(await callAdmin('users/GetUser', { user_id: user.user_id })).toMatchObject({ user: { primary_email: moved } });
  });

  test('say that a person with an address here can’t sign in yet, and lead to the temporary password', async () => {
    const name = uniqueName('ned');
    const { user } = await callAdmin<{ user: User }>('users/CreateUser', { email: `${name}@${sandboxUser('alice').email.split('@')[1]!}`, display_name: name });
    invited.push(user);
    await open(page, '/users', 'Users');
    await page.getByRole('row', { name }).getByText('Can’t sign in yet').waitFor();
    await page.getByRole('link', { name }).click();
    await title(name).waitFor();
    await page.getByText('nobody knows a password of this person').waitFor();
    await button('Reset the password').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset the password' }).click();
    await page.getByRole('button', { name: 'I have passed it on' }).click();
    await page.getByText('Temporary password valid until').waitFor();
    await page.getByText('Invited', { exact: true }).waitFor();
    expect(await page.getByText('nobody knows a password of this person').count()).toBe(0);
  });

  test('keep the direction of a name to the name, in links and breadcrumbs', async () => {
    const name = `${uniqueName('עדה')} (admin)`;
    const user = await createUser({ display_name: name });
    invited.push(user);
    await open(page, '/users', 'Users');
    const link = page.getByRole('link', { name });
    expect(await link.locator('bdi').innerText()).toBe(name);
    await link.click();
    await title(name).waitFor();
    await page.getByRole('navigation', { name: words.breadcrumbs }).getByText(`\u2068${name}\u2069`).first().waitFor();
  });

  test('deactivate a user in three clicks and by the user’s name', async () => {
    const user = await createUser({ display_name: uniqueName('Leaver') });
    invited.push(user);
    await open(page, '/', 'Overview');
    await page.getByRole('navigation').getByRole('link', { name: 'Users', exact: true }).click();
    await page.getByRole('link', { name: user.name }).click();
    await button('Deactivate').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Mail of theirs that waits to be sent').waitFor();
    expect(await dialog.getByRole('button', { name: 'Deactivate' }).isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill(user.name);
    await dialog.getByRole('textbox').press('Enter');
    await page.getByText(`${user.name} was deactivated`).waitFor();
    await page.getByText('Deactivated', { exact: true }).waitFor();
    expect((await overviewOf(user)).user.is_active).toBe(false);

    await open(page, '/users', 'Users');
    await page.getByRole('button', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Deactivated' }).click();
    await page.getByRole('link', { name: user.name }).waitFor();
    await page.getByRole('link', { name: 'Alice' }).waitFor({ state: 'detached' });
    expect(page.url()).toContain('state=deactivated');
  });

  test('say what remains of a person who is deleted, and mark them among the members', async () => {
    const name = uniqueName('lea');
    const { accountId, email: shared } = sandboxUser('alice');
    const { user } = await callAdmin<{ user: User }>('users/CreateUser', { email: `${name}@elsewhere.example`, display_name: name });
    invited.push(user);
    const { domains } = await callAdmin<{ domains: { id: string; domain: string }[] }>('domains/ListDomains', {});
    const domain = domains.find((one) => one.domain === shared.split('@')[1])!;
    await callAdmin('accounts/CreateAccount', { user_id: user.user_id, name, local_part: name, domain_id: domain.id });
    await callAdmin('accounts/PutAccountMember', { account_id: accountId, user_id: user.user_id, role: 'READ' });
    await open(page, `/users/${user.user_id}`, name);
    await button('Actions').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill(name);
    await page.keyboard.press('Enter');
    await page.getByText(`Mail for ${name}@${domain.domain} still arrives`).waitFor();
    await page.getByText('without access').waitFor();
    const { account } = await callAdmin<{ account: Account }>('accounts/GetAccount', { account_id: accountId });
    await open(page, `/accounts/${accountId}`, account.name);
    await page.getByRole('row', { name }).getByText('No access any more').waitFor();
    await callAdmin('accounts/DeleteAccountMember', { account_id: accountId, user_id: user.user_id });
  });

  test('give the address of somebody who left to a colleague, and restore the person with another sign-in address', async () => {
    const name = uniqueName('kim');
    const alice = sandboxUser('alice');
    const domain = alice.email.split('@')[1]!;
    const { user } = await callAdmin<{ user: User }>('users/CreateUser', { email: `${name}@elsewhere.example`, display_name: name });
    invited.push(user);
    const { domains } = await callAdmin<{ domains: { id: string; domain: string }[] }>('domains/ListDomains', {});
    const { account } = await callAdmin<{ account: Account }>('accounts/CreateAccount', {
      user_id: user.user_id,
      name,
      local_part: name,
      domain_id: domains.find((one) => one.domain === domain)!.id,
    });
    const { account: hers } = await callAdmin<{ account: Account }>('accounts/GetAccount', { account_id: alice.accountId });
    await callAdmin('users/DeleteUser', { user_id: user.user_id });

    await open(page, `/accounts/${account.account_id}`, name);
    await button('Add an address').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address before the @').fill(`${name}.former`);
    await dialog.getByLabel('Domain').click();
    await page.getByRole('option', { name: domain }).click();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: `Make first: ${name}.former@${domain}` }).click();
    await dialog.getByText('The address that was the first one stays').waitFor();
    await dialog.getByRole('button', { name: 'Make first' }).click();
    await page.getByText(`${name}.former@${domain} is the first address now`).waitFor();
    await page.getByRole('button', { name: `Move the address ${account.email}` }).click();
    await dialog.getByText('Mail that was received stays where it is').waitFor();
    await dialog.getByLabel('Account').click();
    await page.getByRole('option', { name: hers.name }).first().click();
    await dialog.getByRole('button', { name: 'Move the address' }).click();
    await page.getByText(`${account.email} was moved`).waitFor();
    const found = await callAdmin<{ alias: Alias }>('accounts/FindAddress', { address: account.email });
    expect(found).toMatchObject({ account: { account_id: alice.accountId }, incoming: 'DELIVERED' });
    await callAdmin('aliases/DeleteAlias', { alias_id: found.alias.alias_id });

    const { user: other } = await callAdmin<{ user: User }>('users/CreateUser', { email: `${name}@elsewhere.example` });
    invited.push(other);
    await open(page, `/users/${user.user_id}`, name);
    await button('Restore').click();
    await dialog.getByText('Somebody else has the sign-in address by now').waitFor();
    await dialog.getByLabel('E-mail address').fill(`${name}-back@elsewhere.example`);
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await page.getByText(`${name} was restored, and can sign in again`).waitFor();
    expect((await overviewOf(user)).user).toMatchObject({ primary_email: `${name}-back@elsewhere.example`, is_active: true });
  });

  test('are initially ordered by name', async () => {
    await open(page, '/users', 'Users');
    const rows = page.getByRole('table').getByRole('link');
    await rows.first().waitFor();
    const names = await rows.allTextContents();
    expect(names.length).toBeGreaterThan(2);
    const { users } = await callAdmin<{ readonly users: readonly User[] }>('users/ListUsers', { order_by: 'NAME', is_deleted: false });
    expect(names).toEqual(users.slice(0, names.length).map(({ name }) => name));
  });

  test('add an address to an account on the page of aliases, and delete it by its name', async () => {
    const name = uniqueName('desk');
    await open(page, '/aliases', 'Aliases');
    await page.getByText(sandboxUser('alice').email).waitFor();
    await button('Add an address').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address before the @').fill(name);
    await dialog.getByLabel('Domain').click();
    await page.getByRole('option', { name: sandboxUser('alice').email.split('@')[1]! }).click();
    await dialog.getByLabel('Account').click();
    await page.keyboard.type(sandboxUser('alice').email);
    await page.getByRole('option', { name: sandboxUser('alice').email }).click();
    await dialog.getByRole('button', { name: 'Create' }).click();
    const email = `${name}@${sandboxUser('alice').email.split('@')[1]}`;
    await page.getByText(`${email} was added`).waitFor();
    await page.getByRole('button', { name: `Delete the address ${email}` }).click();
    await page.getByRole('dialog').getByRole('textbox').fill(email);
    await page.keyboard.press('Enter');
    await page.getByText(`${email} was deleted`).waitFor();
    await page.getByRole('button', { name: `Delete the address ${email}` }).waitFor({ state: 'detached' });
  });
});

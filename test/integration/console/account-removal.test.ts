import { LambdaClient, ListEventSourceMappingsCommand, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import type { Page } from 'playwright-core';
import { accountWords } from '../../../console/words/pages/accounts.ts';
import { stateWords } from '../../../console/words/states.ts';
import { words } from '../../../console/words/words.ts';
import type { Account } from '../../../contract/admin/accounts.ts';
import type { Alias } from '../../../contract/admin/aliases.ts';
import { awsClientConfig } from '../../../sandbox/deployment/aws-target.ts';
import { deployed, describeWith, sandboxUser } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { callAdmin, consoleBrowser, createUser, open, settled, uniqueName } from './console-browser.ts';

const browser = consoleBrowser();

/** The queue of the account-removal Lambda, which the test can block. */
const removalQueue = () => {
  const client = new LambdaClient(awsClientConfig(deployed));
  const setEnabled = async (isEnabled: boolean): Promise<void> => {
    const { EventSourceMappings: mappings = [] } = await client.send(
      new ListEventSourceMappingsCommand({ FunctionName: `${deployed.stackName}-account-removal` }),
    );
    for (const { UUID: id } of mappings) await client.send(new UpdateEventSourceMappingCommand({ UUID: id, Enabled: isEnabled }));
  };
  return { stop: () => setEnabled(false), start: () => setEnabled(true), close: () => client.destroy() };
};

describeWith('emulator', 'users')('the removal of an account', () => {
  const name = uniqueName('Leaving');
  const queue = removalQueue();
  let page: Page;
  let account: Account;
  let userId: string;
  let domainId: string;
  beforeAll(async () => {
    page = await browser.signedInPage();
    const {
      aliases: [alias],
    } = await callAdmin<{ aliases: Alias[] }>('aliases/ListAccountAliases', { account_id: sandboxUser('alice').accountId });
    domainId = alias!.domain_id;
    userId = (await createUser()).user_id;
    account = await createAccount();
  });
  afterAll(async () => {
    await queue.start();
    queue.close();
    await callAdmin('users/DeleteUser', { user_id: userId });
  });

  const createAccount = async (called = name, local_part = called): Promise<Account> =>
    (await callAdmin<{ account: Account }>('accounts/CreateAccount', { user_id: userId, name: called, local_part, domain_id: domainId })).account;
  const removals = () => page.getByRole('list', { name: accountWords.removals });

  test('gives its address to another account at once, and its restoration says who has it', async () => {
    const leaving = await createAccount(uniqueName('left'));
    const { alias } = await callAdmin<{ alias: Alias }>('aliases/CreateAlias', {
      account_id: leaving.account_id,
      local_part: `also-${leaving.name}`,
      domain_id: domainId,
    });
    await callAdmin('accounts/DeleteAccount', { account_id: leaving.account_id });
    const next = await createAccount(uniqueName('next'), leaving.email.split('@')[0]);
    expect(next.email).toBe(leaving.email);
    await open(page, '/accounts', words.pages.accounts);
    await page.getByRole('button', { name: `${accountWords.restore} ${leaving.name}` }).click();
    await page.getByText(accountWords.restoredWithout(leaving.name)).waitFor();
    await page.getByText(accountWords.nowOfAccount(leaving.email, next.name)).waitFor();
    const { account: restored } = await callAdmin<{ account: Account }>('accounts/GetAccount', { account_id: leaving.account_id });
    expect(restored.email).toBe(alias.email);
    for (const { account_id, name: confirmed } of [restored, next]) {
      await callAdmin('accounts/DeleteAccount', { account_id });
      await callAdmin('accounts/RemoveAccountNow', { account_id, name: confirmed });
    }
  });

  test('asks for the name, keeps the deleted account for a time, restores it, shows the progress of its removal and reports the end', async () => {
    const failedReads: string[] = [];
    await open(page, `/accounts/${account.account_id}`, name);
    await settled(page);
    // The page must not ask for what is gone. It repeats what a busy server refuses (429, 503).
    const isRefused = (status: number): boolean => status >= 400 && status < 500 && status !== 429;
    page.on('response', (response) => {
      if (isRefused(response.status())) failedReads.push(`${response.status()} ${response.url()}`);
    });
    await page.getByRole('button', { name: accountWords.remove }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(accountWords.removeText).waitFor();
    const remove = dialog.getByRole('button', { name: accountWords.remove });
    expect(await remove.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill(name);
    await remove.click();

    await page.getByText(accountWords.deleted(name)).waitFor();
    await page.getByRole('button', { name: `${accountWords.restore} ${name}` }).click();
    await page.getByText(accountWords.restored(name)).waitFor();
    await page.getByRole('link', { name }).waitFor();
    await callAdmin('accounts/DeleteAccount', { account_id: account.account_id });
    const listRemovals = async () => (await callAdmin<{ removals: object[] }>('accounts/ListAccountRemovals', { page_size: 1000 })).removals;
    await eventually(async () => expect(await listRemovals()).toContainEqual(expect.objectContaining({ account_id: account.account_id, step: 'WAITING' })));
    await queue.stop();
    await page.reload();
    await page.getByRole('button', { name: `${accountWords.removeNow} ${name}` }).click();
    const again = page.getByRole('dialog');
    await again.getByText(accountWords.removeNowText).waitFor();
    await again.getByRole('textbox').fill(name);
    await again.getByRole('button', { name: accountWords.removeNow }).click();

    await page.getByRole('heading', { level: 1, name: words.pages.accounts }).waitFor();
    await page.getByText(accountWords.removing(name)).waitFor();
    // Other tests leave deleted accounts in the list.
    const removal = removals().getByRole('listitem').filter({ hasText: account.email });
    await removal.getByText(stateWords('accountRemoval', 'WAITING')!.label).waitFor();
    await page.getByText(sandboxUser('alice').email).waitFor();
    expect(await page.getByRole('link', { name }).count()).toBe(0);

    await queue.start();
    await page.getByText(accountWords.removalEnded(name)).waitFor();
    await page.getByText(accountWords.removing(name)).waitFor({ state: 'detached' });
    await removals().getByText(account.email).waitFor({ state: 'detached' });
    expect(failedReads).toEqual([]);
    await page.getByRole('button', { name: words.list.refresh }).click();
    await settled(page);
    expect(await page.getByText(account.email).count()).toBe(0);
    const next = await createAccount();
    expect(next.email).toBe(account.email);
    await callAdmin('accounts/DeleteAccount', { account_id: next.account_id });
    await callAdmin('accounts/RemoveAccountNow', { account_id: next.account_id, name });
  });
});

import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { accountWords } from '../../../console/words/pages/accounts.ts';
import { userWords } from '../../../console/words/pages/users.ts';
import { words } from '../../../console/words/words.ts';
import type { Account } from '../../../contract/admin/accounts.ts';
import type { User } from '../../../contract/admin/users.ts';
import { describeWith, sandboxUser } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { callAdmin, consoleBrowser, failWith, intercept, open, settled, uniqueName, violations } from './console-browser.ts';

const browser = consoleBrowser();

describeWith('users')('the lists of the console', () => {
  const word = uniqueName('quill').replace('-', '');
  const names = ['Zoë', 'adam', 'Ángela', 'Bob', 'Łukasz', ...Array.from({ length: 22 }, (_, index) => `Person ${String(index).padStart(2, '0')}`)].map(
    (name) => `${name} ${word}`,
  );
  const ordered = ['adam', 'Ángela', 'Bob', 'Łukasz', ...Array.from({ length: 22 }, (_, index) => `Person ${String(index).padStart(2, '0')}`), 'Zoë'].map(
    (name) => `${name} ${word}`,
  );
  const aliasWord = uniqueName('sales').replace('-', '');
  const alias = `hd-${aliasWord}@${sandboxUser('alice').email.split('@')[1]}`;
  let page: Page;

  beforeAll(async () => {
    page = await browser.signedInPage();
    for (let start = 0; start < names.length; start += 9) {
      await Promise.all(
        names
          .slice(start, start + 9)
          .map((name, index) =>
            callAdmin('users/CreateUser', { email: `${word}.${start + index}@elsewhere.example`, display_name: name, return_temporary_password: true }),
          ),
      );
    }
    const { domains } = await callAdmin<{ domains: readonly { readonly id: string }[] }>('domains/ListDomains', {
      query: sandboxUser('alice').email.split('@')[1]!,
    });
    await callAdmin('aliases/CreateAlias', { account_id: sandboxUser('alice').accountId, local_part: alias.split('@')[0]!, domain_id: domains[0]!.id });
  });
  afterAll(async () => {
    const { users } = await callAdmin<{ users: readonly User[] }>('users/ListUsers', { query: word });
    await Promise.all(users.map(({ user_id }) => callAdmin('users/DeleteUser', { user_id })));
    const { aliases } = await callAdmin<{ aliases: readonly { readonly alias_id: string }[] }>('aliases/ListAliases', { query: alias });
    await Promise.all(aliases.map(({ alias_id }) => callAdmin('aliases/DeleteAlias', { alias_id })));
  });

  const rows = () => page.getByRole('table').getByRole('row').getByRole('link');
  const shown = (expected: readonly string[]): Promise<void> => eventually(async () => expect(await rows().allTextContents()).toEqual(expected));
  const find = (text: string) => page.getByPlaceholder(words.list.filter, { exact: true }).fill(text);

  test('find among all by the beginnings of words, order by a column, and keep both and the page for reload, Back and a link', async () => {
    await open(page, '/users', words.pages.users);
    await find(word);
    await page.waitForURL(/query=/);
    await shown(ordered.slice(0, 25));
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: words.list.csv }).click()]);
    const saved = readFileSync(await download.path(), 'utf8').split('\r\n');
    expect(saved.map((line) => line.split('"')[1])).toEqual(['Name', ...ordered, undefined]);
    await page.getByRole('button', { name: words.list.page(2) }).click();
    await shown(ordered.slice(25));
    await page.reload();
    await shown(ordered.slice(25));
    await rows().first().click();
    await page.getByRole('heading', { level: 1, name: ordered[25]! }).waitFor();
    await page.goBack();
    await shown(ordered.slice(25));
    // The header that sticks to the page lies above that of the table.
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').press('Enter');
    await shown(ordered.toReversed().slice(0, 25));
    expect(new URL(page.url()).searchParams.get('page')).toBeNull();
    const link = page.url();
    await open(page, '/', words.pages.overview);
    await open(page, new URL(link).pathname + new URL(link).search, words.pages.users);
    await shown(ordered.toReversed().slice(0, 25));
    await find(`zoe ${word}`);
    await shown([`Zoë ${word}`]);
    await find(`nobody ${word}`);
    await page.getByText(words.list.noMatch).waitFor();
    await page.getByRole('button', { name: words.list.clearFilter }).click();
    await page.waitForURL((url) => !url.search.includes('query='));
  });

  test('the list of accounts says who owns each, how many use it, how full it is and when it was last used', async () => {
    const [{ users }, { domains }] = await Promise.all([
      callAdmin<{ users: readonly User[] }>('users/ListUsers', { query: `adam ${word}` }),
      callAdmin<{ domains: readonly { readonly id: string }[] }>('domains/ListDomains', { query: alias.split('@')[1]! }),
    ]);
    const created = { user_id: users[0]!.user_id, name: `Box ${word}`, local_part: word, domain_id: domains[0]!.id };
    const { account } = await callAdmin<{ account: Account }>('accounts/CreateAccount', created);
    try {
      await callAdmin('accounts/UpdateAccount', { account_id: account.account_id, max_octets: 5e9 });
      await open(page, `/accounts?query=${word}`, words.pages.accounts);
      const row = page.getByRole('row').filter({ hasText: created.name });
      for (const text of [`adam ${word}`, '1', accountWords.of('0 byte', '5 GB'), userWords.never]) {
        await row.getByRole('cell', { name: text, exact: true }).waitFor();
      }
    } finally {
      await callAdmin('accounts/DeleteAccount', { account_id: account.account_id });
    }
  });

  test('the search at the top is reached by /, finds people and addresses, and says of which account an address is', async () => {
    await open(page, '/', words.pages.overview);
    await settled(page);
    const box = (await page.getByPlaceholder(words.search.placeholder).filter({ visible: true }).boundingBox())!;
    // The list opens under the pointer, which chooses nothing.
    await page.mouse.move(box.x + box.width / 2, box.y + box.height + 30);
    await page.keyboard.press('/');
    await page.keyboard.type(`zoe ${word}`);
    await page.getByRole('option', { name: `Zoë ${word}` }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: `Zoë ${word}` }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(`hd-${aliasWord}`);
    await page.getByRole('option', { name: `${alias}, an address of` }).click();
    await page.waitForURL(`**/accounts/${sandboxUser('alice').accountId}`);
    await page.keyboard.press('/');
    await page.keyboard.type(`nobody${word}`);
    await page.getByText(words.search.nothing).waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type(`hd-${aliasWord}x`);
    await page.getByRole('option', { name: `${alias}, an address of` }).click();
    await page.waitForURL(`**/accounts/${sandboxUser('alice').accountId}`);
  });

  test('Enter before the answer leads to whom was typed last', async () => {
    await open(page, '/', words.pages.overview);
    await settled(page);
    await page.keyboard.press('/');
    await page.keyboard.type(`adam ${word}`);
    await page.getByRole('option', { name: `adam ${word}` }).waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type(`bob ${word}`);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: `Bob ${word}` }).waitFor();
  });

  test('actions on ticked rows ask by name and number, show what became of each row, and try the failed ones again', async () => {
    const tickOf = (name: string) => page.getByRole('checkbox', { name: words.list.select(name) });
    const menu = page.getByRole('button', { name: new RegExp(`^${words.bulk.actions}`) }).filter({ visible: true });
    const dialog = page.getByRole('dialog');
    const button = (name: string) => dialog.getByRole('button', { name });
    const [first, second, third] = [ordered[4]!, ordered[5]!, ordered[25]!];
    await open(page, `/users?query=${word}`, words.pages.users);
    await shown(ordered.slice(0, 25));
    expect(await menu.isDisabled()).toBe(true);
    for (const name of [first, second]) await tickOf(name).press('Space');
    await page.getByRole('button', { name: words.list.page(2) }).click();
    await shown(ordered.slice(25));
    await tickOf(third).press('Space');
    await page.getByRole('button', { name: words.list.detailsOf(third) }).press('Enter');
    await page.waitForURL(/selected=/);
    await page.getByRole('button', { name: words.splitPanel.closeButtonAriaLabel }).click();
    await page.getByRole('button', { name: words.list.refresh }).press('Enter');
    await settled(page);
    expect(await tickOf(third).isChecked()).toBe(true);

    const calls: string[] = [];
    const noteCall = (request: { url: () => string; postData: () => string | null }): void => {
      if (request.url().endsWith('/UpdateUser')) calls.push(request.postData()!);
    };
    page.on('request', noteCall);
    let refusals = 0;
    const { users } = await callAdmin<{ users: readonly User[] }>('users/ListUsers', { query: second });
    const end = await intercept(page, 'users/UpdateUser', (route) => {
      if (route.request().method() !== 'POST' || !route.request().postData()!.includes(users[0]!.user_id)) return route.continue();
      refusals += 1;
      return (refusals === 1 ? failWith(429, 'resource_exhausted', 'too many', { 'retry-after': '1' }) : failWith(400, 'failed_precondition', 'not today'))(
        route,
      );
    });
    await menu.press('Enter');
    await page.getByRole('menuitem', { name: words.bulk.count(userWords.activate, 0) }).waitFor();
    await page.getByRole('menuitem', { name: words.bulk.count(userWords.deactivate, 3) }).click();
    for (const name of [first, second, third]) await dialog.getByText(name).waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('textbox').fill('3');
    await button(words.bulk.count(userWords.deactivate, 3)).dblclick();
    await dialog.getByText('not today').waitFor();
    await dialog.getByText(words.bulk.result(2, 3)).first().waitFor();
    expect(await violations(page)).toEqual([]);
    expect(calls).toHaveLength(4);
    await end();
    await button(words.bulk.again(1)).click();
    await dialog.getByText(words.bulk.result(3, 3)).first().waitFor();
    await button(words.panel.close).last().click();
    page.off('request', noteCall);
    await eventually(async () => expect(await menu.isDisabled()).toBe(true));
    const after = await callAdmin<{ users: readonly User[] }>('users/ListUsers', { query: word, is_active: false });
    expect(after.users.map(({ name }) => name).toSorted()).toEqual([first, second, third].toSorted());
  });
});

import type { Page } from 'playwright-core';
import { supportWords } from '../../../console/words/pages/operations.ts';
import { words } from '../../../console/words/words.ts';
import type { User } from '../../../contract/admin/users.ts';
import { consoleCallbackPath } from '../../../contract/oauth/oauth.ts';
import { signInOnPage } from '../chromium.ts';
import { deployed, describeWith, sandboxUser } from '../deployment.ts';
import { callAdmin, consoleBrowser, consoleUrl, isCall, landmarks, open, settled, signInToConsole, uniqueName, violations } from './console-browser.ts';

const browser = consoleBrowser();
const tokenUrl = `${deployed.authUrl}/oauth2/token`;

/** A page with a separate sign-in, which other pages do not refresh. */
const freshlySignedIn = async (person: 'admin' | 'bob' = 'admin', path = '/'): Promise<Page> => {
  const page = await browser.newPage();
  await signInToConsole(page, person, path);
  await settled(page);
  return page;
};

/** Puts the clock of the page on by two hours, so that its access token expires. */
const expire = (page: Page): Promise<void> => page.evaluate('{ const now = Date.now; Date.now = () => now() + 7_200_000; }');

/** Octets of the scripts and styles that the page loaded, as transferred (compressed). */
const loadedSizes = (page: Page): Promise<readonly number[]> =>
  page.evaluate<readonly number[]>(
    "performance.getEntriesByType('resource').filter(({ name }) => /\\.(js|css)$/.test(name)).map(({ encodedBodySize }) => encodedBodySize)",
  );

const storage = (page: Page, name: 'localStorage' | 'sessionStorage'): Promise<string> => page.evaluate<string>(`JSON.stringify(${name})`);

describeWith('users')('access to the console', () => {
  test('a person without admin rights sees whom to ask', async () => {
    const page = await browser.newPage();
    await signInToConsole(page, 'alice');
    await page.getByRole('heading', { level: 1, name: words.forbidden.title }).waitFor();
    await page.getByText('Ask one of its admins').waitFor();
    await page.context().close();
  });

  test('an admin who loses the admin rights loses access at the next call', async () => {
    const { userId } = sandboxUser('bob');
    await callAdmin<{ user: User }>('users/UpdateUser', { user_id: userId, is_admin: true });
    try {
      const page = await freshlySignedIn('bob', '/users');
      await page.getByRole('heading', { level: 1, name: words.pages.users }).waitFor();
      await callAdmin('users/UpdateUser', { user_id: userId, is_admin: false });
      await page.getByRole('link', { name: words.pages.accounts }).click();
      await page.getByRole('heading', { level: 1, name: words.forbidden.title }).waitFor();
      expect(await page.getByText('alice@').count()).toBe(0);
      await page.context().close();
    } finally {
      await callAdmin('users/UpdateUser', { user_id: userId, is_admin: false });
    }
  });

  test.each<[string, string, (page: Page) => Promise<void>]>([
    ['where a person has no admin rights', words.forbidden.title, (page) => signInToConsole(page, 'alice')],
    ['after signing out', words.signedOut.title, async (page) => void (await page.goto(`${consoleUrl}${consoleCallbackPath}`))],
    ['where a sign-in failed', words.signInAgain.failed, async (page) => void (await page.goto(`${consoleUrl}${consoleCallbackPath}?state=x&code=x`))],
    [
      'where the console could not start',
      words.startFailed.title,
      async (page) => {
        await page.route('**/config.json', (route) => route.abort());
        await page.goto(consoleUrl);
      },
    ],
  ])('the page %s has one main landmark, with all its content', async (_where, title, arrive) => {
    const page = await browser.newPage();
    await arrive(page);
    await page.getByText(title, { exact: true }).first().waitFor();
    expect(await violations(page, landmarks)).toEqual([]);
    await page.context().close();
  });

  test('a sign-in that the hosted page refuses is explained in words, not by its code', async () => {
    const page = await browser.newPage();
    await page.goto(consoleUrl);
    await page.waitForURL(/[?&]state=/);
    const state = new URL(page.url()).searchParams.get('state') ?? '';
    const answer = new URLSearchParams({ error: 'invalid_request', error_description: 'invalid_scope', state });
    await page.goto(`${consoleUrl}${consoleCallbackPath}?${answer.toString()}`);
    await page.getByRole('heading', { level: 1, name: words.signInAgain.failed }).waitFor();
    await page.getByText('a permission that its client id does not have').waitFor();
    expect(await page.getByText('invalid_scope').count()).toBe(0);
    await page.context().close();
  });

  test('no token is in a URL or in localStorage, and signing out leads to the signed-out page in all tabs', async () => {
    const page = await browser.newPage();
    const addresses: string[] = [];
    page.on('framenavigated', (frame) => addresses.push(frame.url()));
    await signInToConsole(page, 'admin', '/users');
    await page.getByRole('heading', { level: 1, name: words.pages.users }).waitFor();
    expect(page.url()).not.toMatch(/code=/);
    expect(addresses.filter((address) => /token=|eyJ/.test(address))).toEqual([]);
    expect(await storage(page, 'localStorage')).not.toMatch(/eyJ/);
    const other = await page.context().newPage();
    await open(other, '/users', words.pages.users);
    for (const tab of [page, other]) expect(await storage(tab, 'sessionStorage')).toMatch(/eyJ/);

    await page.getByRole('button', { name: /^[^ ]+@/ }).click();
    await page.getByRole('menuitem', { name: words.signOut }).click();
    for (const tab of [page, other]) {
      await tab.getByRole('heading', { level: 1, name: words.signedOut.title }).waitFor();
      expect(await storage(tab, 'sessionStorage')).not.toMatch(/eyJ/);
    }
    await page.context().close();
  });

  test('a browser without sign-in loads at most 250 KB of compressed scripts and styles, and no page', async () => {
    const page = await browser.newPage();
    await page.goto(`${consoleUrl}${consoleCallbackPath}`);
    await page.getByRole('heading', { level: 1, name: words.signedOut.title }).waitFor();
    await settled(page);
    const sizes = await loadedSizes(page);
    expect(sizes.length).toBeGreaterThan(2);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(250_000);
    await page.context().close();
  });

  test('a person whose console was replaced by a newer version while it loads can try again', async () => {
    const page = await browser.signedInPage();
    await page.route('**/assets/frame-*.js', (route) => route.fulfill({ status: 404, body: '' }));
    await page.goto(consoleUrl);
    await page.getByText(words.startFailed.title).waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: words.startFailed.action }).click();
    await page.getByRole('heading', { level: 1, name: words.pages.overview }).waitFor();
    await page.context().close();
  });

  test('the first page loads at most 400 KB of compressed scripts and styles on a phone, which shows no chart yet', async () => {
    const page = await browser.signedInPage({ viewport: { width: 390, height: 844 }, isMobile: true });
    await open(page, '/', words.pages.overview);
    await settled(page);
    const sizes = await loadedSizes(page);
    expect(sizes.length).toBeGreaterThan(2);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(400_000);
  });
});

describeWith('users')('a callback that belongs to a sign-in window', () => {
  test('says so when no tab waits for it, and offers to sign in', async () => {
    const page = await browser.newPage();
    await page.goto(`${consoleUrl}${consoleCallbackPath}?code=a&state=x.window`);
    await page.getByRole('heading', { level: 1, name: words.signInAgain.completed }).waitFor();
    await page.getByRole('button', { name: words.signedOut.action }).click();
    await signInOnPage(page, 'admin');
    await settled(page);
    await page.getByRole('heading', { level: 1, name: words.pages.overview }).waitFor();
    await page.context().close();
  });
});

describeWith('users')('a sign-in that expires', () => {
  test('is renewed silently before the next call', async () => {
    const page = await freshlySignedIn('admin', '/users');
    const before = await storage(page, 'sessionStorage');
    await expire(page);
    const [renewal] = await Promise.all([
      page.waitForRequest((request) => request.url() === tokenUrl),
      page.waitForResponse((response) => isCall(response.request())),
      page.getByRole('button', { name: words.list.refresh }).click(),
    ]);
    expect(new URLSearchParams(renewal.postData() ?? '').get('grant_type')).toBe('refresh_token');
    await settled(page);
    await page.getByText('alice@').first().waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await storage(page, 'sessionStorage')).not.toBe(before);
    await page.context().close();
  });

  test('asks to sign in again when it can’t be renewed, and then sends the half-filled form', async () => {
    const page = await freshlySignedIn();
    const subject = uniqueName('Half-filled');
    await open(page, '/support/open', supportWords.open);
    await page.getByLabel('Subject').fill(subject);
    await page.route(tokenUrl, (route) => route.fulfill({ status: 400, json: { error: 'invalid_grant' } }));
    await expire(page);
    const submit = page.getByRole('button', { name: supportWords.openAction });
    await submit.click();
    const dialog = page.getByRole('dialog', { name: words.signInAgain.title });
    await dialog.waitFor();

    const signInAgain = dialog.getByRole('button', { name: words.signInAgain.action });
    await page.context().clearCookies();
    const [abandoned] = await Promise.all([page.waitForEvent('popup'), signInAgain.click()]);
    expect(await dialog.getByText(words.signInAgain.unfinished.title).count()).toBe(0);
    await abandoned.close();
    await dialog.getByText(words.signInAgain.unfinished.title).waitFor();
    expect(await page.getByLabel('Subject').inputValue()).toBe(subject);

    await page.unrouteAll();
    const [popup] = await Promise.all([page.waitForEvent('popup'), signInAgain.click()]);
    await dialog.getByText(words.signInAgain.unfinished.title).waitFor({ state: 'detached' });
    await signInOnPage(popup, 'admin');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Subject').inputValue()).toBe(subject);
    await submit.click();
    await page.getByRole('heading', { level: 1, name: subject }).waitFor();
    await callAdmin('support/CloseSupportCase', { case_id: new URL(page.url()).pathname.split('/').at(-1) });
    await page.context().close();
  });
});

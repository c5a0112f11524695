import type { Page, Route } from 'playwright-core';
import { supportWords } from '../../../console/words/pages/operations.ts';
import { words } from '../../../console/words/words.ts';
import type { User } from '../../../contract/admin/users.ts';
import { describeWith, sandboxUser } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { callAdmin, consoleBrowser, failWith, intercept, interceptedRequestId, open, overhang, respondWith, settled, uniqueName } from './console-browser.ts';

const browser = consoleBrowser();
const { errors } = words;

const unreachable = (route: Route): Promise<void> => route.abort('connectionrefused');

/** A response that is sent when the test releases it. */
const heldBack = () => {
  const gate = Promise.withResolvers<void>();
  return {
    release: gate.resolve,
    answer: async (route: Route): Promise<void> => {
      await gate.promise;
      await route.continue();
    },
  };
};

describeWith('users')('a form whose call fails', () => {
  const subject = uniqueName('Mail is late');
  const description = 'Since noon.\nNothing arrives.';
  let page: Page;
  beforeAll(async () => {
    page = await browser.signedInPage();
    await open(page, '/support/open', supportWords.open);
    await page.getByLabel('Subject').fill(subject);
    await page.getByLabel('Description').fill(description);
  });

  const submit = (): Promise<void> => page.getByRole('button', { name: supportWords.openAction }).click();
  const typed = (): Promise<string[]> => Promise.all([page.getByLabel('Subject'), page.getByLabel('Description')].map((input) => input.inputValue()));
  const main = () => page.getByRole('main');

  test.each<readonly [string, (route: Route) => Promise<void>, readonly string[]]>([
    ['the API is away', unreachable, [errors.unreachable.title, errors.unreachable.text]],
    ['a 500', failWith(500, 'internal', 'an internal error occurred'), [errors.failed.title, interceptedRequestId]],
    ['a 429', failWith(429, 'resource_exhausted', 'too many requests', { 'retry-after': '3' }), [errors.throttled.title, interceptedRequestId]],
    ['a 409', failWith(409, 'aborted', 'another change was made at the same time'), [errors.conflict.title, 'another change was made']],
    ['a refusal', failWith(400, 'failed_precondition', 'support is not set up'), ['support is not set up', interceptedRequestId]],
    ['an answer that is not of the API', (route) => route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }), [errors.failed.title]],
  ])('says what happened and keeps what was typed: %s', async (_, answer, texts) => {
    await intercept(page, 'support/OpenSupportCase', answer);
    await submit();
    for (const text of texts) await main().getByText(text).first().waitFor();
    expect(await typed()).toEqual([subject, description]);
    await page.unrouteAll();
  });

  test('shows the problem of a field beside the field', async () => {
    await intercept(page, 'support/OpenSupportCase', failWith(400, 'invalid_argument', 'subject must not be about dogs'));
    await submit();
    await main().getByText('must not be about dogs').waitFor();
    expect(await page.getByLabel('Subject').getAttribute('aria-invalid')).toBe('true');
    expect(await typed()).toEqual([subject, description]);
    await page.unrouteAll();
  });

  test('asks to sign in again after a 401', async () => {
    await intercept(page, 'support/OpenSupportCase', failWith(401, 'unauthenticated', 'the token has expired'));
    await submit();
    await page.getByRole('dialog').getByText(words.signInAgain.text).waitFor();
    await page.keyboard.press('Escape');
    expect(await typed()).toEqual([subject, description]);
    await page.unrouteAll();
  });

  test('is sent when the API responds again, and the object’s page opens', async () => {
    await submit();
    await page.getByRole('heading', { level: 1, name: subject }).waitFor();
    await callAdmin('support/CloseSupportCase', { case_id: new URL(page.url()).pathname.split('/').at(-1) });
  });
});

describeWith('users')('a page whose call fails', () => {
  let page: Page;
  beforeAll(async () => {
    page = await browser.signedInPage();
  });

  test('shows the request’s id, and is read again on request', async () => {
    await intercept(page, 'users/ListUsers', failWith(500, 'internal', 'an internal error occurred'));
    await page.goto(`${new URL(page.url()).origin}/users`);
    await page.getByText(errors.failed.title).waitFor();
    await page.getByText(interceptedRequestId).waitFor();
    await page.getByRole('button', { name: errors.copyForSupport }).waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: errors.retry }).click();
    await page.getByText('alice@', { exact: false }).first().waitFor();
  });

  test('keeps its data when a refresh fails, and shows the error', async () => {
    await intercept(page, 'users/ListUsers', failWith(500, 'internal', 'an internal error occurred'));
    await page.getByRole('button', { name: words.list.refresh }).click();
    await page.getByText(errors.failed.title).waitFor();
    expect(await page.getByText('alice@', { exact: false }).count()).toBeGreaterThan(0);
    await page.unrouteAll();
  });

  test('shows after ten seconds that the call takes long, and finally the response', async () => {
    const slow = await browser.signedInPage();
    await slow.clock.install();
    const { release, answer } = heldBack();
    await intercept(slow, 'users/ListUsers', answer);
    await open(slow, '/users', words.pages.users);
    await eventually(async () => {
      await slow.clock.fastForward(11_000);
      expect(await slow.getByText(words.loading.slow).count()).toBe(1);
    });
    release();
    await slow.getByText('alice@', { exact: false }).first().waitFor();
    expect(await slow.getByText(words.loading.slow).count()).toBe(0);
  });
});

describeWith('users')('a page that is opened without a connection', () => {
  let page: Page;
  const follow = (name: string): Promise<void> => page.getByRole('link', { name, exact: true }).first().press('Enter');
  const failure = () => page.getByRole('status').filter({ hasText: words.pageFailed.offline });
  beforeAll(async () => {
    page = await browser.signedInPage();
  });

  test('reads its data when the connection is back', async () => {
    await open(page, `/users/${sandboxUser('alice').userId}`, 'Alice');
    await follow(words.pages.users);
    await page.getByRole('link', { name: 'Bob', exact: true }).waitFor();
    await settled(page);
    await page.context().setOffline(true);
    await follow('Bob');
    await page.getByText(errors.offline.text).first().waitFor();
    await page.context().setOffline(false);
    await page.getByRole('heading', { level: 1, name: 'Bob' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/users/${sandboxUser('bob').userId}`);
  });

  test('loads its files when the connection is back', async () => {
    await page.context().setOffline(true);
    await follow(words.pages.domains);
    await failure().waitFor();
    await page.context().setOffline(false);
    await page.getByRole('heading', { level: 1, name: words.pages.domains }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/domains');
    await settled(page);
  });

  test('keeps a typed text when only its help could not be loaded', async () => {
    await open(page, '/support/open', supportWords.open);
    await page.getByLabel('Subject').fill('Mail is late');
    await page.context().setOffline(true);
    await page
      .getByRole('button', { name: new RegExp(`^${words.help.info}\\b`) })
      .first()
      .click();
    await failure().waitFor();
    await page.context().setOffline(false);
    await failure().waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Subject').inputValue()).toBe('Mail is late');
  });
});

describeWith('users')('hostile values', () => {
  const html = '<img src=x onerror="window.hacked = true"><script>window.hacked = true</script>';
  const rightToLeft = '\u202Egnp.moc\u202C \u0627\u0644\u0628\u0631\u064A\u062F';
  const long = 'x'.repeat(10_000);
  const names = [html, rightToLeft, 'Ada\u2069\u202E', long, `${html}${long}`];
  const users = (found: readonly User[]): User[] =>
    names.map((name, index) => ({ ...found[0]!, is_deleted: false, user_id: `user_hostile_${index}`, name, display_name: name }));
  let page: Page;
  beforeAll(async () => {
    page = await browser.signedInPage();
  });

  const fitsWindow = async (): Promise<void> => {
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await eventually(async () => expect(await overhang(page)).toBe(0));
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  };
  const wasHacked = (): Promise<boolean> => page.evaluate<boolean>('window.hacked === true || document.querySelector("img[src=x]") !== null');

  test('are shown as text in a list, and the page stays as wide as its window', async () => {
    const { users: found } = await callAdmin<{ users: User[] }>('users/ListUsers');
    await intercept(page, 'users/ListUsers', respondWith(200, { users: users(found), next_page_token: '' }));
    await open(page, '/users', words.pages.users);
    for (const name of [html, rightToLeft]) await page.getByText(name, { exact: true }).first().waitFor();
    await settled(page);
    await fitsWindow();
    expect(await wasHacked()).toBe(false);
  });

  test('leave the address beside a name as it is, whatever the name closes and turns around', async () => {
    const { users: found } = await callAdmin<{ users: User[] }>('users/ListUsers');
    const email = JSON.stringify(found[0]!.primary_email);
    await intercept(page, 'users/ListUsers', respondWith(200, { users: users(found), next_page_token: '' }));
    await open(page, '/users', words.pages.users);
    await page.getByRole('banner').getByRole('combobox').fill('Ada');
    await page.getByRole('option').filter({ hasText: found[0]!.primary_email! }).first().waitFor();
    // The places of the address's characters, line by line.
    const places = await page.evaluate<number[]>(`(() => {
      const texts = document.createTreeWalker(document.querySelector('#header'), NodeFilter.SHOW_TEXT);
      while (texts.nextNode() && !texts.currentNode.data.includes('<' + ${email}));
      const begin = texts.currentNode.data.indexOf(${email});
      return Array.from(${email}, (_, index) => {
        const range = document.createRange();
        range.setStart(texts.currentNode, begin + index);
        range.setEnd(texts.currentNode, begin + index + 1);
        const { x, y } = range.getBoundingClientRect();
        return y * 10_000 + x;
      });
    })()`);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    await page.unrouteAll();
  });

  test.each([
    ['of 10,000 characters', long],
    ['of HTML', html],
    ['from right to left', rightToLeft],
  ])('are shown as text on the page of an object: %s', async (_, name) => {
    const {
      users: [found],
    } = await callAdmin<{ users: User[] }>('users/ListUsers');
    const user = { ...found!, name, display_name: name };
    await intercept(page, 'users/GetUserOverview', respondWith(200, { user, primary_account_aliases: [], accounts: [] }));
    await open(page, `/users/${found!.user_id}`, name.slice(0, 20));
    await settled(page);
    await fitsWindow();
    expect(await wasHacked()).toBe(false);
    await page.unrouteAll();
  });

  test('are stored and shown as they were typed', async () => {
    const subject = `${html} ${rightToLeft}`.replaceAll(/[\u202E\u202C]/g, '');
    const description = `${html}\n`.repeat(100) + 'y'.repeat(1000);
    const { case_id: id } = await callAdmin<{ case_id: string }>('support/OpenSupportCase', { subject, description });
    await open(page, `/support/${id}`, subject);
    await settled(page);
    await fitsWindow();
    expect(await wasHacked()).toBe(false);
    await callAdmin('support/CloseSupportCase', { case_id: id });
  });
});

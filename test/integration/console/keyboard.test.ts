import type { Locator, Page } from 'playwright-core';
import { auditWords, supportWords } from '../../../console/words/pages/operations.ts';
import { words } from '../../../console/words/words.ts';
import { describeWith } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { consoleBrowser, open, settled, uniqueName } from './console-browser.ts';

const browser = consoleBrowser();

/** Maximum number of presses of Tab to cross a page. */
const mostPresses = 150;

/** Whether the element or one within it has the focus. */
const hasFocus = async (locator: Locator): Promise<boolean> =>
  (await locator.locator(':focus').count()) + (await locator.and(locator.page().locator(':focus')).count()) > 0;

/** Waits until the element or one within it has the focus. */
const focused = (locator: Locator): Promise<void> => eventually(async () => expect(await hasFocus(locator)).toBe(true));

describeWith('users')('the keyboard alone', () => {
  let page: Page;
  const subject = uniqueName('By keyboard');
  beforeAll(async () => {
    page = await browser.signedInPage({ reducedMotion: 'reduce', timezoneId: 'Asia/Kolkata' });
  });

  /** Presses Tab until an element has the focus. */
  const tabTo = async (locator: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> => {
    await locator.waitFor();
    for (let presses = 0; presses < mostPresses; presses += 1) {
      await page.keyboard.press(key);
      if (await hasFocus(locator)) return;
    }
    throw new Error(`${mostPresses} presses of ${key} do not reach ${String(locator)}`);
  };

  /** A screenshot of the element and its surroundings. */
  const picture = async (locator: Locator): Promise<string> => {
    const { x, y, width, height } = (await locator.boundingBox())!;
    const margin = 8;
    return (await page.screenshot({ clip: { x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin }, caret: 'hide' })).toString(
      'base64',
    );
  };

  test('opens a page by the navigation, and shows where it is', async () => {
    await open(page, '/users', words.pages.users);
    await settled(page);
    const link = page.getByRole('link', { name: words.pages.support, exact: true });
    const before = await picture(link);
    await tabTo(link);
    expect(await picture(link)).not.toBe(before);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: words.pages.support }).waitFor();
    await page.waitForURL('**/support');
  });

  test('skips the search and the navigation', async () => {
    await open(page, '/users', words.pages.users);
    await settled(page);
    const skip = page.getByRole('link', { name: words.skip });
    await tabTo(skip);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await hasFocus(page.locator('#content'))).toBe(true);
  });

  test('fills in a form and sends it', async () => {
    await open(page, '/support/open', supportWords.open);
    await tabTo(page.getByLabel('Subject'));
    await page.keyboard.type(subject);
    await page.keyboard.press('Tab');
    await focused(page.getByLabel('Description'));
    await page.keyboard.type('Typed');
    const submit = page.getByRole('button', { name: supportWords.openAction });
    await tabTo(submit);
    await page.keyboard.press('Space');
    await page.getByRole('heading', { level: 1, name: subject }).waitFor();
  });

  test('opens a question and cancels it, and the focus returns', async () => {
    const close = page.getByRole('button', { name: supportWords.closeCase });
    await tabTo(close);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await focused(dialog);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await focused(close);
  });

  test('confirms a question', async () => {
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await focused(dialog.getByRole('textbox'));
    await page.keyboard.type(subject);
    await tabTo(dialog.getByRole('button', { name: supportWords.closeCase }));
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: supportWords.closeCase }).waitFor({ state: 'detached' });
    expect(await page.getByText(supportWords.closedBy).count()).toBe(1);
  });

  test('chooses a row, whose details are shown', async () => {
    await open(page, '/audit', words.pages.audit);
    await settled(page);
    const choice = page.getByRole('radio').first();
    await tabTo(choice);
    await page.keyboard.press('Space');
    await page.waitForURL('**/audit?selected=*');
    await page.locator('input[type=radio]:checked').waitFor({ state: 'attached' });
    await page.getByText(auditWords.address).waitFor();
  });

  test('shows the times of lists and of the overview in UTC, and in the local zone again', async () => {
    const times = page.getByRole('table').locator('time');
    const isShown = async (timeZone: string, zone: string): Promise<void> => {
      const at = await times.first().getAttribute('datetime');
      const text = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(new Date(at!));
      await eventually(async () => expect(await times.first().textContent()).toBe(`${text}${zone}`));
    };
    const choose = async (): Promise<void> => {
      const menu = page.getByRole('button', { name: words.preferences, exact: true });
      await tabTo(menu, 'Shift+Tab');
      await page.keyboard.press('Enter');
      const choice = page.getByRole('menuitemcheckbox', { name: words.times.inUtc });
      for (let presses = 0; presses < 5 && !(await hasFocus(choice)); presses += 1) await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
    };
    await open(page, '/users', words.pages.users);
    await times.first().waitFor();
    await isShown('Asia/Kolkata', '');
    await page.locator('main').press('End');
    await choose();
    await isShown('UTC', ' UTC');

    await open(page, '/', words.pages.overview);
    await page.getByText(/^As of .* UTC$/).waitFor();
    await open(page, '/users', words.pages.users);
    await isShown('UTC', ' UTC');
    await choose();
    await isShown('Asia/Kolkata', '');
  });
});

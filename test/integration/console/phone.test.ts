import { supportWords } from '../../../console/words/pages/operations.ts';
import { words } from '../../../console/words/words.ts';
import { describeWith } from '../deployment.ts';
import { consoleBrowser, intercept, open, settled, uniqueName, violations } from './console-browser.ts';

const browser = consoleBrowser();
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

describeWith('users')('the console on a phone', () => {
  test.each([
    ['/', words.pages.overview],
    ['/users', words.pages.users],
  ])('%s is accessible', async (path, title) => {
    const page = await browser.signedInPage({ ...phone, bypassCSP: true });
    await open(page, path, title);
    await settled(page);
    expect(await violations(page)).toEqual([]);
    await page.context().close();
  });

  test('the overview has no empty heading while it is read', async () => {
    const page = await browser.signedInPage({ ...phone, bypassCSP: true });
    const released = Promise.withResolvers<void>();
    await intercept(page, 'setup/GetReadiness', async (route) => {
      await released.promise;
      await route.continue();
    });
    await open(page, '/', words.pages.overview);
    expect(await violations(page, { runOnly: ['empty-heading'] })).toEqual([]);
    released.resolve();
    await settled(page);
    await page.context().close();
  });

  test('the page remains when the file of its charts can’t be loaded', async () => {
    const page = await browser.signedInPage();
    await page.route('**/assets/charts-*.js', (route) => route.fulfill({ status: 404, body: '' }));
    await open(page, '/', words.pages.overview);
    await page.getByText(words.pageFailed.text).waitFor();
    expect(await page.getByRole('heading', { level: 1, name: words.pages.overview }).count()).toBe(1);
    await page.context().close();
  });

  test('a double click sends a form once', async () => {
    const page = await browser.signedInPage();
    await open(page, '/support/open', supportWords.open);
    let calls = 0;
    const released = Promise.withResolvers<void>();
    await intercept(page, 'support/OpenSupportCase', async (route) => {
      if (route.request().method() === 'POST') calls += 1;
      await released.promise;
      await route.abort();
    });
    await page.getByLabel('Subject').fill(uniqueName('Twice'));
    await page.getByLabel('Description').fill('Since noon');
    await page.getByRole('button', { name: supportWords.openAction }).dblclick();
    released.resolve();
    await settled(page);
    expect(calls).toBe(1);
    await page.context().close();
  });
});

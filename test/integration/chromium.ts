import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { sandboxUser } from './deployment.ts';

const programNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const macPaths = ['/Applications/Chromium.app/Contents/MacOS/Chromium', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];

/** The browser that CHROMIUM_PATH names, else the first of the usual ones. @throws Error that says what to do: a sign-in that no browser has seen is not tested. */
const chromiumPath = (): string => {
  const named = process.env['CHROMIUM_PATH'];
  if (named) return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = [...folders.flatMap((folder) => programNames.map((name) => join(folder, name))), ...macPaths].find((path) => existsSync(path));
  if (found) return found;
  throw new Error('These tests need Chromium: install it (Debian and Ubuntu: apt-get install chromium), or name one by CHROMIUM_PATH.');
};

/** A browser without a window. Without its own sandbox as well, which root and many containers can't have: it opens our pages only. */
export const openChromium = (): Promise<Browser> => chromium.launch({ executablePath: chromiumPath(), chromiumSandbox: false });

/** Fills in the hosted sign-in page that is shown, whether it asks for name and password together or one after the other. */
export const signInOnPage = async (page: Page, name: Parameters<typeof sandboxUser>[0]): Promise<void> => {
  const { email, password } = sandboxUser(name);
  const field = (label: string) => page.locator(`input[name="${label}"]:visible`).first();
  await field('username').fill(email);
  if (!(await field('password').isVisible())) await field('username').press('Enter');
  await field('password').fill(password);
  await field('password').press('Enter');
};

/** Whether the page shown asks who somebody is. */
export const showsSignInForm = async (page: Page): Promise<boolean> => (await page.locator('input[name="username"]:visible').count()) > 0;
